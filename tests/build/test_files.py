import json
import os
from pathlib import Path

import pytest

from manyheads.build.drift import MAX_LINES, drift_report
from manyheads.build.files import found_files, read_lessons, stale_files, write_all
from manyheads.course import Course
from manyheads.errors import LessonTextError


def built_notebook(lesson: str, *sources: str) -> bytes:
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": source.splitlines(True)}
        for n, source in enumerate(sources)
    ]
    notebook = {"cells": cells, "metadata": {"manyheads": {"lesson": lesson}}}
    return (json.dumps(notebook, indent=1, sort_keys=True) + "\n").encode()


@pytest.fixture
def built(course: Course) -> dict[Path, bytes]:
    """A course's built files, as they should be; nothing is written."""
    return {
        folder / lesson / f"{lesson}.ipynb": built_notebook(lesson, "x = 1\ny = 2", folder.name)
        for folder in (course.source, course.release)
        for lesson in ("01_double", "02_again")
    }


def test_writing_puts_every_file_in_place(course: Course, built: dict[Path, bytes]) -> None:
    assert write_all(built, []) == sorted(built)
    assert {path: path.read_bytes() for path in found_files(course)} == built


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_written_files_are_readable_by_all_and_writable_by_their_owner(
    built: dict[Path, bytes],
) -> None:
    write_all(built, [])
    assert {path.stat().st_mode & 0o777 for path in built} == {0o644}


def test_a_file_that_is_right_already_is_left_alone(built: dict[Path, bytes]) -> None:
    write_all(built, [])
    first, *others = sorted(built)
    first.write_bytes(b"{}")
    before = {path: path.stat().st_mtime_ns for path in others}
    assert write_all(built, []) == [first]
    assert {path: path.stat().st_mtime_ns for path in others} == before


def test_nothing_is_replaced_when_one_file_can_not_be_written(
    course: Course, built: dict[Path, bytes]
) -> None:
    write_all(built, [])
    newer = {path: content + b" " for path, content in built.items()}
    newer[course.release / "03_blocked" / "03_blocked.ipynb"] = b"{}"
    (course.release / "03_blocked").write_text("a file where a folder should be")
    with pytest.raises(OSError, match="03_blocked"):
        write_all(newer, [])
    assert {path: path.read_bytes() for path in built} == built
    assert not list(course.root.rglob("*.new"))


def test_a_lesson_that_is_gone_is_removed_with_its_folder(
    course: Course, built: dict[Path, bytes]
) -> None:
    write_all(built, [])
    kept = {path: content for path, content in built.items() if "02_again" not in path.stem}
    removed = stale_files(course, kept)
    assert write_all(kept, removed) == sorted(set(built) - set(kept))
    assert not (course.source / "02_again").exists()
    assert sorted(found_files(course)) == sorted(kept)


@pytest.mark.parametrize("name", ["03_mine/03_mine.ipynb", "03_mine/data.csv", "note.txt"])
def test_a_file_that_no_build_made_is_never_removed(
    course: Course, built: dict[Path, bytes], name: str
) -> None:
    write_all(built, [])
    stranger = course.source / name
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text('{"cells": [], "metadata": {}}')
    assert stale_files(course, built) == []
    report = drift_report(course, built)
    assert f"source/{name}: no build made this file; move it out of the folder" in report


@pytest.mark.parametrize("name", ["README.md", ".ipynb_checkpoints/a.ipynb", ".DS_Store"])
def test_what_may_lie_beside_the_built_files_is_no_drift(
    course: Course, built: dict[Path, bytes], name: str
) -> None:
    write_all(built, [])
    beside = course.release / name
    beside.parent.mkdir(exist_ok=True)
    beside.write_text("a")
    assert drift_report(course, built) == ""


def test_a_readme_inside_a_lessons_folder_is_drift(
    course: Course, built: dict[Path, bytes]
) -> None:
    write_all(built, [])
    (course.release / "01_double" / "README.md").write_text("a")
    assert "release/01_double/README.md: no build made this file" in drift_report(course, built)


def test_a_missing_file_is_drift(course: Course, built: dict[Path, bytes]) -> None:
    write_all(built, [])
    sorted(built)[0].unlink()
    report = drift_report(course, built)
    assert "Not what notebooks/ builds: release/01_double/01_double.ipynb\n" in report
    assert "release/01_double/01_double.ipynb: missing" in report


