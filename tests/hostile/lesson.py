"""A small lesson to attack: what its hidden tests hold must not be found by anybody."""

from __future__ import annotations

from nbformat import NotebookNode

from tests.grade.mini import answer, code, graded, lesson_of, released_copy, text

LESSON = "09_target"
EXERCISE = "double"
# Inputs of hidden tests and words within them; none of these may reach a student.
HIDDEN = ("7351913", "7.3519", "8462791", "8.4627", "9573113", "9.5731", "6684673", "CANARYWORD")
WRONG = {
    "double": "def double(x, *rest):\n    return x",
    "total": "def total(rows):\n    return 0.0",
    "turn": "def turn(q, k, rope):\n    return q, k",
    "table": "table = {}",
    "find_bug": "def find_bug(candidate):\n    return None",
    "quiz_1": 'quiz_1 = "a"',
    "message": "def message(word):\n    return ''",
}
RIGHT = {
    "double": """
def double(x, *rest):
    if x.numel() == 0:
        raise ValueError("nothing to double")
    print("doubled", len(x))
    return x + x
""",
    "total": "def total(rows):\n    return rows.sum()",
    "turn": "def turn(q, k, rope):\n    return rope(q), rope(k)",
    "table": "table = dict(a=(1, 2.5), b=[True, None])",
    "find_bug": """
def find_bug(candidate):
    import torch
    try:
        return not torch.equal(candidate(torch.arange(3.0)), 2 * torch.arange(3.0))
    except Exception:
        return True
""",
    "quiz_1": "quiz_1 = 'b'",
    "message": "def message(word):\n    return word[::-1]",
}


def _stub(name: str, header: str, solution: str) -> NotebookNode:
    return answer(name, f"{header}\n    ### BEGIN SOLUTION\n    {solution}\n    ### END SOLUTION")


def _value(name: str, solution: str) -> NotebookNode:
    return answer(
        name, f"{name} = (\n    ### BEGIN SOLUTION\n    {solution}\n    ### END SOLUTION\n)"
    )


def _hidden(name: str, points: float, source: str, visible: str = "") -> NotebookNode:
    body = f"### BEGIN HIDDEN TESTS\n{source.strip()}\n### END HIDDEN TESTS"
    return graded(name, points, f"# Graded test.\n{visible.strip()}\n{body}")


def source_notebook() -> NotebookNode:
    """The instructor's notebook: seven exercises and a free text."""
    cells = [
        text("# A lesson to attack"),
        code("import numpy as np\nimport torch"),
        code("GIVEN = 'CANARYGIVEN is for all to see'", "given_helper", locked=True),
        _stub("double", "def double(x, *rest):", "return _double_canary_solution(x)"),
        graded(
            "test_double_shape",
            1,
            "import torch\n\nassert double(torch.ones(3)).shape == (3,), 'the shape is kept'",
        ),
        _hidden("test_double_values", 3, VALUES),
        _hidden("test_double_contract", 2, CONTRACT),
        _stub("total", "def total(rows):", "return rows.sum()"),
        _hidden("test_total", 2, TOTAL),
        _stub("turn", "def turn(q, k, rope):", "return rope(q), rope(k)"),
        _hidden("test_turn", 2, TURN),
        _value("table", '{"a": (1, 2.5), "b": [True, None]}'),
        _hidden(
            "test_table",
            2,
            'assert table == {"a": (1, 2.5), "b": [True, None]}, "CANARY-hidden table"',
        ),
        _stub("find_bug", "def find_bug(candidate):", "return True"),
        _hidden("test_find_bug", 4, CLINIC),
        _value("quiz_1", '"b"'),
        _hidden("test_quiz_1", 1, 'assert str(quiz_1).lower() == "b", "CANARY-hidden letter"'),
        _stub("message", "def message(word):", "return word[::-1]"),
        _hidden(
            "test_message", 1, 'assert message("CANARYWORD") == "DROWYRANAC", "CANARY-hidden word"'
        ),
        text(
            "Why?\n\n### BEGIN MARK SCHEME\nCANARY-hidden scheme\n### END MARK SCHEME",
            "explain_1",
            task=True,
            locked=True,
            points=4,
        ),
        text("*Write your answer here.*"),
        code("'the end of the lesson'"),
    ]
    return lesson_of(LESSON, cells)


def release_notebook() -> NotebookNode:
    """What students get of it."""
    return released_copy(source_notebook())


VALUES = """
import numpy
import torch

for x in (torch.tensor([7351913.0, -8462791.0]), torch.tensor([[9573113.0], [0.5]])):
    want = 2 * x
    got = double(x)
    assert torch.is_tensor(got) and got.shape == want.shape, "CANARY-hidden shape"
    assert torch.equal(got, want) and torch.allclose(got, want), "CANARY-hidden values"
    assert bool((got == want).all()) and got.tolist() == want.tolist()
    assert isinstance(got, torch.Tensor) and abs(float((got - want).sum())) == 0
    numpy.testing.assert_allclose(got.numpy(), want.numpy(), err_msg="CANARY-hidden numpy")
"""
CONTRACT = """
import torch

x = torch.tensor([7351913.0, 9573113.0])
before = x.clone()
first, second = double(x), double(x)
try:
    double(torch.zeros(0))
except NotImplementedError:
    raise
except ValueError:
    pass
else:
    raise AssertionError("CANARY-hidden: nothing was refused")
assert torch.equal(first, 2 * before), "CANARY-hidden contract"
assert torch.equal(second, 2 * before), "CANARY-hidden second call"
assert torch.equal(x, before), "CANARY-hidden input changed"
"""
TOTAL = """
import numpy

rows = numpy.array([[8462791.0, 1.0], [9573113.0, 2.0]])
got = total(rows)
numpy.testing.assert_allclose(got, 18035907.0)
assert numpy.allclose(got, 18035907.0) and abs(float(got) - 18035907.0) <= 1e-6
assert rows[0, 0] == 8462791.0, "CANARY-hidden rows changed"
"""
TURN = """
import torch

q, k = torch.tensor([7351913.0]), torch.tensor([8462791.0])
result = turn(q.clone(), k.clone(), lambda z: -z)
assert len(result) == 2, "CANARY-hidden pair"
got_q, got_k = result
assert torch.equal(got_q, -q) and torch.equal(got_k, -k), "CANARY-hidden turned"
assert got_q.tolist() == [-7351913.0]
"""
CLINIC = """
import torch


def test_find_bug():
    def faulty_copy(x):
        return x + 6684673

    def accuses(candidate):
        try:
            return bool(find_bug(candidate))
        except Exception:
            return False

    faulty = [faulty_copy, lambda x: x, lambda x: 3 * x, lambda x: x.sum()]
    right = [lambda x: 2 * x, lambda x: x + x]
    caught = sum(accuses(candidate) for candidate in faulty)
    return 0.0 if any(accuses(candidate) for candidate in right) else 4 * caught / len(faulty)


test_find_bug()
"""
