"""One submission's run, cell by cell."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import TracebackType
from typing import Any

from manyheads.grade.cells import node
from manyheads.grade.judge import Judged
from manyheads.grade.plan import LessonPlan, PlannedTest
from manyheads.grade.run.causes import Causes
from manyheads.grade.run.exams import ENDED, Exams, Group, failure
from manyheads.grade.run.process import Clock, Process, TimeUp
from manyheads.grade.sandbox import Sandbox, StudentEnded
from manyheads.grade.verdict import NOT_RUN
from manyheads.student.notebook import grade_id, source


@dataclass(frozen=True)
class Waiting:
    """A test that is heard when the notebook has run: its cell, and the number it gets there."""

    cell: dict[str, Any]
    test: PlannedTest
    group: Group
    number: int


class Run:
    """The run of one submission; a context manager that ends its processes."""

    def __init__(
        self,
        plan: LessonPlan,
        sandbox: Sandbox,
        files: Mapping[str, bytes],
        wanted: Collection[str],
        diagnose: bool,
    ) -> None:
        self._plan, self._wanted, self._diagnose = plan, wanted, diagnose
        self._clock = Clock.start(sandbox.limits)
        self._limit = sandbox.limits.submission_seconds
        self.notes: list[str] = []
        self.process = Process(sandbox, files, self._clock)
        self._exams = Exams(plan, self.process, self._clock, self._note)
        self.causes = Causes(plan, self.process, self._clock, self._note)
        self._waiting: list[Waiting] = []
        self._count = 0
        self._ran: set[str] = set()
        self._out_of_time = False

    def __enter__(self) -> Run:
        """The run itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all processes."""
        self._exams.close()
        self.process.close()

    def cell(self, cell: dict[str, Any]) -> None:
        """Run one code cell and fill in what came of it."""
        name = grade_id(cell)
        test = self._plan.tests.get(name)
        if test is None:
            self._exams.leave()
            self._run(cell)
        elif name in self._wanted:
            self._offer(cell, test)
        if test is not None and test.visible:
            self._exams.leave()
            self._run_visible(test)

    def finish(self) -> None:
        """Hear the tests that waited for the notebook's end."""
        for group, waiting in groupby(self._waiting, key=lambda one: one.group):
            for one in waiting:
                self._settle(one.cell, one.test, self._heard(one), one.number)
            self._exams.end(group)

    def _run(self, cell: dict[str, Any]) -> None:
        """Run a cell of the student's."""
        text = source(cell)
        cell["outputs"], cell["execution_count"] = [], None
        if self._out_of_time or not text.strip():
            return
        self._ran.add(grade_id(cell))
        if grade_id(cell) in self._plan.stubs:
            self.causes.answers[grade_id(cell)] = text
        try:
            result = self.process.run(text, draw=text.strip() not in self._plan.unchanged)
            outputs = result.outputs
        except StudentEnded as end:
            outputs = failure(ENDED, end.reason).outputs
            self._note(f"{_called(cell)}: {end.reason}")
        except TimeUp:
            self._stop()
            return
        self._fill(cell, outputs, self._next())

    def _offer(self, cell: dict[str, Any], test: PlannedTest) -> None:
        """Run a test where it stands, or let it wait."""
        cell["outputs"], cell["execution_count"] = [], None
        number = self._next()
        try:
            missed = self._out_of_time and test.answer not in self._ran
            offered = self._not_run() if missed else self._exams.offer(test)
        except TimeUp:
            self._stop()
            offered = self._not_run()
        if isinstance(offered, Group):
            self._waiting.append(Waiting(cell, test, offered, number))
        else:
            self._settle(cell, test, offered, number)

    def _heard(self, one: Waiting) -> Judged:
        try:
            return self._exams.hear(one.test, one.group)
        except TimeUp:
            self._stop()
            return self._not_run()

    def _not_run(self) -> Judged:
        words = f"the submission's {self._limit:g} s were used up before this test"
        return failure(NOT_RUN, f"{words}, so it earns nothing.")

    def _settle(self, cell: dict[str, Any], test: PlannedTest, judged: Judged, number: int) -> None:
        """Fill in what came of a test, and look for the cause if it failed."""
        self._fill(cell, judged.outputs, number)
        if judged.error == NOT_RUN:
            cell["execution_count"] = None
        elif self._diagnose:
            self.causes.heard(test, judged)

    def _next(self) -> int:
        """The number of the next cell, as notebooks count."""
        self._count += 1
        return self._count

    def _run_visible(self, test: PlannedTest) -> None:
        """Run what students see of a test in their process: a later cell needs what it defines."""
        try:
            if not self._out_of_time:
                self.process.run(test.visible, draw=False)
        except StudentEnded as end:
            self._note(f"the visible part of {test.name}: {end.reason}")
        except TimeUp:
            self._stop()

    def _fill(self, cell: dict[str, Any], outputs: list[dict[str, Any]], number: int) -> None:
        """Put outputs into a cell, numbered as a notebook numbers them."""
        cell["execution_count"] = number
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = number
        cell["outputs"] = [node(**output) for output in outputs]

    def _stop(self) -> None:
        self._out_of_time = True
        self._note(f"the submission used up its {self._limit:g} s; what came after was not run")

    def _note(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)


def _called(cell: Mapping[str, Any]) -> str:
    """How a cell is spoken of: by its grade_id, else by its id."""
    return grade_id(dict(cell)) or f"cell {cell.get('id', '?')}"