def test_a_notebook_whose_lesson_is_gone_is_drift(course: Course, built: dict[Path, bytes]) -> None:
    write_all(built, [])
    kept = {path: content for path, content in built.items() if "02_again" not in path.stem}
    assert "its lesson is gone from notebooks/; a build removes it" in drift_report(course, kept)


@pytest.mark.parametrize("folder", ["source", "release"])
@pytest.mark.parametrize("lesson", ["01_double", "02_again"])
def test_a_changed_line_is_shown_with_file_cell_and_remedy(
    course: Course, built: dict[Path, bytes], folder: str, lesson: str
) -> None:
    write_all(built, [])
    path = course.root / folder / lesson / f"{lesson}.ipynb"
    path.write_bytes(path.read_bytes().replace(b"y = 2", b"y = 3"))
    report = drift_report(course, built)
    assert report.splitlines()[:2] == [
        f"Not what notebooks/ builds: {folder}/{lesson}/{lesson}.ipynb",
        f"{folder}/{lesson}/{lesson}.ipynb, cell c0:",
    ]
    assert "  -y = 3\n  +y = 2\n" in report
    assert report.endswith(
        "Remedy: run `manyheads build`. To change a lesson, edit its text in notebooks/, "
        "never a built file."
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda content: content + b"\n", "the same cells, other bytes"),
        (lambda content: content.replace(b"\n", b"\r\n"), "the same cells, other bytes"),
        (lambda _: b"no notebook", "the same cells, other bytes"),
        (lambda content: content[: len(content) // 2], "the same cells, other bytes"),
        (lambda content: content.replace(b"01_double", b"01_other"), "the notebook's metadata:"),
        (lambda _: built_notebook("01_double", "x = 1\ny = 2"), ", cell c1:"),
        (
            lambda _: built_notebook("01_double", "x = 1\ny = 2", "source", "z"),
            ", cell c2: not built",
        ),
    ],
    ids=["newline", "crlf", "text", "truncated", "metadata", "cell missing", "cell added"],
)
def test_every_kind_of_change_is_told(
    course: Course,
    built: dict[Path, bytes],
    change: "object",
    told: str,
) -> None:
    write_all(built, [])
    path = course.source / "01_double" / "01_double.ipynb"
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    assert told in drift_report(course, built)


def test_cells_in_another_order_are_told(course: Course, built: dict[Path, bytes]) -> None:
    write_all(built, [])
    path = course.source / "01_double" / "01_double.ipynb"
    notebook = json.loads(path.read_bytes())
    notebook["cells"].reverse()
    path.write_text(json.dumps(notebook))
    assert "the same cells in another order" in drift_report(course, built)


def test_a_long_difference_is_cut(course: Course, built: dict[Path, bytes]) -> None:
    path = course.source / "01_double" / "01_double.ipynb"
    write_all(built, [])
    path.write_bytes(built_notebook("01_double", "\n".join(f"x{n} = 0" for n in range(500))))
    lines = drift_report(course, built).splitlines()
    assert len(lines) == MAX_LINES + 3
    assert lines[-2].startswith("... and ")


def test_a_course_without_lessons_is_refused(course: Course) -> None:
    for path in course.notebooks.glob("*.py"):
        path.unlink()
    with pytest.raises(LessonTextError, match=r"holds no lesson\. Write one there.*Nothing was"):
        read_lessons(course)


def test_broken_rules_of_all_lessons_are_reported_at_once(course: Course) -> None:
    (course.notebooks / "02_again.py").write_text("# %%\nx = 1", encoding="utf-8")
    (course.notebooks / "03_bytes.py").write_bytes(b"# %%\n\xff\n")
    (course.notebooks / "helper.py").write_text("# %%\nx = 1\n", encoding="utf-8")
    with pytest.raises(LessonTextError) as raised:
        read_lessons(course)
    assert [line.split(":")[0] for line in str(raised.value).splitlines()] == [
        "notebooks/03_bytes.py",
        "notebooks/02_again.py",
        "notebooks/helper.py",
        "Nothing was written.",
    ]
