"""Plain values arrive as they were, whatever class they come in."""

from __future__ import annotations

import enum
import math
from collections import Counter, OrderedDict, defaultdict, namedtuple
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import TooLarge
from tests.grade.wire.conftest import Meet

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**400),
    *(
        0.5,
        -0.0,
        1e-320,
        1.7976931348623157e308,
        math.inf,
        -math.inf,
        1 + 2j,
        complex(-0.0, math.inf),
    ),
    *(
        "",
        "text",
        'a "quote" \\ and \n',
        "\ud800",
        "\0",
        "日本語 🙂",
        "x" * 5000,
        b"",
        b"\0\xff" * 3000,
    ),
    *([], (), {}, set(), frozenset(), [1, [2, (3, {"a": {4}})]], {1: 2, (3, 4): [5], None: None}),
    *(range(3), range(9, 0, -2), slice(None, 3, None), ..., frozenset({"a"}), bytearray(b"ab")),
    *(torch.Size([2, 3]), torch.float32, torch.bfloat16, torch.device("cpu"), np.dtype("<i4")),
    *(int, float, str, list, type(None), np.float32, np.int64, ValueError, KeyboardInterrupt),
]


def exactly(got: Any, want: Any) -> bool:
    """Whether two plain values are the same in class, in content and in the signs of zeros."""
    if type(got) is not type(want):
        return False
    if isinstance(want, list | tuple):
        return len(got) == len(want) and all(map(exactly, got, want))
    return got == want and repr(got) == repr(want)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:30])
def test_a_value_arrives_as_it_was(meet: Meet, value: Any) -> None:
    assert exactly(meet(value=value).value("value"), value)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:30])
def test_a_value_goes_and_comes_back_as_it_was(meet: Meet, value: Any) -> None:
    echo = meet(echo=lambda one: one).value("echo")
    assert exactly(echo(value), value)


def test_a_number_that_is_none_arrives(meet: Meet) -> None:
    assert math.isnan(meet(value=math.nan).value("value"))


class Liar(str):
    """A text that equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7

    def lower(self) -> str:
        return "c"


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __index__(self) -> int:
        return 42

    __hash__ = int.__hash__


class LyingFloat(float):
    def __float__(self) -> float:
        return 42.0

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class LyingList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter([42])

    def __len__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class LyingDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [(42, 42)]

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Colour(enum.IntEnum):
    RED = 1


Pair = namedtuple("Pair", "a b")
SUBCLASSES = [
    (Liar("a"), "a"),
    (LyingInt(3), 3),
    (LyingFloat(0.5), 0.5),
    (LyingList([1, 2]), [1, 2]),
    (LyingDict({1: 2}), {1: 2}),
    (Pair(1, 2), (1, 2)),
    (Colour.RED, 1),
    (Counter("aab"), {"a": 2, "b": 1}),
    (OrderedDict(a=1), {"a": 1}),
    (defaultdict(list, a=[1]), {"a": [1]}),
    (np.str_("a"), "a"),
    (torch.max(torch.tensor([[1, 2]]), 1)[1].tolist(), [1]),
]


@pytest.mark.parametrize(("value", "base"), SUBCLASSES, ids=lambda value: type(value).__name__)
def test_a_subclass_arrives_as_its_base(meet: Meet, value: Any, base: Any) -> None:
    assert exactly(meet(value=value).value("value"), base)


NUMBERS = [np.float64(0.5), np.float16(-0.0), np.int8(-3), np.bool_(True), np.complex64(1 + 2j)]


@pytest.mark.parametrize("value", [*NUMBERS, np.longdouble(1) / 3, np.uint64(2**64 - 1)], ids=repr)
def test_a_numpy_number_keeps_its_type(meet: Meet, value: Any) -> None:
    got = meet(value=value).value("value")
    assert (type(got), got) == (type(value), value)


def test_what_is_shared_stays_shared(meet: Meet) -> None:
    inner = [1]
    got = meet(value=[inner, inner, {"a": inner}]).value("value")
    assert got[0] is got[1] is got[2]["a"]


def test_what_holds_itself_holds_itself(meet: Meet) -> None:
    value: list[Any] = [1]
    value.append(value)
    got = meet(value=value).value("value")
    assert got[1] is got


def test_a_list_of_tensors_shares_their_memory(meet: Meet) -> None:
    x = torch.arange(4.0)
    got = meet(value=[x, x[1:], x]).value("value")
    got[0][1] = 9
    assert got[0] is got[2]
    assert got[1][0] == 9


def test_a_missing_name_is_a_name_error(meet: Meet) -> None:
    with pytest.raises(NameError, match="name 'absent' is not defined"):
        meet().value("absent")


PLAIN = [
    (1, True),
    ([torch.ones(2), {"a": np.ones(2)}], True),
    (len, False),
    ([1, [len]], False),
    (object(), False),
    (int, True),
    (torch.ones(2).to_sparse(), False),
    ("x" * (65 << 20), True),
]


@pytest.mark.parametrize(("value", "plain"), PLAIN, ids=lambda value: repr(value)[:20])
def test_plain_tells_data_from_the_rest(meet: Meet, value: Any, plain: bool) -> None:
    assert meet(value=value).plain(["value", "absent"]) == {"value": plain, "absent": None}


@pytest.mark.parametrize(("value", "plain"), PLAIN[:-1], ids=lambda value: repr(value)[:20])
def test_what_is_plain_is_given_at_once(meet: Meet, value: Any, plain: bool) -> None:
    given = meet(value=value).given(["value", "absent"])
    assert given["absent"] == (None, None)
    assert given["value"][0] is plain
    assert (given["value"][1] is None) is not plain


def test_values_too_big_to_be_given_at_once_are_refused_and_no_more(meet: Meet) -> None:
    judge = meet(value="x" * (65 << 20), other=3)
    with pytest.raises(Exception, match="MiB"):
        judge.given(["value", "other"])
    assert judge.ended is None
    assert judge.given(["other"]) == {"other": (True, 3)}


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


TOO_LARGE = [
    (lambda: "x" * (65 << 20), "65 MiB"),
    (lambda: nested(70), "more than 64 deep"),
    (lambda: list(range(600_000)), "more than 500000 values"),
    (lambda: range(600_000), "a range of more than 500000 numbers"),
    (lambda: range(0, -(10**15), -1), "a range of more than 500000 numbers"),
    (lambda: torch.zeros(1).expand(1 << 25), "more than 16777216 numbers"),
    (lambda: np.broadcast_to(np.zeros(1), 1 << 25), "more than 16777216 numbers"),
    (lambda: 1 << 20000, "more than 16384 bits"),
]


@pytest.mark.parametrize(("make", "words"), TOO_LARGE)
def test_a_result_beyond_the_caps_is_an_error_at_the_student(
    meet: Meet, make: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        meet(make=make).value("make")()


@pytest.mark.parametrize(("make", "words"), TOO_LARGE)
def test_an_argument_beyond_the_caps_is_refused(meet: Meet, make: Any, words: str) -> None:
    echo = meet(echo=lambda one: one).value("echo")
    with pytest.raises(TooLarge, match=words):
        echo(make())
    assert echo(3) == 3
