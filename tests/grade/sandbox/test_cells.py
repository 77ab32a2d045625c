"""Cells that notebooks really hold: in the sandbox they work or fail with words, never hang."""

from __future__ import annotations

import time

import pytest

from manyheads.grade.sandbox import Limits, Sandbox, Student, StudentEnded
from tests.grade.sandbox.conftest import Run, error_of, text_of

pytestmark = pytest.mark.slow

SHOWN = [
    ("1 + 1", "2"),
    ("print('a'); 'b'", "a\n'b'"),
    ("3;", ""),
    ("await __import__('asyncio').sleep(0.01)\n'slept'", "'slept'"),
    ("%time 7", "7"),
    ("%timeit -n 2 -r 2 1 + 1", "ns per loop"),
    ("%%bash\necho from bash", "from bash\n"),
    ("!echo from a shell", "from a shell\n"),
    ("files = !echo caught\nfiles", "['caught']"),
    ("get_ipython().run_line_magic('pwd', '')", "/home/student/work"),
    ("import os; os.write(1, b'by hand') and None", "by hand"),
    ("import subprocess; subprocess.run(['echo', 'a child'], check=True) and None", "a child\n"),
    ("import subprocess, sys; subprocess.run(['echo', 'x'], stdout=sys.stdout) and None", "x\n"),
    ("import sys; sys.stdin.read()", "''"),
    ("from IPython.display import clear_output\nprint(1); clear_output(); print(2)", "2\n"),
    ("shown = display(1, display_id='a'); shown.update(2)", "2"),
    ("exit()", "exit() ends a notebook's kernel. While grading it is skipped"),
    ("quit", "While grading it is skipped"),
    ("%matplotlib qt", "there is no window while grading; figures are drawn inline."),
    ("%matplotlib widget", "there is no window while grading"),
    ("%matplotlib notebook", "there is no window while grading"),
    ("%matplotlib inline", ""),
    ("len?", ""),
    ("import logging; logging.warning('careful')", "WARNING:root:careful"),
    ("import warnings; warnings.warn('careful')", "UserWarning: careful"),
    ("from manyheads import check; check.split_heads(None); check.nothing_like_it(1, a=2)", ""),
    ("import multiprocessing\nmultiprocessing.Pool(2).map(abs, [-1, -2])", "[1, 2]"),
    ("import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__", "'A'"),
    ("import os\nif os.fork() == 0: raise SystemExit\n'the parent'", "'the parent'"),
]
FAILING = [
    ("1 / 0", "ZeroDivisionError"),
    ("def f(:", "SyntaxError"),
    ("  x = 1\n y = 2", "IndentationError"),
    ("raise SystemExit(0)", "SystemExit"),
    ("import sys; sys.exit('bye')", "SystemExit"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("raise GeneratorExit", "GeneratorExit"),
    ("raise ExceptionGroup('many', [ValueError(1)])", "ExceptionGroup"),
    ("%no_such_magic", "UsageError"),
    ("class A:\n    def __repr__(self): raise ValueError('no')\nA()", "ValueError"),
    ("input('your name? ')", "StdinNotImplementedError"),
    ("import getpass; getpass.getpass()", "StdinNotImplementedError"),
    ("breakpoint()", "StdinNotImplementedError"),
    ("1 / 0", "ZeroDivisionError"),
    ("class E(Exception):\n    def __str__(self): raise E\nraise E", "E"),
    ("%%bash\nexit 3", "CalledProcessError"),
    ("import no_such_module", "ModuleNotFoundError"),
    ("get_ipython().events.callbacks = None", "TypeError"),
]


@pytest.mark.parametrize(("source", "words"), SHOWN, ids=[source[:30] for source, _ in SHOWN])
def test_cell_works(run: Run, source: str, words: str) -> None:
    result = run(source)
    assert words in text_of(result), result
    assert not result.failed, result
    assert text_of(run("'still here'")) == "'still here'"


@pytest.mark.parametrize(("source", "name"), FAILING, ids=[source[:30] for source, _ in FAILING])
def test_cell_fails_and_later_cells_run(run: Run, source: str, name: str) -> None:
    result = run(source)
    assert error_of(result) == name, result
    assert result.failed


def test_a_cell_after_a_failed_one_runs(run: Run) -> None:
    run("1 / 0")
    assert text_of(run("'still here'")) == "'still here'"


def test_input_says_why(run: Run) -> None:
    (error,) = run("input()").outputs
    assert "nobody is there while a notebook is graded" in error["evalue"]


def test_pip_install_fails_at_once(run: Run) -> None:
    started = time.monotonic()
    assert "No matching distribution found" in text_of(run("%pip install no-such-package-here"))
    assert "No matching distribution found" in text_of(run("!pip install no-such-package-here"))
    assert time.monotonic() - started < 15


def test_figure_is_drawn_at_the_end_of_its_cell_and_closed(run: Run) -> None:
    result = run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    assert [sorted(one["data"]) for one in result.outputs] == [["image/png", "text/plain"]]
    assert text_of(run("plt.get_fignums()")) == "[]"


def test_shown_figure_is_drawn_once(run: Run) -> None:
    result = run("import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show(); print('after')")
    assert [one["output_type"] for one in result.outputs] == ["display_data", "stream"]


@pytest.mark.parametrize("magic", ["", "%matplotlib inline\n"])
def test_undrawn_figure_is_closed_and_costs_no_picture(student: Student, magic: str) -> None:
    source = f"{magic}import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    assert student.run_cell(source, draw=False).outputs == []
    assert text_of(student.run_cell("plt.get_fignums()", draw=False)) == "[]"


def test_undrawn_cell_computes_plain_text_alone(student: Student) -> None:
    source = (
        "class Rich:\n"
        "    def _repr_html_(self): 1 / 0\n"
        "    def _repr_mimebundle_(self, **_): 1 / 0\n"
        "    def __repr__(self): return 'plain'\n"
        "display(Rich()); Rich()"
    )
    result = student.run_cell(source, draw=False)
    assert [one["data"] for one in result.outputs] == [{"text/plain": "plain"}] * 2


def test_rich_representations_are_kept(run: Run) -> None:
    result = run("from IPython.display import HTML, Image\ndisplay(HTML('<b>a</b>'))")
    assert result.outputs[0]["data"]["text/html"] == "<b>a</b>"


def test_widgets_do_not_hang(run: Run) -> None:
    pytest.importorskip("ipywidgets")
    source = "from ipywidgets import interact\n@interact(x=(0, 4))\ndef shown(x): print(x)"
    assert "2\n" in text_of(run(source))


def test_a_million_displays_end_in_seconds(student: Student) -> None:
    result = student.run_cell("for i in range(1_000_000): display(i)", draw=True, seconds=20)
    assert len(result.outputs) == Limits().outputs + 1
    assert "output cut here: more than 500 outputs" in text_of(result)


def test_output_in_bulk_is_cut(run: Run) -> None:
    result = run("print('x' * 50_000_000)")
    (stream,) = result.outputs
    assert len(stream["text"]) < 1.1 * 1024**2
    assert stream["text"].endswith("... output cut here: more than 1 MiB\n")
    assert not result.failed


def test_output_of_other_programs_in_bulk_is_cut(run: Run) -> None:
    result = run("import subprocess; subprocess.run(['head', '-c', '5000000', '/dev/zero']);")
    assert len(text_of(result)) < 1.1 * 1024**2


def test_files_of_the_submission_are_beside_the_notebook(sandbox: Sandbox) -> None:
    with sandbox.start({"data/x.csv": b"1,2", "helper.py": b"NUMBER = 42"}) as student:
        assert text_of(student.run_cell("open('data/x.csv').read()", draw=False)) == "'1,2'"
        source = "import helper; helper.NUMBER"
        assert text_of(student.run_cell(source, draw=False)) == "42"


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", "a//b", "./a", "a\0b"])
def test_file_that_leads_out_is_refused(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ValueError, match="leads out of the submission's folder"):
        sandbox.start({name: b""})


def test_file_that_has_a_file_for_a_folder_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="has another file for a folder"):
        sandbox.start({"a": b"", "a/b": b""})


