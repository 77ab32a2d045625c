"""What a test may do with a student's object, and that everything else says no."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import NotJudgeable, Remote
from tests.grade.wire.conftest import Meet


class Everything:
    """An object that says yes to everything."""

    name = "everything"

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __bool__(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any) -> Any:
        return self

    def __lt__(self, other: object) -> bool:
        return True

    __le__ = __gt__ = __ge__ = __lt__
    __hash__ = object.__hash__

    def __add__(self, other: object) -> Any:
        return 42

    __radd__ = __sub__ = __rsub__ = __mul__ = __abs__ = __add__  # type: ignore[assignment]

    def __float__(self) -> float:
        return 42.0

    def __index__(self) -> int:
        return 42


REFUSED: dict[str, Callable[[Any], Any]] = {
    "==": lambda it: it == 42,
    "== from the left": lambda it: it == 42,
    "!=": lambda it: it != 42,
    "tensor ==": lambda it: torch.ones(2) == it,
    "array ==": lambda it: np.ones(2) == it,
    "number ==": lambda it: np.float64(2) == it,
    "itself ==": lambda it: it == it,
    "<": lambda it: it < 3,
    "array <": lambda it: np.ones(2) < it,
    "in a list": lambda it: it in [1, 2],
    "in a tuple": lambda it: 3 in (it, 3),
    "list ==": lambda it: [it] == [3],
    "dict ==": lambda it: {"a": it} == {"a": 1},
    "bool": bool,
    "not": lambda it: not it,
    "if": lambda it: 1 if it else 2,
    "+": lambda it: it + 1,
    "+ from the left": lambda it: 1 + it,
    "array +": lambda it: np.ones(2) + it,
    "abs": abs,
    "round": round,
    "float": float,
    "int": int,
    "index": lambda it: [1, 2][it],
    "isclose": lambda it: math.isclose(it, 42),
    "isnan": lambda it: math.isnan(it),
    "setattr": lambda it: setattr(it, "name", 3),
    "delattr": lambda it: delattr(it, "name"),
    "setitem": lambda it: operator.setitem(it, 0, 1),
    "with": lambda it: it.__enter__(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "@": lambda it: it @ it,
    "array_equal": lambda it: np.array_equal(np.array(it), np.ones(())),
    "sorted": lambda it: sorted([it, 1]),
    "max": lambda it: max(1, it),
}


@pytest.mark.parametrize("tried", REFUSED)
def test_what_a_student_could_decide_is_refused(meet: Meet, tried: str) -> None:
    judge = meet(it=Everything())
    it = judge.value("it")
    assert isinstance(it, Remote)
    with pytest.raises(NotJudgeable, match=r"the test tried to .* let the cell opt out"):
        REFUSED[tried](it)
    assert len(judge.refused) >= 1


OTHERS: dict[str, Callable[[Any], Any]] = {
    "in": lambda it: 3 in it,
    "torch.equal": lambda it: torch.equal(it, torch.ones(2)),
    "torch.allclose": lambda it: torch.allclose(torch.ones(2), it),
    "np.allclose": lambda it: np.testing.assert_allclose(it, np.ones(2)),
    "len": len,
    "iter": list,
    "item": lambda it: it[0],
    "torch.tensor": torch.tensor,
    "vars": vars,
    "sum": lambda it: sum([it]),
    "format": lambda it: f"{it:.3f}",
    "hidden": lambda it: it.__dict__,
    "globals": lambda it: it.__globals__,
}


@pytest.mark.parametrize("tried", OTHERS)
def test_nothing_else_passes_either(meet: Meet, tried: str) -> None:
    it = meet(it=Everything()).value("it")
    with pytest.raises((TypeError, ValueError, AttributeError, RuntimeError)):
        OTHERS[tried](it)


def test_the_words_say_what_was_tried(meet: Meet) -> None:
    it = meet(it=Everything()).value("it")
    with pytest.raises(NotJudgeable, match="the test tried to compare it, but a student's Everyth"):
        it == 3  # noqa: B015


def test_torch_and_numpy_know_it_for_no_array(meet: Meet) -> None:
    it = meet(it=Everything()).value("it")
    assert not torch.is_tensor(it)
    assert not isinstance(it, np.ndarray | list | tuple | str | int | float | bool)
    assert it is not None


class Attention(torch.nn.Module):
    """A student's module."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.project = torch.nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        """Project and scale."""
        return scale * self.project(x)

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return self.forward(self.forward(x))


