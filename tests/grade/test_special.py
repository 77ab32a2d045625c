"""Where a cell's text is taken as it is, IPython would have made the same of it."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from manyheads.grade.inside.special import is_special

ROOT = Path(__file__).parents[2]
LINES = r"""x = 1|  y||  |%time f()|!ls|f?|?f|a = !ls|b = %time 1|>>> x|...|    ... y|In [1]: x|'''|
|c = (1,|%d)|/f 1|,f 1|;f 1|def f():|	|    return 1|#%%|%%bash|'%s' % x|if a:|   ...: x|f??|\|é"""


@given(st.lists(st.sampled_from(LINES.split("|")), min_size=1, max_size=6).map("\n".join))
def test_a_text_taken_as_it_is_is_what_ipython_makes_of_it(text: str) -> None:
    if not is_special(text):
        ended = text if text.endswith("\n") else f"{text}\n"
        assert TransformerManager().transform_cell(text) == ended


def test_lessons_are_taken_as_they_are() -> None:
    notebooks = sorted((ROOT / "source").glob("*/*.ipynb"))
    cells = [cell for path in notebooks for cell in json.loads(path.read_text("utf-8"))["cells"]]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert sum(map(is_special, code)) < len(code) / 10
