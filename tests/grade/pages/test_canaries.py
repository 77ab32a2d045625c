"""Nothing hidden is in any file that a student receives, whatever the student's code does with it.

Hidden tests never enter the student's process, and what they pass to the student's functions is met
in a copy of it that is thrown away. So there is nothing to encode: the encodings are looked for all
the same.
"""

from __future__ import annotations

import base64
import codecs
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.grade import grade_class
from tests.classroom import find, index, read
from tests.grade.mini import LESSON, code, make_course, source_notebook, student

pytestmark = pytest.mark.slow

NUMBER = "918273645"
WORDS = "hidden words of the instructor"
LINE = f"numbers = np.full((1, 2, 4), {NUMBER}.0)"
HIDDEN = f"""
### BEGIN HIDDEN TESTS
import numpy as np

{LINE}
assert split_heads(numbers, 2).shape == (1, 2, 2, 2), "{WORDS}"
assert split_heads(numbers, 2).max() == {NUMBER}
### END HIDDEN TESTS
"""
LATER = "print(seen, In[-3:], [repr(value) for value in list(globals().values())])"
CARRIES = {
    "prints": "print(x)",
    "raises": "raise ValueError(f'{x} {x.max():.0f}')",
    "keeps": "seen.append(x)",
    "keeps a copy": "seen.append(x.tolist())",
    "writes a file": "open('seen.txt', 'a').write(str(x.max()))",
    "sets the environment": "import os; os.environ['SEEN'] = str(x.max())",
    "sets a default": "split_heads.__defaults__ = (x,)",
    "warns": "import warnings; warnings.warn(str(x.max()))",
    "encodes": "import base64; print(base64.b64encode(str(x.max()).encode()), str(x.max())[::-1])",
    "displays": "from IPython.display import display, HTML; display(HTML(f'<b>{x.max()}</b>'))",
    "looks at its caller": "import sys; seen.append(dict(sys._getframe(1).f_locals))",
}
SEES = """
import os, pathlib
print(os.environ.get('SEEN'), [path.read_text() for path in pathlib.Path().glob('*.txt')])
"""
READINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "reversed": lambda text: text[::-1],
    "base64": lambda text: base64.b64encode(text.encode()).decode().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "compressed": lambda text: base64.b64encode(zlib.compress(text.encode())).decode(),
    "with commas": lambda text: f"{int(text):,}" if text.isdigit() else text.replace(" ", ","),
    "as numpy prints it": lambda text: f"{int(text):.8e}" if text.isdigit() else text,
}
STUDENTS = {name: f"s{number:02}" for number, name in enumerate(CARRIES, start=1)}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    source = source_notebook()
    find(source, "test_split_heads_values").source = HIDDEN.strip()
    submissions = {}
    for name, line in CARRIES.items():
        wrong = f"seen = []\n\n\ndef split_heads(x, num_heads, *more):\n    {line}\n    return x"
        notebook = student(split_heads=wrong)
        for cell in (code(SEES), code(LATER)):
            notebook.cells.insert(index(notebook, "rotate_qk"), cell)
        submissions[STUDENTS[name]] = notebook
    course = make_course(tmp_path_factory.mktemp("canaries") / "course", submissions, source)
    report = grade_class(course, [LESSON], lambda *_: None)
    assert report.failures == []
    return course


def seen_by_student(course: Course, name: str) -> str:
    """All that a student receives, and all outputs of their own cells in the graded notebook."""
    files = (course.feedback / STUDENTS[name]).rglob("*")
    texts = [path.read_text(encoding="utf-8") for path in files if path.is_file()]
    graded = read(notebook_path(course.autograded / STUDENTS[name], LESSON))
    own = [cell for cell in graded.cells if not cell.metadata.get("nbgrader", {}).get("grade")]
    assert len(texts) == 1
    return "\n".join(
        [*texts, *(str(cell.get("outputs", "")) for cell in own), str(graded.metadata)]
    )


@pytest.mark.parametrize("name", CARRIES)
def test_no_hidden_input_and_no_hidden_word_comes_out(course: Course, name: str) -> None:
    text = seen_by_student(course, name)
    for hidden in (NUMBER, WORDS, LINE):
        for how, reading in READINGS.items():
            assert reading(hidden) not in text, how


def test_these_students_did_run_and_lost_their_points(course: Course) -> None:
    for name in CARRIES:
        text = seen_by_student(course, name)
        assert "0 of 3 points: the tests of split_heads failed" in text
    assert Path(course.root / "grades.csv").is_file()
