"""One submission's run: its cells in order, then its tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import TracebackType
from typing import Any

from manyheads.grade.cells import node
from manyheads.grade.judge import Judged
from manyheads.grade.plan import LessonPlan, PlannedTest
from manyheads.grade.run.ahead import Outlook
from manyheads.grade.run.causes import Causes
from manyheads.grade.run.exams import ENDED, Exams, Met, failure
from manyheads.grade.run.process import Clock, Process, TimeUp
from manyheads.grade.sandbox import Sandbox, StudentEnded
from manyheads.grade.verdict import NOT_RUN
from manyheads.student.notebook import grade_id, source

Cell = dict[str, Any]


class Run:
    """The run of one submission; a context manager that ends its processes."""

    def __init__(
        self,
        plan: LessonPlan,
        sandbox: Sandbox,
        files: Mapping[str, bytes],
        wanted: Collection[str],
        diagnose: bool,
        cells: Sequence[Cell],
    ) -> None:
        self._plan, self._wanted, self._diagnose = plan, wanted, diagnose
        self._needed = {*wanted, *(n for name in wanted for n in plan.tests[name].needs)}
        self._clock = Clock.start(sandbox.limits)
        self._limit = sandbox.limits.submission_seconds
        self.notes: list[str] = []
        self.process = Process(sandbox, files, self._clock)
        self._exams = Exams(plan, self.process, self._clock, self._note)
        self.causes = Causes(plan, self.process, self._note)
        self._waiting: list[tuple[Cell, int, Met]] = []
        self._outlook = Outlook([self._text(cell) for cell in cells])
        self._place = 0
        self._brought: dict[str, int] = {}
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
        self.process.end()

    def cell(self, cell: Cell) -> None:
        """Run a code cell of the student's and fill in its outputs; take down what a test needs."""
        self._place += 1
        test = self._plan.tests.get(grade_id(cell))
        if test is None:
            self._exams.leave()
            self._run(cell)
            return
        if test.name in self._needed:
            self._import(test)
            self._meet(cell, test)
        if test.visible:
            self._exams.leave()
            self._run_unseen(test.visible, f"the visible part of {test.name}")

    def judge(self) -> None:
        """Run the tests whose places have been reached, and fill in what came of them."""
        waiting, self._waiting = self._waiting, []
        self._clock.only_tests()
        for cell, count, met in waiting:
            judged = self._judged(met)
            if met.test.name in self._wanted:
                self._fill(cell, judged.outputs, None if judged.error == NOT_RUN else count)
                self.causes.heard(met, judged)

    def explain(self) -> None:
        """Find the causes of what was lost, when no process that has met a hidden test is left."""
        self._exams.close()
        self.process.end()
        if self._diagnose:
            self.causes.find()

    def _text(self, cell: Cell) -> str:
        """What a cell brings to the student's process."""
        test = self._plan.tests.get(grade_id(cell))
        return source(cell) if test is None else test.visible

    def _run(self, cell: Cell) -> None:
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
            self.causes.ran(grade_id(cell), outputs)
        except StudentEnded as end:
            outputs = failure(ENDED, end.reason).outputs
            self._note(f"{_called(cell)}: {end.reason}")
        except TimeUp:
            self._stop()
            return
        self._fill(cell, outputs, self._next_count())

    def _meet(self, cell: Cell, test: PlannedTest) -> None:
        if test.name in self._wanted:
            cell["outputs"], cell["execution_count"] = [], None
        met, place = None, self._place - 1

        def stays() -> bool:
            return self._outlook.stays(test.names, place)

        try:
            if not self._out_of_time or test.answer in self._ran:
                met = self._exams.meet(test, stays)
        except TimeUp:
            self._stop()
        if met is None:
            words = f"the submission's {self._limit:g} s were used up before this test"
            self._fill(cell, failure(NOT_RUN, f"{words}, so it earns nothing.").outputs, None)
            return
        self._waiting.append((cell, self._next_count(), met))

    def _import(self, test: PlannedTest) -> None:
        """Import what students see a test import, where their notebook lacks it."""
        lacking = [
            one
            for one in test.imports
            if self._outlook.lacks(one, self._brought.get(one, 0), self._place - 1)
        ]
        if lacking:
            self._brought.update(dict.fromkeys(lacking, self._place - 1))
            self._exams.leave()
            self._run_unseen("\n".join(lacking), f"what {test.name} imports")

    def _judged(self, met: Met) -> Judged:
        try:
            return self._exams.judge(met)
        except TimeUp:
            self._stop()
        words = f"the submission's {self._limit:g} s were used up before this test"
        return failure(NOT_RUN, f"{words}, so it earns nothing.")

    def _run_unseen(self, text: str, called: str) -> None:
        """Run what students see of a test in their process: other cells need what it defines."""
        try:
            if not self._out_of_time:
                self.process.run(text, draw=False)
        except StudentEnded as end:
            self._note(f"{called}: {end.reason}")
        except TimeUp:
            self._stop()

    def _next_count(self) -> int:
        self._count += 1
        return self._count

    def _fill(self, cell: Cell, outputs: list[dict[str, Any]], count: int | None) -> None:
        """Put outputs into a cell, numbered as a notebook numbers them."""
        cell["execution_count"] = count
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = count
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
