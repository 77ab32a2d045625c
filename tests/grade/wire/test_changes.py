"""What a student's function does to its arguments happens to the test's own objects."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import NotJudgeable
from tests.grade.wire.conftest import Meet


def same(got: Any, want: Any) -> bool:
    """Whether two values agree in type, shape, layout and content."""
    if isinstance(want, torch.Tensor):
        about = [(x.dtype, x.shape, x.stride(), x.requires_grad) for x in (got, want)]
        return about[0] == about[1] and torch.equal(got, want)
    if isinstance(want, np.ndarray):
        return (got.dtype, got.shape, got.tolist()) == (want.dtype, want.shape, want.tolist())
    if isinstance(want, list):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[key], want[key]) for key in want)
    return type(got) is type(want) and bool(got == want)


def swapped(rows: Any) -> None:
    rows[0], rows[1] = rows[1], rows[0]


CHANGES = {
    "add": (lambda: torch.ones(2, 3), lambda x: x.add_(1)),
    "one element": (lambda: torch.zeros(2, 3).T, lambda x: x[2, 1].fill_(5)),
    "unsqueeze": (lambda: torch.arange(6).view(2, 3), lambda x: x.unsqueeze_(0)),
    "squeeze": (lambda: torch.arange(6).view(1, 2, 3), lambda x: x.squeeze_(0)),
    "transpose": (lambda: torch.arange(6).view(2, 3), lambda x: x.t_()),
    "transpose and add": (lambda: torch.arange(6).view(2, 3), lambda x: x.t_().add_(1)),
    "shrink": (lambda: torch.arange(6), lambda x: x.resize_(2, 2)),
    "grow": (lambda: torch.arange(6), lambda x: x.resize_(8).fill_(3)),
    "other data": (lambda: torch.arange(6), lambda x: setattr(x, "data", torch.ones(2).long())),
    "other type": (lambda: torch.ones(2), lambda x: setattr(x, "data", x.double())),
    "gradient": (lambda: torch.ones(2), lambda x: x.requires_grad_()),
    "parameter": (lambda: torch.nn.Parameter(torch.ones(2)), lambda x: x.data.zero_()),
    "half": (lambda: torch.ones(2).bfloat16(), lambda x: x.mul_(3)),
    "flags": (lambda: torch.tensor([True, False]), lambda x: x.logical_not_()),
    "array": (lambda: np.arange(6.0).reshape(2, 3), lambda a: a.sort(axis=0)),
    "array's item": (lambda: np.zeros((3, 2))[::-1], lambda a: a.__setitem__((0, 1), 4)),
    "array's shape": (lambda: np.array([1, 2, 3, 4]), lambda a: a.resize(2, 2, refcheck=False)),
    "texts": (lambda: np.array(["ab", "c"]), lambda a: a.__setitem__(0, "zz")),
    "objects": (lambda: np.array([1, None], object), lambda a: a.__setitem__(1, [2])),
    "append": (lambda: [1, 2], lambda a: a.append([3])),
    "clear": (lambda: [1, 2], lambda a: a.clear()),
    "sort": (lambda: [3, 1, 2], lambda a: a.sort()),
    "equal but of another type": (lambda: [1, 2], lambda a: a.__setitem__(0, 1.0)),
    "nested": (lambda: [[1], {"a": [2]}], lambda a: a[1]["a"].append(3)),
    "swap rows": (lambda: [[1], [2]], swapped),
    "a new tensor in a list": (lambda: [torch.ones(2)], lambda a: a.append(a[0] * 2)),
    "dict": (lambda: {"a": 1, "b": 2}, lambda d: (d.pop("a"), d.update(c=[1]))),
    "set": (lambda: {1, 2}, lambda s: (s.discard(1), s.add("x"))),
    "bytes": (lambda: bytearray(b"ab"), lambda b: b.extend(b"c")),
    "nothing": (lambda: [1, torch.ones(2), np.ones(2)], lambda a: None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_in_place_is_carried_back(meet: Meet, name: str) -> None:
    make, change = CHANGES[name]
    here, there = make(), make()
    change(here)

    def call(x: Any) -> None:
        change(x)

    meet(call=call).value("call")(there)
    assert same(there, here)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_by_a_function_that_then_raises_is_too(meet: Meet, name: str) -> None:
    make, change = CHANGES[name]
    here, there = make(), make()
    change(here)

    def call(x: Any) -> None:
        change(x)
        raise ValueError("afterwards")

    function = meet(call=call).value("call")
    with pytest.raises(ValueError, match="afterwards"):
        function(there)
    assert same(there, here)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_by_a_tests_function_reaches_the_student(meet: Meet, name: str) -> None:
    make, change = CHANGES[name]
    here = make()
    change(here)
    seen: list[Any] = []

    def call(function: Any) -> None:
        value = make()
        function(value)
        seen.append(value)

    def judges(x: Any) -> None:
        change(x)

    meet(call=call).value("call")(judges)
    assert same(seen[0], here)


def test_an_object_that_moves_within_the_arguments_stays_itself(meet: Meet) -> None:
    rows = [[1], [2]]
    first, second = rows
    meet(swapped=swapped).value("swapped")(rows)
    assert rows[0] is second
    assert rows[1] is first


def test_a_result_that_is_an_argument_is_that_argument(meet: Meet) -> None:
    x, rows = torch.ones(2), [[1]]
    got = meet(back=lambda x, rows: (x, rows, rows[0])).value("back")(x, rows)
    assert got[0] is x
    assert got[1] is rows
    assert got[2] is rows[0]


def test_what_was_not_changed_stays_as_it_was(meet: Meet) -> None:
    value = {"x": torch.ones(2), "rows": [[1], (2, [3])], "a": np.arange(3)}
    before = deepcopy(value)
    meet(look=lambda value: str(value)).value("look")(value)
    assert same(value, before)


def test_a_student_may_change_memory_of_which_another_view_is_read_only(meet: Meet) -> None:
    def write(a: Any, b: Any) -> None:
        a[0] = 1

    a = np.zeros(3)
    b = a[:]
    b.flags.writeable = False
    meet(write=write).value("write")(a, b)
    assert b.tolist() == [1, 0, 0]


@pytest.mark.parametrize("shape", [(2, 6), (1,)])
def test_an_array_that_was_given_other_memory_is_refused(meet: Meet, shape: Any) -> None:
    def resize(a: Any) -> None:
        a.resize(shape, refcheck=False)

    a = np.array([[1, 2, 3]])
    function = meet(resize=resize).value("resize")
    with pytest.raises(NotJudgeable, match="made an array of"):
        function(a)
    assert a.tolist() == [[1, 2, 3]]


def test_a_view_of_what_a_tensor_was_before_it_moved(meet: Meet) -> None:
    def move(x: Any, part: Any) -> Any:
        view = x[1:]
        x.data = torch.ones(1)
        return view, part, x

    x = torch.arange(4.0)
    part = x[2:]
    view, same_part, same_x = meet(move=move).value("move")(x, part)
    assert view.tolist() == [1, 2, 3]
    assert same_part is part
    assert same_x is x
    assert (x.tolist(), part.tolist()) == ([1], [2, 3])
    view[1] = 7
    assert part[0] == 7


def test_memory_that_cant_be_written_cant_be_changed(meet: Meet) -> None:
    def write(a: Any) -> None:
        a[0] = 1

    function = meet(write=write).value("write")
    with pytest.raises(ValueError, match="read-only"):
        function(np.frombuffer(bytes(8), np.int64))
