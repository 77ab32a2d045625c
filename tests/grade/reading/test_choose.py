"""Which file is the notebook: the exact name, else a single match, never a guess between two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from manyheads.grade.reading import Reading, UnreadableError, read_submission
from manyheads.grade.reading.choose import named_like
from tests.grade.mini import LESSON
from tests.grade.reading.handed_in import NAME, TEXTS, as_bytes, changed, folder, right, texts
from tests.grade.test_sanitize import CELLS

GOOD = as_bytes(right())
OTHER = as_bytes({"cells": [], "metadata": {"manyheads": {"lesson": "03_other"}}, "nbformat": 4})
RENAMED = [
    "02_mini (1).ipynb",
    "02_mini(2).ipynb",
    "02_mini-1.ipynb",
    "02_mini_s01.ipynb",
    "s01_02_mini.ipynb",
    "Kopie von 02_mini.ipynb",
    "Copy of 02_mini.ipynb",
    "02_mini - Copy.ipynb",
    "02_mini-Copy1.ipynb",
    "Copia de 02_mini.ipynb",
    "02_mini のコピー.ipynb",
    "02_mini.ipynb.txt",
    "02_mini.json",
    "02_mini.txt",
    "02_mini.ipynb.json",
    "02_mini.ipynb.ipynb",
    "02_MINI.IPYNB",
    "02_Mini.ipynb",
    "02 mini.ipynb",
    "02-mini.ipynb",
    "02%20mini.ipynb",
    "02_mini%20(1).ipynb",
    "  02_mini  .ipynb",
    "02_mini_final_v2.ipynb",
    "Doe_12345_assignsubmission_file_02_mini.ipynb",
    "02_mini [1].ipynb",
    "02_mini'.ipynb",
    "学生-02_mini.ipynb",
    "02_mini.ipynb.download",
    "homework.ipynb",
    "Untitled.ipynb",
    "02_mini/02_mini.ipynb",
    "my work/02_mini (1).ipynb",
]


def read(root: Path, **files: bytes) -> Reading:
    return read_submission(folder(root, **files), LESSON, CELLS)


def stripped(notebook: dict[str, Any]) -> None:
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        del cell["id"]


@pytest.mark.parametrize("name", RENAMED)
def test_a_single_match_is_taken_and_flagged(tmp_path: Path, name: str) -> None:
    reading = read(tmp_path, **{name: GOOD})
    assert texts(reading.notebook) == TEXTS
    assert reading.name == name
    assert reading.flags == [f"{name} was taken for {NAME}"]
    assert reading.files == {}


def test_a_notebook_of_any_name_is_known_by_its_content_alone(tmp_path: Path) -> None:
    reading = read(tmp_path, **{"my work.ipynb": changed(stripped)})
    assert reading.flags == [f"my work.ipynb was taken for {NAME}"]


@pytest.mark.parametrize("name", RENAMED)
def test_the_exact_name_wins_and_the_others_are_listed(tmp_path: Path, name: str) -> None:
    reading = read(tmp_path, **{NAME: GOOD, name: as_bytes({"cells": [], "nbformat": 4})})
    assert texts(reading.notebook) == TEXTS
    listed = [f"other notebooks lie there, not graded: {name}"]
    assert reading.flags == (listed if ".ipynb" in name.lower() else [])


@pytest.mark.parametrize("name", RENAMED[1:26])
def test_of_two_candidates_none_is_picked(tmp_path: Path, name: str) -> None:
    second = changed(lambda notebook: notebook["cells"].pop())
    with pytest.raises(
        UnreadableError,
        match=r"holds 2 notebooks that may be the one to grade: .*Ask the student which one counts",
    ) as caught:
        read(tmp_path, **{RENAMED[0]: GOOD, name: second})
    assert RENAMED[0] in caught.value.cause
    assert name.strip() in caught.value.cause


def test_two_candidates_that_are_the_same_are_one(tmp_path: Path) -> None:
    reading = read(tmp_path, **{"02_mini (1).ipynb": GOOD, "02_mini (2).ipynb": GOOD})
    assert reading.name == "02_mini (1).ipynb"
    assert reading.flags[1] == "other notebooks lie there, not graded: 02_mini (2).ipynb"


def test_a_candidate_that_is_unreadable_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="holds 2 notebooks that may be the one"):
        read(tmp_path, **{"02_mini (1).ipynb": GOOD, "02_mini (2).ipynb": b"{"})


def test_an_unreadable_file_of_the_exact_name_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"02_mini\.ipynb can't be graded: the file is empty"):
        read(tmp_path, **{NAME: b"", "02_mini (1).ipynb": GOOD})


def test_another_lessons_notebook_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"holds no notebook of this lesson, only .*\(1\)"):
        read(tmp_path, **{"02_mini (1).ipynb": OTHER, "homework.ipynb": OTHER})


def test_another_lessons_notebook_is_no_candidate(tmp_path: Path) -> None:
    reading = read(tmp_path, **{"02_mini (1).ipynb": GOOD, "02_mini_more.ipynb": OTHER})
    assert reading.name == "02_mini (1).ipynb"


def test_a_data_file_named_like_the_lesson_is_no_candidate(tmp_path: Path) -> None:
    reading = read(tmp_path, **{"02_mini (1).ipynb": GOOD, "02_mini.json": b"[1]"})
    assert reading.name == "02_mini (1).ipynb"
    assert reading.files == {"02_mini.json": b"[1]"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, r"it holds no notebook\. Put the student's notebook there as 02_mini\.ipynb"),
        ({"a.txt": b"x"}, r"holds no notebook of this lesson, only a\.txt"),
        ({"a.zip": b"PK"}, r"only a\.zip\. Unpack the archive yourself"),
        ({".ipynb_checkpoints/02_mini-checkpoint.ipynb": GOOD}, "it holds no notebook"),
        ({"__MACOSX/02_mini.ipynb": GOOD, "._02_mini.ipynb": GOOD}, "it holds no notebook"),
    ],
)
def test_without_a_notebook_the_folder_is_refused(
    tmp_path: Path, files: dict[str, bytes], words: str
) -> None:
    with pytest.raises(UnreadableError, match=words):
        read(tmp_path, **files)


@pytest.mark.parametrize(
    "name", ["02_minimal.ipynb", "102_mini.ipynb", "mini.ipynb", "02_mini.py", "02_mini.html", "x"]
)
def test_other_names_are_not_like_the_lessons(name: str) -> None:
    assert not named_like(name, LESSON)


@pytest.mark.parametrize("lesson", ["l'été [1]", "注意力", "a b", "-x", "01 (a)", "a.b"])
def test_a_lesson_of_any_name_is_found_exactly_and_renamed(tmp_path: Path, lesson: str) -> None:
    made = tmp_path / "s01" / lesson
    made.mkdir(parents=True)
    (made / f"{lesson}.ipynb").write_bytes(GOOD)
    assert read_submission(made, lesson, CELLS).flags == []
    (made / f"{lesson}.ipynb").rename(made / f"{lesson} (1).ipynb")
    assert read_submission(made, lesson, CELLS).flags == [
        f"{lesson} (1).ipynb was taken for {lesson}.ipynb"
    ]
