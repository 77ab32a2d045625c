"""Arrays and tensors arrive with their layout, and share memory as they did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import NotJudgeable, Remote
from tests.grade.wire.conftest import Meet

base = torch.arange(24.0).view(2, 3, 4)
TENSORS = [
    base,
    base.mT,
    base.permute(2, 0, 1),
    base[:, 1:, ::2],
    base[1, 2, 3],
    base[:, :0],
    torch.empty(0),
    torch.zeros(3, 0, 2),
    torch.tensor(-0.0),
    torch.tensor([float("nan"), float("inf"), -0.0]),
    base[:, :1].expand(2, 5, 4),
    torch.arange(5).unfold(0, 3, 1),
    base.requires_grad_(False).clone().requires_grad_(),
    torch.tensor([1 + 2j]).conj(),
    torch.tensor([1 + 2j]).conj().imag,
    torch.nn.Parameter(torch.ones(2)),
    torch.nn.Parameter(torch.ones(2), requires_grad=False),
    torch.ones(1, 1, 1, 1, 1, 1, 1, 1, 1),
]
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float64"]
TENSORS += [torch.tensor([[1, 0, 3]]).to(getattr(torch, name)) for name in [*DTYPES, "complex128"]]


def same_tensor(got: torch.Tensor, want: torch.Tensor) -> bool:
    """Whether two tensors agree in class, type, shape, strides, gradient and every bit."""
    about = [(type(x), x.dtype, x.shape, x.stride(), x.requires_grad) for x in (got, want)]
    one, other = (torch.zeros(x.shape, dtype=x.dtype).copy_(x.detach()) for x in (got, want))
    return about[0] == about[1] and bytes(one.untyped_storage()) == bytes(other.untyped_storage())


@pytest.mark.parametrize("value", TENSORS, ids=lambda x: f"{x.dtype}{tuple(x.shape)}{x.stride()}")
def test_a_tensor_goes_and_comes_back_as_it_was(meet: Meet, value: torch.Tensor) -> None:
    judge = meet(value=value, through=lambda x: [x])
    assert same_tensor(judge.value("value"), value)
    assert judge.value("through")(value)[0] is value


table = np.arange(24.0).reshape(2, 3, 4)
ARRAYS = [
    table,
    table.T,
    np.asfortranarray(table),
    table[::-1, :, ::-2],
    table[1, 2, 3:],
    np.array(3),
    np.array(-0.0),
    np.empty(0),
    np.zeros((3, 0)),
    np.broadcast_to(np.arange(3), (4, 3)),
    np.array(["a", "bcd", ""]),
    np.array([b"a", b"bc"]),
    np.array(["", ""]),
    np.array([True, False]),
    np.arange(3, dtype=">i4"),
    np.array([1 + 2j, np.nan]),
    np.arange(3, dtype=np.float16),
    np.arange(3, dtype=np.longdouble),
    np.frombuffer(bytes(9), np.float64, 1, 1),
]


def same_array(got: Any, want: Any) -> bool:
    """Whether two arrays agree in class, type, shape, strides, writability and every bit."""
    about = [(type(a), a.dtype, a.shape, a.flags.writeable) for a in (got, want)]
    return about[0] == about[1] and got.strides == want.strides and got.tobytes() == want.tobytes()


@pytest.mark.parametrize("value", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}{a.strides}")
def test_an_array_goes_and_comes_back_as_it_was(meet: Meet, value: Any) -> None:
    judge = meet(value=value, through=lambda x: [x])
    assert same_array(judge.value("value"), value)
    assert judge.value("through")(value)[0] is value


def test_an_array_of_objects_arrives_as_the_values_in_it(meet: Meet) -> None:
    value = np.array([[1, "a"], [None, [2]]], object)
    got = meet(value=value).value("value")
    assert (got.dtype, got.tolist()) == (object, value.tolist())


class Everything(torch.Tensor):
    """A tensor that says yes to every comparison."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True

    def data_ptr(self) -> int:
        return 0


class EveryArray(np.ndarray):
    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return True

    @property
    def __array_interface__(self) -> Any:
        return {}

    __hash__ = None  # type: ignore[assignment]


