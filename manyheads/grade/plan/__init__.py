"""What grading needs to know of a lesson, read once from the instructor's source notebook."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from manyheads.build.leaks import HiddenText
from manyheads.grade.cells import InstructorCell
from manyheads.grade.plan.checks import CheckCall
from manyheads.grade.plan.owners import Owner
from manyheads.student.notebook import read_notebook

__all__ = ["CheckCall", "Given", "LessonPlan", "Owner", "PlannedTest"]


@dataclass(frozen=True)
class Given:
    """Given code that the judge may run itself: its text and the owners of what it reads."""

    name: str
    source: str
    owners: Mapping[str, Owner]
    early: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PlannedTest:
    """One autograded test cell and how it is to be run.

    `exercise` is what its points count for, `answer` the solution cell that it tests. `owners`
    tell whose each name is that it reads, `names` those of the student's that it may need,
    `early` those that class bodies read, `needs` the earlier tests that define something for it.
    `seeds` tells that it seeds global generators. `with_student` is why it must run in the
    student's process, or empty. `visible` is its released text where a later cell of the lesson
    needs what the test defines, else empty. `imports` are the import statements of that text.
    """

    name: str
    source: str
    points: float
    exercise: str
    answer: str
    owners: Mapping[str, Owner]
    names: tuple[str, ...] = ()
    early: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    seeds: bool = False
    with_student: str = ""
    visible: str = ""
    imports: tuple[str, ...] = ()


@dataclass(frozen=True)
class LessonPlan:
    """A lesson as its instructor wrote it; can be sent to other processes.

    `cells` are the cells that nbgrader knows, in order: tests with their whole text, others as
    released. `tests` are by `grade_id`, `given` by place. `unchanged` holds the released texts of
    all cells that students needn't touch, `stubs` those of solution cells by `grade_id`, `checks`
    the lesson's own check of each exercise. `folder` is where the source lies, if modules lie
    beside it that tests may import, else empty; `modules` are those that trusted code imports.

    >>> marks = {"grade_id": "test_f", "grade": True, "locked": True, "points": 2}
    >>> cell = {"cell_type": "code", "metadata": {"nbgrader": marks}, "source": "assert f(T) == 1"}
    >>> plan = LessonPlan.of({"cells": [cell], "metadata": {}}, "02_small")
    >>> plan.tests["test_f"].names
    ('T', 'f')
    """

    lesson: str
    cells: tuple[InstructorCell, ...]
    tests: Mapping[str, PlannedTest]
    given: Mapping[int, Given]
    unchanged: frozenset[str]
    stubs: Mapping[str, str]
    checks: Mapping[str, CheckCall]
    hidden: HiddenText = field(repr=False)
    folder: str = ""
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Path | Mapping[str, Any], lesson: str = "") -> LessonPlan:
        """The plan of a source notebook, given as a file or as its content.

        Raises UnreadableNotebookError for a file that is no notebook.
        """
        from manyheads.grade.plan.reading import read_plan

        if isinstance(source, Path):
            plan = read_plan(read_notebook(source), lesson or source.stem)
            modules = [*source.parent.glob("*.py"), *source.parent.glob("*/__init__.py")]
            return replace(plan, folder=str(source.parent.resolve()) if modules else "")
        return read_plan(source, lesson)

    def wanted(self, only: Collection[str] | None) -> frozenset[str]:
        """The tests to be run where `only` names tests or exercises; None stands for all."""
        if only is None:
            return frozenset(self.tests)
        named = {n for n, test in self.tests.items() if {n, test.exercise, test.answer} & {*only}}
        return frozenset(named)

    def with_student(self, reasons: Mapping[str, str]) -> LessonPlan:
        """The plan with these tests, by `grade_id`, run in the student's process for a reason."""
        tests = {
            name: replace(test, with_student=test.with_student or reasons.get(name, ""))
            for name, test in self.tests.items()
        }
        return replace(self, tests=opted_out_together(tests))


def opted_out_together(tests: Mapping[str, PlannedTest]) -> dict[str, PlannedTest]:
    """The tests, each of which runs in the student's process if one does that it builds upon."""
    done: dict[str, PlannedTest] = {}
    for name, test in tests.items():
        there = next((one for one in test.needs if done[one].with_student), "")
        inherited = f"uses what {there} defines, which runs there" if there else ""
        done[name] = replace(test, with_student=test.with_student or inherited)
    return done