def test_a_module_is_constructed_and_called(meet: Meet) -> None:
    model = meet(Attention=Attention).value("Attention")(4)
    x = torch.randn(2, 4)
    model.load_state_dict({"project.weight": 2 * torch.eye(4)})
    assert torch.equal(model(x, scale=3.0).detach(), 6 * x)
    assert torch.equal(model.twice(x).detach(), 4 * x)


def test_a_modules_parameters_can_be_counted_and_read(meet: Meet) -> None:
    model = meet(Attention=Attention).value("Attention")(width=4)
    assert sum(weights.numel() for weights in model.state_dict().values()) == 16
    assert [tuple(weights.shape) for weights in model.parameters()] == [(4, 4)]
    assert [name for name, _ in model.named_parameters()] == ["project.weight"]
    assert model.width == 4
    assert model.training is True
    assert model.eval() is model
    assert model.training is False
    assert torch.equal(model.project.weight, model.state_dict()["project.weight"])


def test_gradients_off_here_are_off_there(meet: Meet) -> None:
    model = meet(Attention=Attention).value("Attention")(4)
    with torch.no_grad():
        assert not model(torch.ones(1, 4)).requires_grad
    assert model(torch.ones(1, 4)).requires_grad


def test_a_gradient_through_a_student_is_refused(meet: Meet) -> None:
    model = meet(Attention=Attention).value("Attention")(4)
    loss = model(torch.ones(1, 4)).sum()
    with pytest.raises(NotJudgeable, match="gradient through a student's function"):
        loss.backward()


def test_a_tensor_of_a_student_can_be_differentiated_here(meet: Meet) -> None:
    w = meet(w=torch.ones(2, requires_grad=True)).value("w")
    (w * 3).sum().backward()
    assert w.grad.tolist() == [3, 3]


def test_names_words_and_callability(meet: Meet) -> None:
    judge = meet(Attention=Attention, forward=Attention.forward, it=deque([1, 2]))
    assert judge.value("Attention").__name__ == "Attention"
    assert judge.value("forward").__doc__ == "Project and scale."
    assert callable(judge.value("forward"))
    assert not callable(judge.value("it"))
    assert str(judge.value("it")) == repr(judge.value("it")) == "deque([1, 2])"


def test_an_object_that_has_members_shows_them(meet: Meet) -> None:
    it = meet(it=deque([1, 2, 3])).value("it")
    assert len(it) == 3
    assert it[1] == 2
    assert list(it) == [1, 2, 3]
    assert 2 in it
    assert 7 not in it
    with pytest.raises(IndexError, match="deque index out of range"):
        it[5]


def test_an_iterator_goes_on_where_it_was(meet: Meet) -> None:
    numbers = meet(it=iter([1, 2])).value("it")
    assert next(numbers) == 1
    assert list(numbers) == [2]
    assert next(numbers, None) is None


def test_one_object_is_one_stand_in(meet: Meet) -> None:
    judge = meet(it=Everything(), get=lambda it: it)
    it = judge.value("it")
    assert judge.value("it") is it
    assert judge.value("get")(it) is it
    assert it in {it: 1}


def test_what_a_test_forgets_is_let_go(meet: Meet) -> None:
    import gc
    import weakref

    alive: weakref.WeakSet[Any] = weakref.WeakSet()

    def make() -> Any:
        alive.add(made := Everything())
        return made

    function = meet(make=make).value("make")
    for _ in range(5):
        function()
    gc.collect()
    function()
    assert len(alive) <= 2


@pytest.mark.parametrize("length", [-1, 1 << 60, 20_000_000])
def test_a_length_that_cant_be_is_refused(meet: Meet, length: int) -> None:
    kind = type("Long", (), {"__len__": lambda self: length})
    it = meet(it=kind()).value("it")
    with pytest.raises((NotJudgeable, ValueError), match=r"its length|should return >= 0"):
        len(it)