@pytest.mark.parametrize("files", [{"a": bytes(17 * 2**20)}, {f"{n}": b"" for n in range(5001)}])
def test_files_that_do_not_fit_are_refused(sandbox: Sandbox, files: dict[str, bytes]) -> None:
    with pytest.raises(ValueError, match=r"came with the notebook; at most 5000 with 16 MiB"):
        sandbox.start(files)


RANDOM = "import random, numpy as np, torch\n(random.random(), np.random.rand(), torch.rand(1))"


def test_same_submission_draws_the_same_numbers(sandbox: Sandbox) -> None:
    drawn = []
    for files in ({"a": b"1"}, {"a": b"1"}, {"a": b"2"}):
        with sandbox.start(files) as student:
            drawn.append(text_of(student.run_cell(RANDOM, draw=False)))
    assert drawn[0] == drawn[1] != drawn[2]


def test_environment_is_a_students(run: Run) -> None:
    source = "import os; [os.environ.get(name) for name in ('HOME', 'USER', 'NBGRADER_EXECUTION')]"
    assert text_of(run(source)) == "['/home/student', 'student', 'autograde']"


def test_torch_has_one_thread(run: Run) -> None:
    assert text_of(run("import torch; torch.get_num_threads()")) == "1"


OWN = "lambda lines: [line.replace('two', '2') for line in lines]"


