"""The students' bundle holds what students may have, and nothing else."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import LeakError, NotReleasedError
from manyheads.student.bundle import FILES, bundle_contents, write_bundle
from manyheads.student.copies import released_lessons

REPOSITORY = Course(Path(__file__).resolve().parents[2])
HIDDEN = "assert double(21) == 42, 'kept from students'"


@pytest.fixture
def whole_course(student_course: Course) -> Course:
    """The small course with a source that holds a hidden test, and the bundle's other files."""
    root = student_course.root
    released = notebook_path(student_course.release, "02_small").read_text(encoding="utf-8")
    notebook = json.loads(released)
    hidden = f"### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS"
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    cells["test_double_more"]["source"] = hidden
    for name in ("predict_1", "double"):
        answer = "    ### BEGIN SOLUTION\n    only_in_the_source\n    ### END SOLUTION"
        cells[name]["source"] = cells[name]["source"].replace("    ...", answer)
    source = notebook_path(student_course.source, "02_small")
    for path, text in {
        source: json.dumps(notebook),
        root / "notebooks" / "02_small.py": "# the text",
        root / "docs" / "for-students.md": "# For students",
        root / "docs" / "for-instructors.md": "# Not for students",
        root / "tools" / "setup.sh": "#!/bin/sh\n",
        root / "manyheads" / "__init__.py": "",
        root / "manyheads" / "__pycache__" / "x.pyc": "",
        root / "tests" / "bank.yaml": "",
        root / "gradebook.db": "",
        **{root / name: name for name in FILES},
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return student_course


def test_bundle_holds_the_students_side_only(whole_course: Course, tmp_path: Path) -> None:
    write_bundle(whole_course, tmp_path / "out" / "b.zip")
    with zipfile.ZipFile(tmp_path / "out" / "b.zip") as archive:
        names = set(archive.namelist())
    assert names == {
        f"manyheads-students/{name}"
        for name in (
            "README.md",
            "manyheads/__init__.py",
            "release/02_small/02_small.ipynb",
            "tools/setup.sh",
            *FILES,
        )
    }


def test_same_course_gives_the_same_bytes(whole_course: Course, tmp_path: Path) -> None:
    write_bundle(whole_course, tmp_path / "a.zip")
    for path in whole_course.root.rglob("*"):
        path.touch()
    write_bundle(whole_course, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize("name", ["manyheads/helper.py", "release/02_small/notes.txt", "Makefile"])
def test_hidden_line_anywhere_stops_the_bundle(
    whole_course: Course, tmp_path: Path, name: str
) -> None:
    (whole_course.root / name).write_text(f"# a remark\n{HIDDEN}\n", encoding="utf-8")
    with pytest.raises(LeakError, match=rf"{name}, line 2$"):
        write_bundle(whole_course, tmp_path / "b.zip")
    assert list(tmp_path.glob("b.zip")) == []


def test_course_without_a_release_has_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(NotReleasedError, match="holds no lesson yet"):
        write_bundle(Course(tmp_path), tmp_path / "b.zip")


def test_this_course_can_be_bundled(tmp_path: Path) -> None:
    names = write_bundle(REPOSITORY, tmp_path / "b.zip")
    for lesson in released_lessons(REPOSITORY):
        assert f"release/{lesson}/{lesson}.ipynb" in names
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"README.md", "docs", "manyheads", "release", "tools", *FILES}
    assert "docs/glossary.md" in names


def test_contents_are_sorted(whole_course: Course) -> None:
    names = list(bundle_contents(whole_course))
    assert names == sorted(names)


def test_leak_report_does_not_repeat_what_is_hidden(whole_course: Course, tmp_path: Path) -> None:
    (whole_course.root / "Makefile").write_text(HIDDEN, encoding="utf-8")
    with pytest.raises(LeakError) as caught:
        write_bundle(whole_course, tmp_path / "b.zip")
    assert HIDDEN not in str(caught.value)
