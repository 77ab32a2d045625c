from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from manyheads.build.rules import violations
from manyheads.build.text import (
    Lesson,
    Violation,
    after_save,
    notebook_bytes,
    read_lesson,
    to_notebook,
)
from manyheads.errors import LessonTextError

Read = Callable[[str], Lesson]
Write = Callable[..., str]


def test_the_example_lesson_breaks_no_rule(lesson_of: Read, write: Write) -> None:
    assert violations(lesson_of(write())) == []


def test_every_source_line_is_found_in_the_text_at_its_number(
    lesson_of: Read, write: Write
) -> None:
    spaced = "# %%\n\nx = 1\n# %time x\n\n\n# %%\n"
    quoted = '# %% [markdown]\n"""\nIn quotes\n\nlast line\n"""\n'
    lesson = lesson_of(write(given=spaced, answer=quoted))
    lines = lesson.text.splitlines()
    seen = 0
    for cell in lesson.cells:
        for number, line in enumerate(cell.source.split("\n"), start=1):
            assert line.strip() in lines[cell.line(number) - 1]
            seen += bool(line.strip())
    assert seen > 30


def test_a_cell_knows_the_line_of_its_header(lesson_of: Read, write: Write) -> None:
    lesson = lesson_of(write())
    lines = lesson.text.splitlines()
    assert all(lines[cell.header - 1].startswith("# %%") for cell in lesson.cells)


def test_a_cells_id_is_its_grade_id_or_lesson_and_ordinal(lesson_of: Read, write: Write) -> None:
    ids = [cell.id for cell in to_notebook(lesson_of(write())).cells]
    assert ids == [
        "01_double-001",
        "predict_1",
        "helper",
        "double",
        "test_double_values",
        "quiz_1",
        "test_quiz_1",
        "explain_1",
        "01_double-009",
    ]


def test_the_notebook_is_valid_and_of_the_fixed_form(lesson_of: Read, write: Write) -> None:
    notebook = to_notebook(lesson_of(write()))
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "manyheads": {"lesson": "01_double"},
    }
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_what_jupytext_notes_for_itself_is_left_out(lesson_of: Read, write: Write) -> None:
    quoted = '# %% [markdown]\n"""\nIn quotes\n"""\n\n\n'
    lesson = lesson_of(write(given=quoted))
    assert any("cell_marker" in cell.node.metadata for cell in lesson.cells)
    assert {k for c in to_notebook(lesson).cells for k in c.metadata} == {"nbgrader", "tags"}


def test_the_same_text_gives_the_same_bytes(lesson_of: Read, write: Write) -> None:
    first, second = (notebook_bytes(to_notebook(lesson_of(write()))) for _ in range(2))
    assert first == second
    assert first.endswith(b"}\n")
    assert not first.endswith(b"\n\n")


def test_saving_in_jupyterlab_leaves_the_text_as_it_is(lesson_of: Read, write: Write) -> None:
    lesson = lesson_of(write())
    assert after_save(lesson) == lesson.text


def test_a_text_without_a_header_is_left_as_it_is_too(lesson_of: Read) -> None:
    lesson = lesson_of("# %% [markdown]\n# Title\n\n# %%\nx = 1\n")
    assert after_save(lesson) == lesson.text


@pytest.mark.slow
def test_jupyterlab_itself_leaves_the_text_as_it_is(tmp_path: Path, write: Write) -> None:
    from jupyter_server.services.contents.largefilemanager import LargeFileManager
    from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

    (tmp_path / "01_double.py").write_text(write(), encoding="utf-8", newline="\n")
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)()
    manager.root_dir = str(tmp_path)
    model = manager.get("01_double.py", type="notebook")
    model["content"]["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    manager.save(model, "01_double.py")
    assert (tmp_path / "01_double.py").read_text(encoding="utf-8") == write()


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "01_double.py"
    path.write_bytes(b"# %% [markdown]\n# \xff\n")
    with pytest.raises(LessonTextError, match=r"nb/01\.py:1: the file is not UTF-8 .* save it as"):
        read_lesson(path, "nb/01.py")


def test_a_file_header_that_jupytext_trips_over_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "01_double.py"
    header = "# ---\n# jupyter:\n#   jupytext: 3\n# ---\n"
    path.write_text(f"{header}\n# %%\nx = 1\n", encoding="utf-8")
    with pytest.raises(LessonTextError, match=r"01_double\.py:1: jupytext can't read the file"):
        read_lesson(path)


def test_a_violation_reads_as_place_fault_and_remedy() -> None:
    assert Violation(3, "it is wrong", "mend it").at("a.py") == (
        "a.py:3: it is wrong. Remedy: mend it."
    )
