"""A sandbox without processes: cells run in this one, where a script says how they end."""

from __future__ import annotations

import copy
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from manyheads.grade.sandbox import CellResult, ExamImpossible, Limits, StudentEnded
from manyheads.grade.wire.errors import Closed, TooLate, WireError

DATA = (bool, int, float, str, list, tuple, dict, set, type(None))


class Ends(BaseException):
    """A process ends here: what the cell's `leave()` or `hang()` raise."""


class FakePeer:
    """Values by name, functions as they are; calls of functions that end raise Closed."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names, self.gone = names, ""
        self.refused: list[str] = []

    @property
    def ended(self) -> WireError | None:
        if not self.gone:
            return None
        return TooLate("no answer") if "longer" in self.gone else Closed("gone")

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        yield

    def plain(self, names: Sequence[str]) -> dict[str, bool | None]:
        self._alive()
        return {n: isinstance(self.names[n], DATA) if n in self.names else None for n in names}

    def given(self, names: Sequence[str]) -> dict[str, tuple[bool | None, Any]]:
        flags = self.plain(names)
        return {n: (flag, self.value(n) if flag else None) for n, flag in flags.items()}

    def value(self, name: str) -> Any:
        self._alive()
        if name not in self.names:
            raise NameError(f"name {name!r} is not defined")
        value = self.names[name]
        return self._called(value) if callable(value) else copy.deepcopy(value)

    def take_back(self) -> None:
        """Nothing to do: functions are as they are."""

    def random_shared(self, on: bool) -> None:
        """Nothing to do: there is one process."""

    def _called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self._alive()
            try:
                return function(*arguments)
            except Ends as end:
                self.gone = str(end)
                return self._alive()

        return call

    def _alive(self) -> None:
        if self.ended is not None:
            raise self.ended


def _copied(names: Mapping[str, Any]) -> dict[str, Any]:
    """The names as a forked process has them: functions see the copy's globals."""
    space: dict[str, Any] = {}
    for name, value in names.items():
        if isinstance(value, types.FunctionType) and value.__globals__ is names:
            value = types.FunctionType(value.__code__, space, value.__name__, value.__defaults__)
        elif isinstance(value, DATA):
            value = copy.deepcopy(value)
        space[name] = value
    return space


class FakeExam:
    """A copy of the names."""

    def __init__(self, names: Mapping[str, Any], log: list[str]) -> None:
        self.peer, self._log = FakePeer(_copied(names)), log
        log.append("exam")

    def __enter__(self) -> FakeExam:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run_cell(self, source: str, *, draw: bool, seconds: float) -> CellResult:
        return run(source, self.peer.names)

    def ended(self, error: BaseException) -> StudentEnded:
        kind = "time" if isinstance(error, TooLate) else "exit"
        return StudentEnded(kind, self.peer.gone or "the process exited")

    def close(self) -> None:
        self._log.append("exam over")


class FakeStudent:
    """One process: a dictionary of names."""

    def __init__(self, sandbox: FakeSandbox) -> None:
        self._sandbox = sandbox
        names = {"leave": _end("the process exited"), "hang": _end("this ran longer than 30 s")}
        self.peer = FakePeer(
            {"__name__": "__main__", "START": sandbox.started, **names, **sandbox.shared}
        )

    def run_cell(self, source: str, *, draw: bool, seconds: float) -> CellResult:
        self._sandbox.ran.append((source, draw))
        self._sandbox.clock += self._sandbox.cell_takes
        try:
            return run(source, self.peer.names)
        except Ends as end:
            raise StudentEnded("exit", str(end)) from None

    def define(self, source: str, seconds: float) -> None:
        self.run_cell(source, draw=False, seconds=seconds)

    def exam(self) -> FakeExam:
        if self._sandbox.no_exams:
            raise ExamImpossible("this system has no fork")
        return FakeExam(self.peer.names, self._sandbox.log)

    def ended(self, error: BaseException) -> StudentEnded:
        return StudentEnded("exit", self.peer.gone or str(error))

    def close(self) -> None:
        self._sandbox.log.append("closed")


@dataclass
class FakeSandbox:
    """Starts fake processes; `ran` lists the cells they ran, `log` what else happened."""

    limits: Limits = field(default_factory=Limits)
    isolated: bool = True
    no_exams: bool = False
    cell_takes: float = 0.0
    clock: float = 0.0
    started: int = 0
    ran: list[tuple[str, bool]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    files: Mapping[str, bytes] = field(default_factory=dict)
    shared: Mapping[str, Any] = field(default_factory=dict)  # as a file is: by all copies

    def start(self, files: Mapping[str, bytes] = {}) -> FakeStudent:
        self.started, self.files = self.started + 1, files
        return FakeStudent(self)

    def monotonic(self) -> float:
        """A clock that goes on by what cells are said to take."""
        return REAL() + self.clock


REAL = time.monotonic


def _end(words: str) -> Callable[[], None]:
    def end() -> None:
        raise Ends(words)

    return end


def run(source: str, names: dict[str, Any]) -> CellResult:
    """Run a cell in this process."""
    try:
        exec(compile(source, "<cell>", "exec"), names)  # noqa: S102 - a test's own cell
    except Exception as error:
        told = {"output_type": "error", "ename": type(error).__name__, "evalue": str(error)}
        return CellResult([{**told, "traceback": []}], 1, True)
    return CellResult([], 1, False)
