"""The whole build, through nbgrader's own converter."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from manyheads.build import build_course, check_drift
from manyheads.build.files import built_files, found_files
from manyheads.course import Course, notebook_path
from manyheads.errors import DriftError, LeakError, LessonTextError

pytestmark = pytest.mark.slow

FILES = [f"{f}/{n}/{n}.ipynb" for f in ("release", "source") for n in ("01_double", "02_again")]


def contents(course: Course) -> dict[str, bytes]:
    """All files of a course, by name."""
    return {
        path.relative_to(course.root).as_posix(): path.read_bytes()
        for path in sorted(course.root.rglob("*"))
        if path.is_file()
    }


def edit(course: Course, old: str, new: str, lesson: str = "01_double") -> None:
    path = course.notebooks / f"{lesson}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")


def release(course: Course, lesson: str = "01_double") -> nbformat.NotebookNode:
    return nbformat.read(notebook_path(course.release, lesson), as_version=4)


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {"at": tmp_path_factory.mktemp("built")}


@pytest.fixture
def built(course: Course, built_once: dict[str, Path]) -> Course:
    """The course, built; the first test's build is copied for the others."""
    kept = built_once["at"] / "course"
    if not kept.exists():
        build_course(course)
        shutil.copytree(course.root, kept)
    shutil.copytree(kept, course.root, dirs_exist_ok=True)
    return course


def test_a_build_writes_source_and_release_and_nothing_else(course: Course) -> None:
    before = set(contents(course))
    assert [p.relative_to(course.root).as_posix() for p in build_course(course)] == FILES
    assert set(contents(course)) - before == set(FILES)


def test_a_second_build_changes_nothing(built: Course) -> None:
    before = contents(built)
    assert build_course(built) == []
    assert contents(built) == before


def test_a_fresh_build_has_no_drift(built: Course) -> None:
    check_drift(built)


def test_the_release_holds_stubs_in_place_of_answers(built: Course) -> None:
    sources = {cell.id: cell.source for cell in release(built).cells}
    assert sources["double"] == 'def double(x):\n    """Return twice `x`."""\n    ...'
    assert sources["quiz_1"] == "quiz_1 = (\n    ...\n)"
    assert sources["test_double_values"] == "import math\n\nassert double(1) == 2"
    assert "factor" not in sources["explain_1"]


def test_source_and_release_name_the_same_release(built: Course) -> None:
    source = nbformat.read(notebook_path(built.source, "01_double"), as_version=4)
    assert source.metadata["manyheads"] == release(built).metadata["manyheads"]
    assert source.metadata["manyheads"]["lesson"] == "01_double"
    assert len(source.metadata["manyheads"]["release"]) == 12


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("double(0.25), 0.5", "double(0.5), 1.0", True),
        ("twice_as_much", "twofold", True),
        ("naming the", "calling the", True),
        ("Double a number", "Double any number", False),
        ("assert double(1) == 2", "assert double(2) == 4", False),
    ],
)
def test_a_release_is_new_when_students_see_something_new(
    built: Course, old: str, new: str, same: bool
) -> None:
    before = release(built).metadata["manyheads"]["release"]
    edit(built, old, new)
    build_course(built)
    assert (release(built).metadata["manyheads"]["release"] == before) is same


def test_a_gradebook_is_neither_made_nor_touched(built: Course, tmp_path: Path) -> None:
    gradebook = built.root / "gradebook.db"
    gradebook.write_bytes(b"a class's grades")
    edit(built, "Double a number", "Double any number")
    build_course(built)
    assert gradebook.read_bytes() == b"a class's grades"
    assert [path for path in tmp_path.rglob("gradebook.db*") if path != gradebook] == []