SUBCLASSES: list[tuple[Any, Any]] = [
    (torch.arange(3.0).as_subclass(Everything), torch.arange(3.0)),  # type: ignore[arg-type]
    (np.arange(3.0).view(EveryArray), np.arange(3.0)),
    (np.ma.array([1.0, 2.0], mask=[True, False]), np.array([1.0, 2.0])),
]


@pytest.mark.parametrize(("value", "plain"), SUBCLASSES, ids=lambda value: type(value).__name__)
def test_a_subclass_arrives_as_its_base_with_its_own_numbers(
    meet: Meet, value: Any, plain: Any
) -> None:
    got = meet(make=lambda: value).value("make")()
    assert type(got) is type(plain)
    assert got.tolist() == plain.tolist()


OPAQUE = [
    np.array(["2024-01-01"], "datetime64[D]"),
    np.zeros(2, [("a", "i4"), ("b", "f8")]),
    torch.ones(2).to_sparse(),
    torch.ones(2, device="meta"),
]


@pytest.mark.parametrize("value", OPAQUE, ids=lambda value: str(value.dtype))
def test_an_array_of_another_kind_is_a_stand_in(meet: Meet, value: Any) -> None:
    assert isinstance(meet(value=value).value("value"), Remote)


@pytest.mark.parametrize("value", OPAQUE, ids=lambda value: str(value.dtype))
def test_a_test_cant_hand_one_over(meet: Meet, value: Any) -> None:
    with pytest.raises(NotJudgeable, match="hands a"):
        meet(echo=lambda x: x).value("echo")(value)


def test_arguments_that_share_memory_share_it_at_the_student(meet: Meet) -> None:
    def write(a: Any, b: Any) -> float:
        a[0, 0] = 7
        return float(b[0])

    x = torch.zeros(2, 3)
    assert meet(write=write).value("write")(x, x.T[0]) == 7
    assert x[0, 0] == 7


def test_a_tensor_and_the_array_of_its_memory_share_it(meet: Meet) -> None:
    def write(a: Any, b: Any) -> float:
        a[1] = 7
        return float(b[1])

    x = torch.zeros(3)
    write_at = meet(write=write).value("write")
    assert write_at(x, x.numpy()) == 7
    assert write_at(np.zeros(3), np.zeros(3)) == 0
    assert x[1] == 7


VIEWS: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: x[1:],
    lambda x: x.T,
    lambda x: x[:, 1],
    lambda x: x[:, None].squeeze(1)[..., 1:],
]


@pytest.mark.parametrize("make", [torch.arange, np.arange])
@pytest.mark.parametrize("view", VIEWS)
def test_a_result_that_is_a_view_of_an_argument_is_one(meet: Meet, make: Any, view: Any) -> None:
    x = make(12.0).reshape(3, 4)
    got = meet(view=view).value("view")(x)
    assert got.tolist() == view(x).tolist()
    x += 100
    assert got.tolist() == view(x).tolist()


def test_a_result_that_is_no_view_is_none(meet: Meet) -> None:
    x = torch.zeros(3)
    got = meet(copy=lambda x: x + 0).value("copy")(x)
    x += 1
    assert got.tolist() == [0, 0, 0]


def test_what_lies_between_the_elements_of_an_argument_stays_here(meet: Meet) -> None:
    def around(x: Any) -> list[float]:
        return torch.as_strided(x, (15,), (1,)).tolist()  # type: ignore[no-any-return]

    both = torch.arange(1.0, 19.0).view(3, 6)
    x, expected = both[:, :3], both[:, 3:]
    seen = meet(around=around).value("around")(x)
    assert not set(expected.flatten().tolist()) & set(seen)
    assert set(x.flatten().tolist()) <= set(seen)


def test_a_change_to_a_strided_argument_leaves_its_neighbours_alone(meet: Meet) -> None:
    both = torch.zeros(3, 6)
    meet(fill=lambda x: x.fill_(7)).value("fill")(both[:, :3])
    assert both.tolist() == [[7, 7, 7, 0, 0, 0]] * 3
