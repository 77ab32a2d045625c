"""Exceptions keep their class's name, their built-in ancestors and their words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import came_over
from tests.grade.wire.conftest import Meet


class OwnError(KeyError):
    """A student's own class."""

    def __init__(self, key: str, where: list[int]) -> None:
        super().__init__(key)
        self.where = where

    def __str__(self) -> str:
        return f"no {self.args[0]} at {self.where}"


class SilentError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def raising(error: BaseException) -> Any:
    def function() -> None:
        raise error

    return function


def caught(meet: Meet, error: BaseException) -> BaseException:
    function = meet(function=raising(error)).value("function")
    try:
        function()
    except BaseException as got:
        return got
    raise AssertionError("nothing was raised")


BUILTIN = [
    ValueError("words"),
    ValueError("two", 2),
    ValueError(),
    KeyError("key"),
    IndexError("list index out of range"),
    NotImplementedError(),
    AssertionError("expected (2, 3)"),
    OSError(2, "No such file"),
    ZeroDivisionError("division by zero"),
    RecursionError("maximum recursion depth exceeded"),
    MemoryError(),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
]


@pytest.mark.parametrize("error", BUILTIN, ids=repr)
def test_a_builtin_exception_arrives_as_itself(meet: Meet, error: BaseException) -> None:
    got = caught(meet, error)
    assert (type(got), got.args, str(got)) == (type(error), error.args, str(error))
    assert came_over(got)


@pytest.mark.parametrize("kind", [StopIteration, type("Ours", (StopIteration,), {})])
def test_a_students_stop_ends_no_loop_of_a_test(meet: Meet, kind: type[StopIteration]) -> None:
    def function(_: Any) -> None:
        raise kind

    judge = meet(function=function)
    with pytest.raises(RuntimeError, match="a student's function raised StopIteration"):
        list(map(judge.value("function"), [1, 2]))


def unreadable() -> BaseException:
    try:
        b"\xff".decode()
    except UnicodeDecodeError as error:
        return error
    raise AssertionError


ODD = [
    (unreadable(), UnicodeDecodeError, "can't decode byte 0xff"),
    (ExceptionGroup("several", [ValueError("one")]), Exception, "several"),
    (SyntaxError("bad", ("file", 1, 2, "text")), SyntaxError, "bad"),
    (OwnError("q", [1, 2]), KeyError, r"^no q at \[1, 2\]$"),
    (SilentError(), Exception, "without a readable message"),
    (np.linalg.LinAlgError("singular"), np.linalg.LinAlgError, "singular"),
    (np.exceptions.AxisError(3, 2), np.exceptions.AxisError, "axis 3 is out of bounds"),
    (torch.OutOfMemoryError("too much"), torch.OutOfMemoryError, "too much"),
    (json.JSONDecodeError("bad", "x", 0), ValueError, "bad: line 1"),
    (ValueError(torch.ones(2)), ValueError, "tensor"),
    (ValueError("x" * 200_000), ValueError, "^x{100000}$"),
]


@pytest.mark.parametrize(("error", "kind", "words"), ODD, ids=lambda one: type(one).__name__)
def test_another_exception_is_made_from_the_nearest_builtin_one(
    meet: Meet, error: BaseException, kind: type[BaseException], words: str
) -> None:
    with pytest.raises(kind, match=words) as got:
        meet(function=raising(error)).value("function")()
    assert type(got.value).__name__ == type(error).__name__


def test_a_class_of_exceptions_is_one_class_here(meet: Meet) -> None:
    judge = meet(function=raising(OwnError("q", [])), OwnError=OwnError)
    kinds = []
    for _ in range(2):
        with pytest.raises(KeyError) as got:
            judge.value("function")()
        kinds.append(got.type)
    assert kinds == [judge.value("OwnError")] * 2


def test_a_students_own_class_can_be_expected(meet: Meet) -> None:
    judge = meet(function=raising(OwnError("q", [])), OwnError=OwnError)
    with pytest.raises(judge.value("OwnError"), match="no q"):
        judge.value("function")()


def test_an_exception_is_also_a_value(meet: Meet) -> None:
    got = meet(function=lambda: [ValueError("words")]).value("function")()
    assert (type(got[0]), got[0].args) == (ValueError, ("words",))


def test_nothing_of_a_students_traceback_arrives(meet: Meet) -> None:
    with pytest.raises(ValueError, match="words") as got:
        meet(function=raising(ValueError("words"))).value("function")()
    assert all(entry.name != "function" for entry in got.traceback)
    assert got.value.__cause__ is None


class JudgesError(LookupError):
    """A test's own class."""


@pytest.mark.parametrize("error", [ValueError("on purpose"), JudgesError("own")], ids=repr)
def test_what_a_tests_function_raises_reaches_the_student(meet: Meet, error: Exception) -> None:
    def look(function: Any) -> Any:
        try:
            function()
        except Exception as got:
            frames, trace = [], got.__traceback__
            while trace:
                frames.append(trace.tb_frame.f_code.co_name)
                trace = trace.tb_next
            bases = [base.__name__ for base in type(got).__mro__]
            return type(got).__name__, bases[-4:], str(got), "judges" in frames

    def judges() -> None:
        raise error

    bases = [base.__name__ for base in type(error).__mro__][-4:]
    got = meet(look=look).value("look")(judges)
    assert got == (type(error).__name__, bases, str(error), False)


def test_what_a_tests_function_raises_comes_back_as_its_class(meet: Meet) -> None:
    function = meet(call=lambda f: f()).value("call")
    with pytest.raises(JudgesError, match="own"):
        function(raising(JudgesError("own")))


def test_a_builtin_class_that_only_bears_the_name_is_none(meet: Meet) -> None:
    fake = type("ValueError", (KeyError,), {})
    got = caught(meet, fake("x"))
    assert isinstance(got, KeyError)
    assert not isinstance(got, ValueError)
    assert type(got).__name__ == "ValueError"


def test_what_interrupts_the_judge_is_not_told_to_a_student(meet: Meet) -> None:
    class OutOfTime(BaseException):
        pass

    judge = meet(call=lambda f: f())
    function = judge.value("call")
    with pytest.raises(OutOfTime):
        function(raising(OutOfTime()))
    assert judge.ended is not None
