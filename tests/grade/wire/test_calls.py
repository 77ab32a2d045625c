"""Calls in both directions: arguments, results, functions as arguments, names of libraries."""

from __future__ import annotations

import functools
import math
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import NotJudgeable, Peer
from tests.grade.wire.conftest import Meet


def rotate_qk(q: Any, k: Any, v: Any, rope: Any) -> Any:
    return rope(q), rope(k), v


def shift(z: torch.Tensor) -> torch.Tensor:
    return z**2 + torch.arange(z.shape[-2])[:, None]


class Rope:
    """A test's own callable object."""

    def __call__(self, z: torch.Tensor) -> torch.Tensor:
        return z + 1

    def turn(self, z: torch.Tensor) -> torch.Tensor:
        return z - 1


ROPES = {
    "lambda": lambda z: z + 10,
    "function": shift,
    "torch.neg": torch.neg,
    "torch.nn.functional.relu": torch.nn.functional.relu,
    "partial": functools.partial(torch.roll, shifts=1, dims=-1),
    "object": Rope(),
    "method": Rope().turn,
    "module": torch.nn.Softmax(dim=-1),
}


@pytest.mark.parametrize("name", ROPES)
def test_a_function_that_is_handed_over_is_called_here(meet: Meet, name: str) -> None:
    rope, (q, k, v) = ROPES[name], torch.randn(3, 2, 3, 5, 4)
    got = meet(rotate_qk=rotate_qk).value("rotate_qk")(q, k, v, rope)
    for mine, wanted in zip(got, (rope(q), rope(k), v), strict=True):
        assert torch.equal(mine, wanted)
    assert got[2] is v


HANDED = [int, float, np.float32, torch.nn.ReLU, len, math.sqrt, torch.relu, np.sum, ValueError]


@pytest.mark.parametrize("value", HANDED, ids=lambda value: value.__name__)
def test_what_a_library_has_is_the_students_own(meet: Meet, value: Any) -> None:
    judge = meet(same=lambda given: given is value)
    assert judge.value("same")(value) is True


@pytest.mark.parametrize("value", [math, np, torch.nn.functional], ids=lambda value: value.__name__)
def test_a_module_is_handed_over_by_name(meet: Meet, value: Any) -> None:
    assert meet(same=lambda given: given is value).value("same")(value) is True