@pytest.mark.parametrize("when", ["cleanup", "post"])
def test_a_students_own_transformation_holds(run: Run, when: str) -> None:
    run(f"get_ipython().input_transformers_{when}.append({OWN})")
    assert text_of(run("x = 3\nx + two")) == "5"


TRACES = {
    "In": "['', 'In']",
    "Out": "{}",
    "sorted({*globals()} - {*get_ipython()._new} - {'_i1', '_i', '_ii', '_iii'})": "[]",
    "sorted({*get_ipython()._new} - {*globals()})": "[]",
    "_i, _ii, _iii, _, __, ___": "('', '', '', '', '', '')",
    "__import__('matplotlib').pyplot.get_fignums()": "[]",
    "[n for n in ('last_value', 'last_exc') if hasattr(__import__('sys'), n)]": "[]",
}


@pytest.mark.parametrize(("expression", "value"), TRACES.items())
def test_nothing_is_left_of_what_was_rehearsed(run: Run, expression: str, value: str) -> None:
    assert text_of(run(expression)) == value


def test_the_first_cell_is_number_one(run: Run) -> None:
    assert [run("1").outputs[0]["execution_count"] for _ in range(2)] == [1, 2]


def test_a_cell_run_for_what_it_defines_shows_nothing(student: Student) -> None:
    student.define("print('unseen')\nx = 3", 10)
    student.define("%time y = x + 1", 10)
    student.define("raise SystemExit", 10)
    student.define("def f(:", 10)
    assert (student.peer.value("x"), student.peer.value("y")) == (3, 4)
    assert text_of(student.run_cell("print('seen')", draw=False)) == "seen\n"


ENDS = [("import os; os._exit(3)", "exit"), ("while True: pass", "time")]


@pytest.mark.parametrize(("source", "kind"), ENDS)
def test_a_cell_run_for_what_it_defines_may_end_its_process(
    student: Student, source: str, kind: str
) -> None:
    with pytest.raises(StudentEnded) as ended:
        student.define(source, 1)
    assert ended.value.kind == kind
