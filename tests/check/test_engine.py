"""The engine runs a learner's function safely and reads its result as plain data."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from manyheads.check.engine import call, outcome_of, same, takes


class Liar(torch.Tensor):
    """Claims equality with everything and takes over torch's functions."""

    def __eq__(self, other):
        return True

    __hash__ = torch.Tensor.__hash__

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("mine")


class Cruel:
    """An object whose every method misbehaves."""

    def __getattr__(self, name):
        raise SystemError(name)

    def __eq__(self, other):
        raise SystemError

    __hash__ = None


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (torch.ones(2), "tensor"),
        (torch.ones(2, dtype=torch.bfloat16), "tensor"),
        (torch.nn.Parameter(torch.ones(2)), "tensor"),
        (torch.ones(2, dtype=torch.int64), "integers"),
        (torch.ones(2, dtype=torch.bool), "booleans"),
        (torch.ones(2, dtype=torch.complex64), "complex"),
        (torch.ones(2).to_sparse(), "unreadable"),
        (torch.ones(2, device="meta"), "unreadable"),
        (np.ones(2), "array"),
        (torch.Size([2]), "size"),
        (None, "none"),
        (..., "stub"),
        ([1], "list"),
        ((1,), "tuple"),
        ({}, "dict"),
        ("x", "text"),
        (3, "number"),
        (True, "number"),
        (np.float64(3), "number"),
        ((i for i in range(2)), "generator"),
        (map(abs, [1]), "generator"),
        (len, "function"),
        (ValueError("x"), "exception"),
        (object(), "other"),
        (Cruel(), "other"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_result_is_read_by_its_kind(value, kind):
    assert outcome_of(value).kind == kind


def test_a_coroutine_is_closed_without_a_warning():
    async def later():
        return 1

    assert call(lambda _: later(), {"x": 1}).kind == "coroutine"


def test_a_tensor_subclass_has_no_say_in_how_it_is_read():
    lying = torch.Tensor._make_subclass(Liar, torch.zeros(2))
    assert not same(outcome_of(lying), outcome_of(torch.ones(2)))
    assert same(outcome_of(lying), outcome_of(torch.zeros(2)))


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), RecursionError()])
def test_any_error_is_kept(error):
    def fails(_):
        raise error

    assert call(fails, {"x": 1}).error is error


def test_a_keyboard_interrupt_passes_through():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(interrupted, {"x": 1})


@pytest.mark.parametrize(
    "edit",
    [
        lambda x: x.add_(1),
        lambda x: x.transpose_(0, 1),
        lambda x: x.neg_().abs_(),
        lambda x: x.resize_(1),
        lambda x: x.fill_(float("nan")),
    ],
)
def test_an_edited_argument_is_named(edit):
    x = torch.tensor([[-0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    assert call(edit, {"x": x}).changed == ("x",)


def test_an_argument_left_alone_is_not_named():
    x = torch.tensor([float("nan"), -0.0, 1.0])
    assert call(lambda x: x + 1, {"x": x}).changed == ()


def test_the_result_is_a_copy():
    x = torch.ones(2)
    outcome = call(lambda x: x[:], {"x": x})
    x.zero_()
    assert outcome.array.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("got", "want", "equal"),
    [
        (torch.ones(2), torch.ones(2).double(), True),
        (torch.tensor([1.001]).half(), torch.tensor([1.001]), True),
        (torch.tensor([1.001]).bfloat16(), torch.tensor([1.001]), True),
        (torch.ones(2), torch.ones(1, 2), False),
        (torch.ones(2), torch.ones(2) + 1e-3, False),
        (torch.ones(2).int(), torch.ones(2), False),
        ([torch.ones(2)], (torch.ones(2),), True),
        ([torch.ones(2)], [torch.ones(2)] * 2, False),
        (None, None, True),
        (None, ..., False),
    ],
)
def test_two_outcomes_are_the_same_by_kind_shape_and_numbers(got, want, equal):
    assert same(outcome_of(got), outcome_of(want)) is equal


@pytest.mark.parametrize(
    ("fn", "count", "fits"),
    [
        (lambda x, y: 0, 2, True),
        (lambda x: 0, 2, False),
        (lambda x, y, z: 0, 2, False),
        (lambda *x: 0, 2, True),
        (lambda x, y=1: 0, 1, True),
        (print, 2, True),
    ],
)
def test_arguments_are_counted(fn, count, fits):
    assert takes(fn, count) is fits