def test_keywords_and_positions_arrive(meet: Meet) -> None:
    def call(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    got = meet(call=call).value("call")(1, [2], key={"a": 3})
    assert got == ((1, [2]), {"key": {"a": 3}})


RESULTS: list[tuple[Callable[[], Any], list[int]]] = [
    (lambda: [1, 2, 3], [1, 2, 3]),
    (lambda: (1, 2, 3), [1, 2, 3]),
    (lambda: (n for n in (1, 2, 3)), [1, 2, 3]),
    (lambda: map(int, "123"), [1, 2, 3]),
    (lambda: iter({1: 0, 2: 0, 3: 0}.keys()), [1, 2, 3]),
    (lambda: {1: 0, 2: 0, 3: 0}.keys(), [1, 2, 3]),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("make", "members"), RESULTS)
def test_several_results_can_be_unpacked(meet: Meet, make: Any, members: list[int]) -> None:
    a, b, c = meet(make=make).value("make")()
    assert [a, b, c] == members


def find_bug(candidate: Any) -> bool:
    x = torch.rand(2, 3)
    try:
        return not torch.equal(candidate(x.clone()), x.mT)
    except Exception:
        return True


def lazy(x: torch.Tensor) -> torch.Tensor:
    return x.mT


def broken(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("on purpose")


CANDIDATES = [(lazy, False), (broken, True), (lambda x: x, True), (lambda x: None, True)]


@pytest.mark.parametrize(("candidate", "faulty"), CANDIDATES)
def test_a_bug_clinic_calls_its_candidates(meet: Meet, candidate: Any, faulty: bool) -> None:
    assert meet(find_bug=find_bug).value("find_bug")(candidate) is faulty


def test_calls_nest(meet: Meet) -> None:
    def deeper(n: int, go_on: Any) -> int:
        return 0 if n == 0 else 1 + int(go_on(n - 1, go_on))

    function = meet(deeper=deeper).value("deeper")
    assert function(5, lambda n, go_on: function(n, go_on)) == 5


def test_calls_that_nest_without_end_are_a_recursion_error(meet: Meet) -> None:
    function = meet(call=lambda go_on: go_on()).value("call")

    def again() -> Any:
        return function(again)

    with pytest.raises(RecursionError, match="too deep"):
        again()
    assert function(lambda: 3) == 3


def test_a_students_function_can_be_handed_back(meet: Meet) -> None:
    judge = meet(double=lambda x: 2 * x, twice=lambda f, x: f(f(x)))
    assert judge.value("twice")(judge.value("double"), 3) == 12


def test_a_tests_function_comes_back_as_itself(meet: Meet) -> None:
    assert meet(back=lambda f: f).value("back")(shift) is shift


def test_a_tests_function_tells_nothing_of_itself(meet: Meet) -> None:
    def look(f: Any) -> Any:
        return f.__name__, callable(f), sorted(set(vars(f)) - {"_wire_link"})

    names = ["__name__", "__qualname__"]
    assert meet(look=look).value("look")(shift) == ("function", True, names)


def test_a_students_code_cant_read_a_tests_function(meet: Meet) -> None:
    with pytest.raises(AttributeError, match="__globals__"):
        meet(look=lambda f: f.__globals__).value("look")(shift)


def test_only_what_can_be_called_is_handed_over(meet: Meet) -> None:
    class Config:
        heads = 3

    function = meet(call=lambda config: config.heads).value("call")
    with pytest.raises(NotJudgeable, match="hands a Config to a student's function"):
        function(Config())


def test_a_function_is_kept_from_call_to_call(meet: Meet) -> None:
    kept: list[Any] = []
    judge = meet(keep=kept.append, use=lambda x: kept[0](x))
    judge.value("keep")(lambda x: x + 1)
    assert judge.value("use")(2) == 3


def test_a_function_is_over_when_no_test_waits(meet: Meet) -> None:
    kept: list[Any] = []
    judge = meet(keep=kept.append, hello=lambda: "hello")
    judge.value("keep")(lambda x: x + 1)
    with pytest.raises(RuntimeError, match="the test that gave this function is over"):
        kept[0](2)
    assert judge.value("hello")() == "hello"


def test_a_function_of_one_test_is_over_when_the_next_one_runs(meet: Meet) -> None:
    kept: list[Any] = []
    judge = meet(keep=kept.append, use=lambda x: kept[0](x), back=lambda: kept[0])
    judge.value("keep")(shift)
    judge.take_back()
    with pytest.raises(RuntimeError, match="the test that gave this function is over"):
        judge.value("use")(2)
    with pytest.raises(RuntimeError, match="the test that gave this function is over"):
        judge.value("back")()(2)
    judge.value("keep")(shift)
    assert judge.value("back")() is not shift
    kept[0] = kept[-1]
    assert judge.value("back")() is shift


def test_other_threads_of_a_student_may_call_while_a_test_waits(meet: Meet) -> None:
    def spread(function: Any) -> list[int]:
        results: list[int] = []
        threads = [
            threading.Thread(target=lambda n=n: results.append(function(n))) for n in range(20)
        ]
        for thread in threads:
            thread.start()
        results.append(function(20))
        for thread in threads:
            thread.join()
        return results

    got = meet(spread=spread).value("spread")(lambda n: n * n)
    assert sorted(got) == [n * n for n in range(21)]


def test_a_thread_that_goes_on_calling_disturbs_nothing(meet: Meet) -> None:
    stop, refused = threading.Event(), threading.Event()

    def leave(function: Any) -> None:
        def go_on() -> None:
            while not stop.is_set():
                try:
                    function(1)
                except RuntimeError:
                    refused.set()

        threading.Thread(target=go_on).start()

    judge = meet(leave=leave, double=lambda x: 2 * x)
    calls: list[int] = []
    judge.value("leave")(calls.append)
    double = judge.value("double")
    assert [double(n) for n in range(300)] == [2 * n for n in range(300)]
    assert refused.wait(10)
    stop.set()


def test_an_end_moves_to_another_connection(meet: Meet) -> None:
    ours, theirs = socket.socketpair()
    space = {"x": 1}
    first = Peer(theirs, namespace=space, operations={"pid": lambda _: os.getpid()})
    here, there = socket.socketpair()
    second = first.moved_to(there)
    thread = threading.Thread(target=second.serve)
    thread.start()
    judge = Peer(here)
    assert judge.value("x") == 1
    assert judge.ask("pid") == os.getpid()
    assert ours.recv(1) == b""
    judge.close()
    ours.close()
    thread.join()


def test_functions_of_an_earlier_connection_are_over(meet: Meet) -> None:
    kept: list[Any] = []
    judge = meet(keep=kept.append)
    judge.value("keep")(len.__call__)
    judge.close()
    with pytest.raises(RuntimeError, match="is over"):
        kept[0]("abc")


def test_a_function_of_another_run_cant_be_handed_over(meet: Meet) -> None:
    one, other = meet(f=abs.__call__), meet(call=lambda f: f(1))
    with pytest.raises(NotJudgeable, match="another run"):
        other.value("call")(one.value("f"))