def test_without_a_gradebook_none_is_made_anywhere(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbgrader import api

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("the build opened a gradebook")

    monkeypatch.setattr(api.Gradebook, "__init__", refuse)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    build_course(course)
    assert list(tmp_path.rglob("*.db*")) == []


def test_the_current_folder_is_kept(course: Course) -> None:
    before = Path.cwd()
    build_course(course)
    assert Path.cwd() == before


@pytest.mark.parametrize("name", FILES)
def test_one_changed_character_in_any_built_file_is_drift(built: Course, name: str) -> None:
    path = built.root / name
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Explain", "explain", 1), encoding="utf-8", newline="\n")
    with pytest.raises(DriftError, match=rf"{name}, cell explain_1:[^$]*manyheads build"):
        check_drift(built)


def test_a_drift_check_writes_nothing(built: Course) -> None:
    edit(built, "Double a number", "Double any number")
    before = contents(built)
    with pytest.raises(DriftError, match=r"\+Double any number"):
        check_drift(built)
    assert contents(built) == before


@pytest.mark.parametrize("empty", [True, False], ids=["nothing built yet", "built before"])
def test_a_broken_lesson_writes_nothing(course: Course, empty: bool) -> None:
    if not empty:
        build_course(course)
    edit(course, "### END HIDDEN TESTS", "", lesson="02_again")
    edit(course, "Double a number", "Double any number")
    before = contents(course)
    with pytest.raises(
        LessonTextError, match=r"notebooks/02_again\.py:\d+: ### BEGIN HIDDEN TESTS"
    ):
        build_course(course)
    assert contents(course) == before


def test_a_configuration_that_strips_nothing_is_a_leak_and_writes_nothing(course: Course) -> None:
    config = course.root / "nbgrader_config.py"
    config.write_text(
        config.read_text(encoding="utf-8")
        + 'c.ClearHiddenTests.begin_test_delimeter = "START HIDDEN"\n',
        encoding="utf-8",
    )
    before = contents(course)
    with pytest.raises(LeakError, match=r"line 5 of cell test_double_values \(hidden tests\)"):
        build_course(course)
    assert contents(course) == before


def test_what_nbgrader_refuses_is_told_in_its_words(course: Course) -> None:
    config = course.root / "nbgrader_config.py"
    config.write_text('c = get_config()\nc.ClearSolutions.code_stub = {"R": ""}\n')
    with pytest.raises(LessonTextError, match=r"nbgrader refused .* 'python' has not been specif"):
        build_course(course)


def test_a_lesson_that_is_gone_leaves_no_notebook(built: Course) -> None:
    (built.notebooks / "02_again.py").unlink()
    assert [path.parent.name for path in build_course(built)] == ["02_again", "02_again"]
    assert {path.parent.name for path in found_files(built)} == {"01_double"}


def test_no_canary_of_a_hidden_region_reaches_the_release(
    course: Course, write: Callable[..., str]
) -> None:
    text = write()
    for kind in ("SOLUTION", "HIDDEN TESTS"):
        text = text.replace(f"### BEGIN {kind}", f"### BEGIN {kind}\n    # CANARY_{kind[0]}")
    text = text.replace("# ### BEGIN MARK SCHEME", "# ### BEGIN MARK SCHEME\n# CANARY_M")
    (course.notebooks / "01_double.py").write_text(text, encoding="utf-8")
    build_course(course)
    assert b"CANARY" not in notebook_path(course.release, "01_double").read_bytes()
    source = notebook_path(course.source, "01_double").read_text(encoding="utf-8")
    assert all(f"CANARY_{letter}" in source for letter in "SHM")


def _run(code: str, course: Course, seed: str) -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", code, str(course.root)]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


def test_other_processes_with_other_hash_seeds_build_the_same_bytes(built: Course) -> None:
    code = (
        "import sys; from pathlib import Path; from manyheads.course import Course;"
        "from manyheads.build.files import built_files;"
        "print({p.name: b.hex() for p, b in built_files(Course(Path(sys.argv[1]))).items()})"
    )
    first, second = _run(code, built, "1"), _run(code, built, "2")
    assert first == second
    assert len(first) > 10_000


def test_nbgrader_makes_the_same_release_from_the_committed_source(
    built: Course, tmp_path: Path
) -> None:
    # Its own command looks for lessons with glob, so it finds none below a folder with brackets.
    built = Course(shutil.copytree(built.root, tmp_path / "plain"))
    before = contents(built)
    for lesson in ("01_double", "02_again"):
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", lesson, "--force"]
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        subprocess.run(command, cwd=built.root, env=environment, check=True, capture_output=True)
    after = {name: data for name, data in contents(built).items() if name in before}
    assert after == before
    check_drift(built)


def test_the_build_takes_nothing_from_built_files(built: Course) -> None:
    expected = built_files(built)
    for path in expected:
        path.write_text(json.dumps({"cells": []}), encoding="utf-8")
    assert built_files(built) == expected
