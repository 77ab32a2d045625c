"""Where a result is shown: a notebook gets HTML and a picture, a terminal gets plain text."""

from __future__ import annotations

import json
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from manyheads import check
from manyheads.check import display, run
from manyheads.check.result import CHECK_MIME, PROGRESS_MIME
from manyheads.show.grids import Cell, Comparison, Grid

NOTEBOOK = (
    "import matplotlib.pyplot as plt\nfrom manyheads import check",
    "check.split_heads(lambda x, H: x.reshape(x.shape[0], H, x.shape[1], -1))",
    "check.split_heads(lambda x, H: x.unflatten(-1, (H, -1)).transpose(1, 2))",
    "check.rotate_qk(lambda q, k, v, rope: (rope(q), rope(k), rope(v)))",
    "mine = plt.figure()\ncheck.split_heads(lambda x, H: x)\n"
    "assert plt.get_fignums() == [mine.number]\nplt.close(mine)",
    "check.progress('02_head_split')",
)


def test_a_terminal_gets_plain_text_once(capsys):
    result = check.split_heads(lambda x, H: None)
    assert capsys.readouterr().out == result.text + "\n"


@pytest.mark.slow
def test_a_terminal_draws_nothing():
    code = (
        "import sys; from manyheads import check; check.split_heads(lambda x, H: x);"
        "sys.exit('matplotlib.figure' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_the_checks_loads_neither_torch_nor_yaml():
    code = (
        "import sys; import manyheads.check;"
        "sys.exit(' '.join({'torch', 'numpy', 'yaml', 'matplotlib'} & set(sys.modules)) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_fault_of_the_check_becomes_a_result(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(run, "import_module", broken)
    result = check.split_heads(lambda x, H: x)
    assert (result.passed, result.cause) == (None, "check-failed")
    assert "ZeroDivisionError: inside" in result.text


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in NOTEBOOK])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.mark.slow
def test_a_notebook_gets_the_text_first_and_then_the_picture(outputs):
    text, picture = outputs[1]
    assert {"text/html", "text/plain", CHECK_MIME} == set(text.data)
    assert text.data[CHECK_MIME]["cause"] == "direct-view"
    assert set(picture.data) == {"text/html", "text/plain"}


@pytest.mark.slow
def test_the_picture_is_an_explorer_that_says_the_same_in_words(outputs):
    picture = outputs[1][1]
    assert "explorer.mount" in picture.data["text/html"]
    assert "48 of 60 cells differ" in picture.data["text/plain"]
    assert "t1 f0  t1 f1" in picture.data["text/plain"]


@pytest.fixture
def displayed(monkeypatch):
    """Everything that is displayed, as in a kernel."""
    seen = []
    keep = lambda *shown, **rest: seen.append((shown, rest))  # noqa: E731
    monkeypatch.setattr(display, "_notebook_display", lambda: keep)
    return seen


COMPARISON = Comparison([Grid("a", [[Cell("1")]])], [Grid("a", [[Cell("2")]])], "note", "alt")


def test_grading_gets_the_still_picture(displayed, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    display.show_picture(lambda: COMPARISON)
    assert displayed == [((COMPARISON,), {})]


def test_without_explorers_the_still_picture_is_shown(displayed, monkeypatch):
    monkeypatch.setitem(sys.modules, "manyheads.explore.compare", None)
    display.show_picture(lambda: COMPARISON)
    assert displayed == [((COMPARISON,), {})]


def test_the_still_picture_has_an_alternative_text():
    data, notes = COMPARISON._repr_mimebundle_()
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert notes["image/png"]["alt"] == data["text/plain"] == "alt"


@pytest.mark.slow
def test_a_pass_is_shown_once_and_without_a_picture(outputs):
    assert len(outputs[2]) == 1
    assert outputs[2][0].data[CHECK_MIME]["passed"] is True


@pytest.mark.slow
def test_rotate_qk_is_drawn_too(outputs):
    assert "Yours differs in v" in outputs[3][1].data["text/plain"]


@pytest.mark.slow
def test_the_learners_own_figures_stay(outputs):
    assert {output.output_type for output in outputs[4]} == {"display_data"}


@pytest.mark.slow
def test_progress_has_its_own_data(outputs):
    assert json.dumps(outputs[5][0].data[PROGRESS_MIME])
