"""What the texts of cells tell of each other: what stays as it is, and what needs what."""

from __future__ import annotations

import pytest

from manyheads.grade.run.ahead import Outlook
from manyheads.grade.run.plain import plain
from manyheads.grade.run.slices import needed

F = "def f(x):\n    return torch.abs(x)"

STAYS = {
    "nothing": ([], True),
    "the same import": (["import torch"], True),
    "the same import deeper": (["import torch.nn"], True),
    "the same name for it": (["import torch as torch"], True),
    "another import": (["import numpy as torch"], False),
    "a part of it": (["from torch import nn as torch"], False),
    "an import and more": (["import torch\ntorch = None"], False),
    "an import that may fail": (
        ["try:\n    import torch\nexcept OSError:\n    torch = 0"],
        False,
    ),
    "one of its parts": (["import torch\ntorch.abs = None"], False),
    "deleted": (["del torch"], False),
    "in a loop": (["for torch in range(3):\n    pass"], False),
    "inside a function": (["def g():\n    global torch\n    torch = 0"], False),
    "a function of that name": (["def torch(): pass"], False),
    "a local of that name": (["def g():\n    torch = 0\n    return torch"], True),
    "no Python": (["torch = ("], True),
    "awaited": (["torch = await f()"], False),
    "in an awaited loop": (["async for torch in f():\n    pass"], False),
    "a star": (["from os import *"], False),
    "a return": (["return torch"], True),
    "a shell line": (["!echo torch = 0"], True),
    "a shell line that computes": (["!echo {setattr(torch, 'abs', 0)}"], False),
    "a timed line": (["%time torch = 0"], False),
    "a timed cell": (["%%time\ntorch = 0"], False),
    "a timed cell of others": (["%%time\nx = f(0)"], True),
    "any magic": (["%run other.py"], False),
    "pasted prompts": ([">>> torch = 0"], False),
    "indented": (["  torch = 0"], False),
}


SETTERS = {
    "a global": "def use(new):\n    global factor\n    factor = new",
    "an item": "def use(new):\n    factor[0] = new",
    "an attribute": "def use(new):\n    factor.value = new",
    "a method": "def use(new):\n    factor.append(new)",
    "a method of torch's": "def use(new):\n    factor.fill_(new)",
    "a lambda": "use = lambda new: factor.update(new)",
    "deleted": "def use(_):\n    del factor[0]",
    "deeper": "def inner(n):\n    factor.pop(n)\ndef use(new):\n    inner(new)",
    "a class": "class Use:\n    def __init__(self, new):\n        factor.add(new)\nuse = Use",
}


@pytest.mark.parametrize("setter", SETTERS.values(), ids=SETTERS)
def test_a_later_cell_may_change_data_by_a_function(setter: str) -> None:
    cells = ["factor = [2]", "def f(x):\n    return factor", setter, "print(f(1))", "use(3)"]
    assert not Outlook(cells).stays(["f"], 3)
    assert Outlook(cells[:-1]).stays(["f"], 3)
    assert needed(cells, ["f"]) == (*cells[:3], cells[-1])


MADE_OF = {
    "an alias": ("def g(x):\n    return x + order\nf = g", "order = 3"),
    "partial": ("def g(x):\n    return x + order\nf = partial(g, 1)", "order = 3"),
    "a decorator": ("@g\ndef f(x):\n    return x", "def g(h):\n    return h"),
    "what a decorator reads": (
        "def g(h):\n    return lambda x: h(x) + order\n@g\ndef f(x):\n    return x",
        "order = 3",
    ),
    "an object": ("class G:\n    n = 1\nf = G()", "G.n = 2"),
    "a base": ("class G:\n    n = 1\nclass f(G):\n    pass", "G.n = 2"),
    "a default": ("def f(x, n=order):\n    return x + n[0]", "order[0] = 2"),
    "an alias under a condition": ("if True:\n    f = g", "g.n = 2"),
    "an alias of an alias": ("h = g\nf = h", "g.n = 2"),
    "a name of many": ("e, f = h, g", "g.n = 2"),
}


@pytest.mark.parametrize(("answer", "later"), MADE_OF.values(), ids=MADE_OF)
def test_what_an_answer_is_made_of_may_change(answer: str, later: str) -> None:
    assert not Outlook([answer, later]).stays(["f"], 1)
    assert Outlook([answer, "other = 3\nprint(other)"]).stays(["f"], 1)


@pytest.mark.parametrize(("later", "stays"), STAYS.values(), ids=STAYS)
def test_what_a_later_cell_leaves_alone(later: list[str], stays: bool) -> None:
    assert Outlook(["import torch", F, *later]).stays(["f"], 2) is stays


DEEP = {
    "minus": "x = " + "-" * 5_000 + "1",
    "plus": "x = " + "+".join(["1"] * 5_000),
    "calls": "x = f" + "()" * 20_000,
    "elif": "if a:\n    pass\n" + "elif a:\n    pass\n" * 5_000,
    "lambda": "x = " + "lambda: " * 5_000 + "1",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deep_to_be_read_may_do_anything(text: str) -> None:
    assert not Outlook(["import torch", F, text]).stays(["f"], 2)


NEEDED = {
    "what it reads": (["import torch", "import numpy", F], [0, 2]),
    "what that reads": (
        ["a = 1", "def g():\n    return a", "def f():\n    return g()"],
        [0, 1, 2],
    ),
    "what comes later": (["def f():\n    return g()", "def g():\n    return 1", "b = 2"], [0, 1]),
    "not what others read": (["a = 1", "b = a", "def f():\n    return 1"], [2]),
    "data changed later": (["c = []", "c.append(1)", "d = 1", "def f():\n    return c"], [0, 1, 3]),
    "attributes set": (["def f():\n    return f.n", "f.n = 3", "g = 1"], [0, 1]),
    "another version": (["def f():\n    return 1", "def f():\n    return 2"], [0, 1]),
    "libraries changed": (["import torch", "torch.abs = None", "print(1)", F], [0, 1, 3]),
    "what nobody can tell": (["%run a.py", "x = 1", "def f():\n    return 1"], [0, 2]),
    "no line alone": (["print(f(1))", "def f(x):\n    return x", "!ls"], [1]),
    "defaults": (["n = 3", "def f(x=n):\n    return x"], [0, 1]),
    "decorators": (["import functools", "@functools.cache\ndef f(x):\n    return x"], [0, 1]),
    "a class of it": (["class A:\n    pass", "def f():\n    return A()"], [0, 1]),
    "nothing of that name": (["x = 1"], []),
}


@pytest.mark.parametrize(("cells", "places"), NEEDED.values(), ids=NEEDED)
def test_the_cells_that_a_function_needs(cells: list[str], places: list[int]) -> None:
    assert needed(cells, ["f"]) == tuple(cells[place] for place in places)


PLAIN = {
    "x = 1": "x = 1",
    "%matplotlib inline\nx = 1": "pass\nx = 1",
    "if a:\n    !ls\n    %pip install torch": "if a:\n    pass\n    pass",
    "%%time\nx = 1": "x = 1",
    "x = (": "",
    "x = 1\x00": "",
    "files = !ls": None,
    "f?": None,
    "%%bash\nls": None,
    "%timeit f(1)": None,
    "\n  x = 1": None,
}


@pytest.mark.parametrize(("text", "python"), PLAIN.items())
def test_python_without_ipythons_lines(text: str, python: str | None) -> None:
    assert plain(text) == python
