"""Two processes: one stream of random numbers, one default dtype, a process that dies."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import Malformed, Peer
from manyheads.grade.wire.incoming import Incoming
from manyheads.grade.wire.limits import Limits
from manyheads.grade.wire.modes import Modes
from manyheads.grade.wire.side import Side

SOURCE = """
import random
import numpy as np
import torch

def draw():
    return [random.random(), random.gauss(0, 1), np.random.rand(), np.random.randn(),
            torch.rand(1).item(), torch.randn(3).tolist()]

def draw_twice(function):
    return [draw(), function(), draw()]

def numbers():
    return torch.ones(1).dtype

def choose():
    random.setstate((3, (0,) * 624 + (1,), None))
    np.random.set_state(("MT19937", np.zeros(624, np.uint32), 1, 0, 0.0))
    state = torch.get_rng_state()
    state[24:24 + 8 * 624] = 0
    torch.set_rng_state(state)

def reseed():
    random.seed(7)
    np.random.seed(7)
    torch.manual_seed(7)

def use(dtype):
    torch.set_default_dtype(dtype)

def fails():
    draw()
    raise ValueError("afterwards")
"""


def here() -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(SOURCE, space)  # noqa: S102
    return space


def seeded(run: Callable[[], Any]) -> Any:
    """What a run and a draw after it give from the same seeds."""
    random.seed(1)
    np.random.seed(2)
    torch.manual_seed(3)
    return run(), here()["draw"]()


@pytest.fixture
def student(apart: Peer) -> Peer:
    apart.ask("run", {"source": SOURCE})
    return apart


@pytest.mark.slow
@pytest.mark.parametrize("name", ["draw", "draw_twice"])
def test_calls_draw_from_one_stream(student: Peer, name: str) -> None:
    own = here()
    arguments = [own["draw"]] if name == "draw_twice" else []
    student.random_shared(True)
    got = seeded(lambda: student.value(name)(*arguments))
    student.random_shared(False)
    assert got == seeded(lambda: own[name](*arguments))


@pytest.mark.slow
def test_a_call_that_raises_has_drawn_too(student: Peer) -> None:
    def run() -> None:
        with pytest.raises(ValueError, match="afterwards"):
            student.value("fails")()

    student.random_shared(True)
    got = seeded(run)
    student.random_shared(False)
    assert got[1] == seeded(here()["draw"])[1]


UNSEEN: dict[str, Callable[[Peer], Any]] = {
    "a call of its own stream": lambda student: student.value("draw")(),
    "an operation": lambda student: student.ask("run", {"source": f"{SOURCE}\ndraw()"}),
    "nothing": lambda _: None,
}


@pytest.mark.slow
@pytest.mark.parametrize("between", UNSEEN.values(), ids=UNSEEN.keys())
@pytest.mark.parametrize("shared", [True, False])
def test_what_the_other_end_draws_unseen_is_not_taken_for_agreed(
    student: Peer, between: Callable[[Peer], Any], shared: bool
) -> None:
    """States that both ends have are sent once only; they must be those that the ends have."""
    student.random_shared(True)
    draw = student.value("draw")
    first = seeded(draw)
    student.random_shared(shared)
    between(student)
    student.random_shared(True)
    assert seeded(draw) == first
    assert seeded(lambda: [draw(), draw()]) == seeded(lambda: [here()["draw"](), here()["draw"]()])
    student.random_shared(False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["choose", "reseed"])
def test_states_that_no_drawing_leads_to_are_not_taken(student: Peer, name: str) -> None:
    student.random_shared(True)
    got = seeded(student.value(name))
    student.random_shared(False)
    assert got[1] == seeded(lambda: None)[1]


@pytest.mark.slow
def test_unless_shared_the_streams_are_two(student: Peer) -> None:
    got = seeded(student.value("draw"))
    assert got[1] == seeded(lambda: None)[1]


@pytest.mark.slow
def test_a_students_own_default_dtype_is_not_the_tests(student: Peer) -> None:
    student.value("use")(torch.float64)
    assert student.value("numbers")() is torch.float32


@pytest.mark.slow
def test_the_default_dtype_here_is_the_one_there(student: Peer) -> None:
    numbers = student.value("numbers")
    torch.set_default_dtype(torch.float64)
    try:
        assert numbers() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert numbers() is torch.float32


@pytest.mark.slow
def test_an_exception_of_an_operation_arrives(student: Peer) -> None:
    with pytest.raises(ZeroDivisionError):
        student.ask("run", {"source": "1 / 0"})
    with pytest.raises(LookupError, match="no operation 'walk'"):
        student.ask("walk")


@pytest.mark.slow
def test_an_answer_that_is_no_json_is_an_error(student: Peer) -> None:
    student.ask("run", {"source": "def make():\n    return object()"})
    with pytest.raises(TypeError, match="not JSON serializable"):
        student.ask("evaluate", {"source": "make()"})
    with pytest.raises(ValueError, match="17 MiB of values"):
        student.ask("evaluate", {"source": "'x' * (17 << 20)"})
    with pytest.raises(TypeError, match="not JSON serializable"):
        student.ask("evaluate", {"source": object()})
    assert student.ask("evaluate", {"source": "1 + 1"}) == 2


@pytest.mark.slow
def test_large_arrays_arrive(student: Peer) -> None:
    student.ask("run", {"source": "def double(x):\n    return 2 * x"})
    x = torch.randn(1 << 20)
    started = time.perf_counter()
    assert torch.equal(student.value("double")(x), 2 * x)
    assert time.perf_counter() - started < 2


class Silent:
    """A wire that is never asked."""


STATES = [
    None,
    [],
    [0, None, None],
    [9, None, None, None],
    [0, "x", None, None],
    [0, None, [1, 700, 0, 0.0], None],
    [0, None, [1, -1, 0, 0.0], None],
    [0, None, [1, 5, 0, "x"], None],
    [0, None, [0, 5, 0, 0.0], None],
    [0, None, None, 1],
    [0, None, None, 2],
    [2, None, None, None],
]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_a_forged_state_is_malformed(state: Any) -> None:
    words = np.random.RandomState(0).bytes(2496) + bytes(4)
    parts = [words, words[:2496], b"abc"]
    sizes = [len(part) for part in parts]
    side = Side(Silent(), Limits(), judge=True)  # type: ignore[arg-type]
    incoming = Incoming(side, sizes, b"".join(parts))
    modes = Modes()
    modes.random = True
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()
    try:
        if state is None:
            with pytest.raises(Malformed):
                modes.go_on("x", incoming)
            return
        with pytest.raises(Malformed):
            modes.go_on([True, None, state], incoming)
    finally:
        random.setstate(before[0])
        torch.set_rng_state(before[2])
