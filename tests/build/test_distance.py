"""What a test can't do from the judge's process is found in its text."""

from __future__ import annotations

import ast

import pytest

from manyheads.build.distance import obstacles
from manyheads.build.imports import imported

STUDENTS = {"f", "model", "Stack", "total"}


def found(text: str, students: set[str] = STUDENTS) -> list[str]:
    tree = ast.parse(text)
    return [one.what for one in obstacles(tree, students, imported(tree))]


CAN = {
    "call and compare": "assert f(3) == 9",
    "read an attribute": "assert model.width == 4",
    "a function's name": "assert f.__name__ == 'f' and f.__doc__",
    "state_dict": "state = model.state_dict()\nmodel.load_state_dict(state)",
    "is None": "assert f(1) is not None",
    "is a type": "assert type(f(1)) is int",
    "is a dtype": "import torch\nassert f(1).dtype is torch.float32",
    "isinstance of plain data": "assert isinstance(f(1), (list, tuple, int | float))",
    "isinstance of arrays": (
        "import numpy as np, torch\nassert isinstance(f(1), (np.ndarray, torch.Tensor))"
    ),
    "a builtin error": "try:\n    f(-1)\nexcept ValueError:\n    pass",
    "numpy's asserts": "import numpy as np\nnp.testing.assert_allclose(f(1), 2)",
    "nose and pytest": (
        "from nose.tools import assert_equal\nimport pytest\nassert_equal(f(1), 1)\n"
        "with pytest.raises(ValueError):\n    f(-1)"
    ),
    "a name of its own that it deletes": "x = f(1)\ndel x",
    "a callback": "assert f(lambda x: x + 1) == 2",
    "a module that it only imports": "import os\nassert f(1) == 1",
    "dir of something": "assert 'push' in dir(Stack)",
}


@pytest.mark.parametrize("text", CAN.values(), ids=CAN.keys())
def test_calls_and_values_can_be_judged(text: str) -> None:
    assert found(text) == []


CAN_NOT = [
    ("del f", "deletes f"),
    ("get_ipython().run_cell('f(1)')", "asks IPython"),
    ("assert 'f' in globals()", "looks into globals()"),
    ("assert 'f' in dir()", "looks into dir()"),
    ("exec('f(1)')", "runs text by exec()"),
    ("eval('f(1)')", "runs text by eval()"),
    ("assert open('out.csv').read()", "opens files"),
    ("import os\nassert os.path.exists('plot.png')", "uses os"),
    ("from pathlib import Path\nassert Path('plot.png').exists()", "uses files"),
    ("import inspect\nassert 'for' in inspect.getsource(f)", "inspects code"),
    ("f.calls = 0\nf(1)", "changes f.calls"),
    ("total['x'] = 3\nf(1)", "changes the content of total"),
    ("setattr(model, 'width', 3)", "calls setattr(model)"),
    ("assert f.__code__.co_argcount == 1", "looks into f.__code__"),
    ("assert isinstance(model, Stack)", "asks isinstance(..., Stack)"),
    (
        "from torch import nn\nassert isinstance(model, nn.Module)",
        "asks isinstance(..., nn.Module)",
    ),
    ("x = [1]\nassert f(x) is x", "asks f(x) is x"),
    ("class Mine(Stack):\n    pass", "derives a class of Stack"),
    ("try:\n    f(1)\nexcept Stack:\n    pass", "catches Stack"),
    ("import pytest\nwith pytest.raises(Stack):\n    f(1)", "catches Stack"),
    ("f(x).sum().backward()", "takes gradients by .backward"),
    ("assert list(model.parameters())", "reads .parameters"),
    ("import matplotlib.pyplot as plt\nassert plt.gcf().axes", "uses objects of matplotlib"),
    ("import pandas as pd\npd.testing.assert_frame_equal(f(1), want)", "uses objects of pandas"),
    (
        "from unittest.mock import patch\nwith patch('builtins.print') as p:\n    f(1)",
        "patches names",
    ),
    (
        "import io\nfrom contextlib import redirect_stdout\nwith redirect_stdout(io.StringIO()):\n"
        "    f(1)",
        "captures what is printed",
    ),
    ("import sys\nsys.stdout = None\nf(1)", "captures what is printed"),
    ("import unittest\nunittest.main()", "lets unittest collect tests of the notebook"),
    ("import doctest\ndoctest.testmod()", "runs doctests of the notebook"),
    ("async def g():\n    await f(1)", "awaits"),
]


@pytest.mark.parametrize(("text", "what"), CAN_NOT, ids=[what for _, what in CAN_NOT])
def test_what_needs_the_students_process_is_named(text: str, what: str) -> None:
    assert what in found(text)


@pytest.mark.parametrize("text", ["x = []\nassert x is x", "class A: pass\nisinstance(A(), A)"])
def test_a_test_that_reads_nothing_of_the_students_may_do_all_that(text: str) -> None:
    assert found(text, set()) == []


def test_the_line_is_told() -> None:
    (obstacle,) = obstacles(ast.parse("f(1)\n\n\ndel f"), STUDENTS, {})
    assert obstacle.line == 4
