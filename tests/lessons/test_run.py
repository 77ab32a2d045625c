"""Lessons run: with the answers in, and as students first open them."""

from __future__ import annotations

from functools import cache

import nbformat
import pytest
from nbclient import NotebookClient

from tests.lessons.conftest import read

pytestmark = pytest.mark.slow


@cache
def executed(folder: str, lesson: str) -> nbformat.NotebookNode:
    """The notebook after Run All; a cell that may not fail stops it, as in JupyterLab."""
    notebook = nbformat.from_dict(read(folder, lesson))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return notebook


def outputs(notebook: nbformat.NotebookNode) -> str:
    """Everything the cells printed or showed as text."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            value = output.get("data", {}).get("text/plain", "")
            found.append(output.get("text", value + "\n"))  # a busy kernel cuts a line in two
    return "".join(found)


def errors(notebook: nbformat.NotebookNode) -> list[str]:
    return [
        f"{cell.metadata.get('nbgrader', {}).get('grade_id')}: {output.evalue}"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]


def test_with_the_answers_in_no_cell_fails(lesson):
    assert errors(executed("source", lesson)) == []


def test_with_the_answers_in_every_check_passes(lesson):
    notebook = executed("source", lesson)
    verdicts = [
        output.data["application/vnd.manyheads.check+json"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "application/vnd.manyheads.check+json" in output.get("data", {})
    ]
    assert verdicts
    assert [v for v in verdicts if v["passed"] is False] == []


def test_run_all_goes_through_the_untouched_release_to_its_end(lesson):
    notebook = executed("release", lesson)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)


def test_in_the_untouched_release_only_graded_tests_fail(lesson):
    notebook = executed("release", lesson)
    for cell in notebook.cells:
        failed = any(output.output_type == "error" for output in cell.get("outputs", []))
        assert not failed or cell.metadata.nbgrader.grade_id.startswith("test_")


# Each row: a statement of the prose, and the line of output that reproduces its number.
NUMBERS = {
    "01_qkv_projections": [
        ("Only row 3", "rows of q that changed: [3]"),
        ("Now shuffle the tokens", "shuffled in, shuffled out: True"),
        ("q = (1, 2, 0, -1)", "q = [1, 2, 0, -1]   head 0: [1, 2]   head 1: [0, -1]"),
        ("k = (1, 2, -1, 0)", "k = [1, 2, -1, 0]   head 0: [1, 2]   head 1: [-1, 0]"),
        ("v = (2, 2, 0, 1)", "v = [2, 2, 0, 1]   head 0: [2, 2]   head 1: [0, 1]"),
        ("x W = (1, 4, 3, 8)", "x @ W   = [1, 4, 3, 8]"),
        ("x W.T = (5, 2, 0, -1)", "x @ W.T = [5, 2, 0, -1]"),
        ("the token's zero hides W_V's 1/2", "x @ W_V = [2.0, 2.0, 1.5, 1.0]"),
        ("`nn.Linear.weight` is stored `[out, in]`", "nn.Linear(12, 8).weight: (8, 12)"),
        ("used transposed", "equals x @ weight.T: True"),
        ("Projection keeps `[2, 5, 12]`", "after projection: (2, 5, 12)"),
        ("the split makes `[2, 3, 5, 4]`", "after the split:  (2, 3, 5, 4)"),
        ("its second piece is the rest of Q", "Equal thirds: Q Q Q Q, Q Q Q Q, K K V V"),
        ("A symmetric W hides a transpose", "symmetric W_K: x @ W equals x @ W.T: True"),
        ("A symmetric W hides a transpose", "the other W: x @ W equals x @ W.T: False"),
        ("Hkv = H hides equal thirds", "Hkv=4: widths [8, 8, 8], equal thirds [8, 8, 8]"),
        (
            "8 columns for Q, then 2 for K, 2 for V",
            "Hkv=1: widths [8, 2, 2], equal thirds [4, 4, 4]",
        ),
        ("H % Hkv == 0", "q (2, 5, 6, 2)   k (2, 5, 3, 2)   H % Hkv = 0"),
        ("normalises q and k per head", "mean square in one head of q: 1.0"),
    ],
    "02_head_split": [
        ("each head receives all five tokens", "inside head 0:    (2, 5, 4)"),
        ("What shrank from 12 to 4", "before the split: (2, 5, 12)"),
        ("Token 1 holds 100 to 107", "[100, 101, 102, 103, 104, 105, 106, 107]"),
        ("Head 0 keeps (100, 101, 102, 103)", "token 1 in head 0:  [100, 101, 102, 103]"),
        ("head 1 keeps (104, 105, 106, 107)", "token 1 in head 1:  [104, 105, 106, 107]"),
        ("T=3, D=8, H=2, so Dh=4", "Q, K, V (3, 4)   P (3, 3)   O (3, 4)"),
        ("Each P is 3 × 3", "P (3, 3)"),
        ("T=3, D=8", "concat: (3, 8)"),
        ("The shapes agree", "shapes agree: True"),
        ("head 0 takes three pieces of token 0", "[  8,   9,  10,  11],\n        [100,"),
        ("One token, or one head", "T=1, H=3: owners agree: True"),
        ("One token, or one head", "T=5, H=1: owners agree: True"),
        ("for every divisor H of D", "H=12  Dh= 1  back at (2, 5, 12)"),
        ("D=2560, 32 heads of 128", "H * Dh = 4096   D = 2560"),
    ],
    "05_concat_and_wo": [
        ("Three tokens of one head", "tokens in that row: [0, 1, 2]"),
        ("Three tokens of one head", "heads in that row:  [0]"),
        ("The shape is right", "shape: (2, 5, 12)"),
        ("Each row keeps its own token", "token 0: [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]"),
        ("Joined: c = (1, 0.2, -0.5, 2)", "c      = [1.0, 0.2, -0.5, 2.0]"),
        ("c W_O = (1, 0.2, 0.5, 2.2)", "c W_O  = [1.0, 0.2, 0.5, 2.2]"),
        ("They add (1, 0.2, 1, 0.2)", "first head adds  [1.0, 0.2, 1.0, 0.2]"),
        ("and (0, 0, -0.5, 2)", "second head adds [0.0, 0.0, -0.5, 2.0]"),
        ("The sum view", "together         [1.0, 0.2, 0.5, 2.2]"),
        ("H*Dh = 12 is not D = 10", "after merge     (2, 5, 12)"),
        ("H*Dh = 12 is not D = 10", "after W_O       (2, 5, 10)"),
        ("a view can't jump", "view size is not compatible"),
        ("it is 17 places", "to feature 0 of head 1: 17"),
        ("equals the sum over heads", "sum over heads equals join, then W_O: True"),
        ("if W_O's blocks follow", "heads and blocks permuted, same output: True"),
        ("if W_O's blocks follow", "heads alone permuted, same output:      False"),
        ("head A weighs cat most (0.290)", "head A: cat 0.290, output 1.001"),
        ("head B sat (0.143)", "head B: sat 0.143, output 0.077"),
        ("mix to (1.024, 0.377)", "mix: [1.024, 0.377]"),
        ("cat 0.358, sat 0.172", "head A: cat 0.358"),
        ("cat 0.358, sat 0.172", "head B: sat 0.172"),
        ("the mix becomes (1.108, 0.515)", "mix: [1.108, 0.515]"),
        ("can't see the last two tokens", "No head gives anything to was, tired."),
        ("(The = the)", "The equals the:    True"),
        ("scores are symmetric", "scores symmetric:  True"),
        ("and so is W_O", "W_O hides a .T:    True"),
        ("Edit this W_O, which isn't symmetric", "with its transpose: [1.024, -0.424]"),
        ("One token, as in the worked example", "T=1, H=3: owners agree: True"),
        ("or one head", "T=5, H=1: owners agree: True"),
        ("here two wrongs cancel", "two wrongs come back: True"),
        ("merge(split(x)) = x", "yours come back:      True"),
        ("H*Dh enters `o_proj`", "weight is stored as [10, 12] so [out, in]"),
    ],
    "06_gqa_merge": [
        (
            "W_O receives H * Dh = 24 and D = 16 comes back",
            "merged (2, 5, 24)  after W_O (2, 5, 16)",
        ),
        (
            "Six query heads still return Dh features each",
            "Hkv=1: K and V (2, 1, 5, 4)  merged (2, 5, 24)",
        ),
        ("Neighbours share: [0, 0, 1, 1, 2, 2]", "interleaved: [0, 0, 1, 1, 2, 2]"),
        ("A tile, [0, 1, 2, 0, 1, 2]", "tiled:       [0, 1, 2, 0, 1, 2]"),
        ("query head h reads K/V head h // n_rep", "and it reads K/V head 0"),
        (
            "the merged row is (1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6)",
            "merged row: [1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]",
        ),
        ("its places 2, 4 and 7: (1, 3, 4)", "after W_O:  [1, 3, 4]"),
        ("Tiled, W_O picks (3, 5, 2)", "after W_O:  [3, 5, 2]"),
        ("it is wrong", "tiled, the same weights:     equal to the usual? False"),
        ("the tile is the same function", "tiled, query heads permuted: equal to the usual? True"),
        ("Hkv = H is multi-head attention (MHA)", "Hkv=6 is MHA: [0, 1, 2, 3, 4, 5] True"),
        ("Hkv = 1 is multi-query attention (MQA)", "Hkv=1 is MQA: [0, 0, 0, 0, 0, 0] True"),
        ("From stored heads to the residual", "token-major  (2, 5, 6, 4)"),
        (
            "head 1 holds tokens 2, 3, 3, 4, 4 of K/V head 0",
            "forced into shape:         (2, 6, 5, 4) head 1: [20, 30, 30, 40, 40]",
        ),
        ("Values are 10 * token + head", "(2, 6, 5, 4) head 1: [0, 10, 20, 30, 40]"),
        ("tokens were repeated", "(2, 3, 10, 4) head 1: [1, 1, 11, 11, 21, 21, 31, 31, 41, 41]"),
        ("Hkv = H and Hkv = 1 hide the tile", " 6    6  True         False"),
        ("Hkv = H and Hkv = 1 hide the tile", " 6    1  True         False"),
        ("n_rep = Hkv hides h // Hkv", "64    8  False        True"),
        ("H = 6, Hkv = 3 hides neither", " 6    3  False        False"),
        ("MHA gives what GQA gave", "equal: True"),
        ("Heads 0 and 1 share a K/V head", "heads 0 and 1 change places: same? True"),
        ("harmless only within a group", "heads 1 and 2 change places: same? False"),
        ("MHA stores 192 bytes a token", "Hkv=6: 192 bytes"),
        ("Hkv = 3 half of that", "Hkv=3: 96 bytes"),
        ("MQA 32", "Hkv=1: 32 bytes"),
        ("MHA stores 192 bytes a token", "96 at Hkv = 3 (GQA); 192 at Hkv = 6 (MHA)"),
        ("SDPA repeats inside", "enable_gqa=True equals repeating: True"),
    ],
}


@pytest.mark.parametrize(
    ("lesson_id", "said", "shown"),
    [(lesson, *row) for lesson, rows in NUMBERS.items() for row in rows],
)
def test_a_number_in_the_prose_is_reproduced_by_a_cell(lesson_id, said, shown):
    notebook = executed("source", lesson_id)
    text = " ".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    assert said.lower() in " ".join(text.split()).lower()
    assert shown in outputs(notebook)
