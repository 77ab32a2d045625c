import pytest

from manyheads.build.standalone import foreign_names

STANDS_ALONE = {
    "imports": "import torch.nn as nn\nfrom math import pi\nnn.Linear(pi)",
    "dotted import": "import torch.nn.functional\ntorch.ones(2)",
    "comprehension": "xs = [1]\n[x + y for x in xs for y in range(x)]",
    "nested function": "def f(a):\n    def g(b):\n        return a + b\n    return g\nf(1)(2)",
    "recursion": "def f(n):\n    return f(n - 1) if n else 0\nf(2)",
    "mutual recursion": "def f(n):\n    return n and g(n)\ndef g(n):\n    return f(n)\nf(2)",
    "default argument": "k = 2\ndef f(a, b=k, *c, d=k, **e):\n    return a, b, c, d, e",
    "lambda": "k = 2\nf = lambda x: x + k\nf(1)",
    "class": "class A:\n    n = 2\n    m = n + 1\n    def f(self):\n        return A.n\nA().f()",
    "walrus": "if (n := len('a')) > 0:\n    print(n)",
    "walrus in a comprehension": "[y := x for x in range(2)]\nprint(y)",
    "both branches": "if True:\n    x = 1\nelse:\n    x = 2\nprint(x)",
    "branch that leaves": "if len('a'):\n    x = 1\nelse:\n    raise ValueError\nprint(x)",
    "try": "try:\n    int()\nexcept ValueError as e:\n    r = str(e)\nelse:\n    r = 1\nprint(r)",
    "with": "with open('a') as f, open('b') as g:\n    x = f.read() + g.read()\nprint(x)",
    "loop": "for i, (a, b) in enumerate([(1, 2)]):\n    print(i, a, b)",
    "match": "match [1, 2]:\n    case [a, *b] if a:\n        print(a, b)",
    "delete": "x = 1\ndel x",
    "annotation": "x: int = 1\nprint(x)",
    "subscript": "x = [1]\nx[0] = 2\nx[0] += len(x)",
    "slice": "x, t = [1], 0\nx[:, t] = 2\nx[1:, t] += len(x)\nx[..., :t] = 3",
    "star": "first, *rest = [1, 2]\nprint(first, rest)",
    "f-string": "x = 1\nprint(f'{x:>{x}}')",
    "nothing but a comment": "# run when graded",
}
FOREIGN = {
    "plain": ("print(helper)", {"helper": 1}),
    "attribute": ("torch.ones(2)", {"torch": 1}),
    "before its assignment": ("y = x\nx = 1", {"x": 1}),
    "augmented": ("x += 1", {"x": 1}),
    "augmented slice": ("x[:, t] += 1", {"x": 1, "t": 1}),
    "in a function": ("def f():\n    return H\nf()", {"H": 3}),
    "in a function never called": ("def f():\n    return H", {"H": 1}),
    "in a function called too early": ("def f():\n    return H\nf()\nH = 1", {"H": 3}),
    "in a lambda": ("f = lambda x: x + H", {"H": 1}),
    "in a comprehension": ("[x * H for x in range(2)]", {"H": 1}),
    "a comprehension's variable": ("print([x for x in [1]])\nprint(x)", {"x": 2}),
    "a set's and a dict's": ("{x for x in [1]}, {y: 1 for y in [1]}\nx, y", {"x": 2, "y": 2}),
    "iterated under the same name": ("print([x for x in x])", {"x": 1}),
    "in a comprehension in a function": (
        "def f():\n    return [x for x in [1]] + x\nf()",
        {"x": 3},
    ),
    "iterated": ("[x for x in xs]", {"xs": 1}),
    "in a class body": ("class A:\n    n = H", {"H": 2}),
    "in a method": ("class A:\n    def f(self):\n        return H\nA()", {"H": 4}),
    "a class's own name in a method": (
        "class A:\n    n = 1\n    def f(self):\n        return n\nA()",
        {"n": 5},
    ),
    "default": ("def f(x=H):\n    return x", {"H": 1}),
    "decorator": ("@cached\ndef f():\n    return 1", {"cached": 1}),
    "base class": ("class A(Base):\n    pass", {"Base": 1}),
    "deleted": ("x = 1\ndel x\nprint(x)", {"x": 3}),
    "deleting what isn't there": ("del x", {"x": 1}),
    "one branch": ("if len('a'):\n    x = 1\nprint(x)", {"x": 3}),
    "loop's body": ("for i in range(0):\n    x = i\nprint(x)", {"x": 3}),
    "loop's variable": ("for i in range(0):\n    pass\nprint(i)", {"i": 3}),
    "handler's name": ("try:\n    pass\nexcept ValueError as e:\n    pass\nprint(e)", {"e": 5}),
    "try's body": ("try:\n    x = 1\nexcept ValueError:\n    pass\nprint(x)", {"x": 5}),
    "while": ("while len('a'):\n    x = 1\nprint(x)", {"x": 3}),
    "one case": ("match 1:\n    case 1:\n        x = 1\nprint(x)", {"x": 4}),
    "keyword": ("print(end=H)", {"H": 1}),
    "subscript target": ("table[0] = 1", {"table": 1}),
    "attribute target": ("thing.x = 1", {"thing": 1}),
    "index": ("x = [1]\nx[k] = 1", {"k": 2}),
    "f-string": ("print(f'{H}')", {"H": 1}),
    "star import": ("from torch import *", {"*": 1}),
    "global in a function": ("def f():\n    global n\n    n = 1\nf()\nprint(n)", {"n": 5}),
    "annotation only": ("x: int\nprint(x)", {"x": 2}),
    "globals": ("globals()['helper']", {"globals": 1}),
    "notebook's display": ("display(1)", {"display": 1}),
    "underscore": ("print(_)", {"_": 1}),
    "assert": ("assert double(1) == 2", {"double": 1}),
    "annotated argument": ("def f(x: Tensor):\n    return x", {"Tensor": 1}),
    "async": ("async def f():\n    return H", {"H": 1}),
    "with": ("with manager() as m:\n    print(m)", {"manager": 1}),
}


@pytest.mark.parametrize("code", STANDS_ALONE.values(), ids=STANDS_ALONE)
def test_code_that_stands_alone_has_no_foreign_name(code: str) -> None:
    assert foreign_names(code) == {}


@pytest.mark.parametrize(("code", "names"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_name_is_found_at_its_line(code: str, names: dict[str, int]) -> None:
    assert foreign_names(code) == names
