"""Run an instructor's tests in a trusted process; what they don't define is the student's."""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType
from typing import Any

from manyheads.grade.judge.capture import Capture
from manyheads.grade.judge.deadline import OutOfTime, deadline
from manyheads.grade.judge.execute import error_output, execute, result_output
from manyheads.grade.judge.namespace import Namespace
from manyheads.grade.judge.state import restored
from manyheads.grade.plan import Given, LessonPlan, PlannedTest
from manyheads.grade.plan.owners import BUILTIN_OWNER, STUDENT, Owner
from manyheads.grade.wire import WireError, came_over

Fetch = Callable[[str], Any]
_ABSENT = object()
_BUILTINS = vars(builtins)
_BREAKS = (WireError, OutOfTime)


@dataclass(frozen=True)
class Judged:
    """What came of one test: its outputs as a notebook holds them, and the error if it failed.

    `broken` tells that what was left of the conversation with the student's process can't be
    trusted: it ended, answered too late or against the rules, or was cut short.
    """

    outputs: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    words: str = ""
    broken: BaseException | None = None

    @property
    def passed(self) -> bool:
        """Whether the test ran to its end."""
        return not self.error


class Judge:
    """The trusted end of one notebook: runs tests, keeps what they define for later tests.

    >>> marks = {"grade_id": "test_f", "grade": True, "locked": True, "points": 2}
    >>> cell = {"cell_type": "code", "metadata": {"nbgrader": marks}, "source": "assert f(3) == 6"}
    >>> plan = LessonPlan.of({"cells": [cell], "metadata": {}}, "02_small")
    >>> Judge(plan).run(plan.tests["test_f"], {"f": lambda x: 2 * x}.__getitem__, 60).passed
    True
    """

    def __init__(self, plan: LessonPlan) -> None:
        self._plan = plan
        self._tests: dict[str, Namespace] = {}
        self._given: dict[int, Namespace | None] = {}
        self._values: dict[str, Any] = {}
        self._lent: list[tuple[Namespace, str, Any]] = []
        self._fetch: Fetch = _nothing

    def run(self, test: PlannedTest, fetch: Fetch, seconds: float) -> Judged:
        """Run a test for at most `seconds`; `fetch` gives the student's value of a name.

        `fetch` raises NameError for a name that the student's notebook doesn't have. Only a
        KeyboardInterrupt of this process's own is let out.
        """
        self._values, self._fetch = {}, fetch
        space = self._tests[test.name] = self._space(test.owners)
        capture = Capture()
        try:
            with restored(self._plan.folder), deadline(seconds), capture.on():
                self._fill(space, test)
                value = execute(test.name, test.source, space)
                shown = result_output(value)
        except BaseException as error:  # SystemExit fails a test, no more
            if isinstance(error, KeyboardInterrupt) and not came_over(error):
                raise
            told = error_output(error, self._sources())
            outputs = [*capture.outputs(), told]
            broken = error.with_traceback(None) if isinstance(error, _BREAKS) else None
            return Judged(outputs, told["ename"], told["evalue"], broken)
        finally:
            self._take_back()
        return Judged([*capture.outputs(), *shown])

    def _sources(self) -> dict[str, str]:
        sources = {name: test.source for name, test in self._plan.tests.items()}
        return sources | {given.name: given.source for given in self._plan.given.values()}

    def _space(self, owners: Mapping[str, Owner]) -> Namespace:
        def find(name: str) -> Any:
            owner = owners.get(name, STUDENT)
            value = self._find(name, owner)
            if owner.kind in ("import", "student"):
                space[name] = value  # found faster from now on
            if owner.kind == "student":
                self._lent.append((space, name, value))
            return value

        space = Namespace(find)
        space |= {
            name: _BUILTINS[name] for name, owner in owners.items() if owner.kind == "builtin"
        }
        return space

    def _take_back(self) -> None:
        """Take the student's values out of the namespaces: the next test gets those of its time."""
        for space, name, value in self._lent:
            if space.get(name) is value:
                del space[name]
        self._lent.clear()
        self._values, self._fetch = {}, _nothing

    def _fill(self, space: Namespace, code: PlannedTest | Given) -> None:
        """Set what class bodies read, which pass over `__missing__`."""
        for name in sorted(code.early & set(code.owners)):
            owner = code.owners[name]
            if owner.final.kind != "builtin":
                with suppress(NameError, KeyError):
                    space[name] = self._find(name, owner)
                    self._lent.append((space, name, space[name]))

    def _find(self, name: str, owner: Owner) -> Any:
        """The value of a name that its cell doesn't set; KeyError for a builtin."""
        if owner.kind == "star":
            found = getattr(importlib.import_module(_module(owner.text)), name, _ABSENT)
            return self._find(name, owner.otherwise or BUILTIN_OWNER) if found is _ABSENT else found
        if owner.kind == "builtin":
            raise KeyError(name)
        if owner.kind == "import":
            return _imported(owner.text, name)
        if owner.kind == "test":
            return self._of_test(name, owner.text)
        if owner.kind == "given":
            value = self._of_given(name, owner.place)
            if value is not _ABSENT:
                return value
        return self._of_student(name)

    def _of_test(self, name: str, test: str) -> Any:
        value = dict.get(self._tests.get(test, {}), name, _ABSENT)
        if value is _ABSENT:
            raise NameError(f"name {name!r} is not defined: {test} did not come that far")
        return value

    def _of_given(self, name: str, place: int) -> Any:
        """What given code sets, if the judge could run it and others can be given the value."""
        if place not in self._given:
            self._given[place] = self._run_given(self._plan.given[place])
        space = self._given[place]
        value = _ABSENT if space is None else dict.get(space, name, _ABSENT)
        return value if _portable(value) else _ABSENT

    def _run_given(self, given: Given) -> Namespace | None:
        space = self._space(given.owners)
        try:
            self._fill(space, given)
            execute(given.name, given.source, space)
        except Exception:  # code that needs the notebook's process: it has run there
            return None
        return space

    def _of_student(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._fetch(name)
        return self._values[name]


def _nothing(name: str) -> Any:
    raise NameError(f"name {name!r} is asked for while no test runs")


def _module(star: str) -> str:
    """The module of a `from module import *`."""
    return star.split()[1]


def _imported(statement: str, name: str) -> Any:
    space: dict[str, Any] = {}
    exec(statement, space)  # noqa: S102  (an import of the instructor's notebook)
    return space[name]


def _portable(value: object) -> bool:
    """Whether a value of given code is as good as the student's: a function, or plain data."""
    if isinstance(value, FunctionType | BuiltinFunctionType):
        return True
    if isinstance(value, type) or value is _ABSENT:
        return False
    module = type(value).__module__
    return module in ("builtins", "torch", "numpy", "functools", "collections")
