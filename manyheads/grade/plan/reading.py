"""Read a lesson's plan from its source notebook."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from manyheads.build.cell_code import Code
from manyheads.build.distance import OPT_OUT_TAG, obstacles
from manyheads.build.imports import modules
from manyheads.build.leaks import HiddenText
from manyheads.build.regions import STUB, has_region, released
from manyheads.grade.cells import InstructorCell
from manyheads.grade.exercises import exercise_of
from manyheads.grade.plan import Given, LessonPlan, PlannedTest, opted_out_together
from manyheads.grade.plan.checks import check_calls
from manyheads.grade.plan.owners import Owner, Owners, Place, Role
from manyheads.grade.plan.seeds import modules_of, seeds_globally
from manyheads.student.notebook import Cell, grade_id, grading, is_test, source

FLAGS = ("grade", "solution", "locked", "task")


def read_plan(notebook: Mapping[str, Any], lesson: str) -> LessonPlan:
    """The plan of a source notebook; see `LessonPlan`."""
    cells: list[Cell] = list(notebook["cells"])
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    reader = _Reader(tuple(code))
    untouched = [c for c in code if not grading(c).get("solution") and not is_test(c)]
    solutions = [c for c in cells if grading(c).get("solution")]
    return LessonPlan(
        lesson=lesson,
        cells=tuple(_instructor_cell(cell) for cell in cells if grade_id(cell)),
        tests=reader.tests,
        given=reader.given,
        unchanged=frozenset(released(source(cell)).strip() for cell in untouched),
        stubs={grade_id(cell): released_source(cell) for cell in solutions},
        checks=check_calls(place.code for place in reader.places if place.role != "test"),
        modules=reader.modules,
        hidden=HiddenText.of({**notebook, "cells": [_with_metadata(cell) for cell in cells]}),
    )


def released_source(cell: Cell) -> str:
    """A source cell's text as students get it."""
    text = source(cell)
    if grading(cell).get("solution") and not has_region(text, "SOLUTION"):
        return STUB
    return released(text)


def _with_metadata(cell: Cell) -> Cell:
    return {**cell, "metadata": cell.get("metadata", {}), "source": source(cell)}


def _instructor_cell(cell: Cell) -> InstructorCell:
    marks = grading(cell)
    return InstructorCell(
        grade_id=grade_id(cell),
        cell_type=str(cell["cell_type"]),
        source=source(cell) if marks.get("grade") else released_source(cell),
        checksum=marks.get("checksum"),
        points=marks.get("points"),
        **{flag: bool(marks.get(flag)) for flag in FLAGS},
    )


def _role(cell: Cell) -> Role:
    marks = grading(cell)
    if is_test(cell):
        return "test"
    if marks.get("solution"):
        return "solution"
    return "given" if marks.get("locked") else "plain"


@dataclass(frozen=True)
class _Reader:
    """The code cells of a source notebook, and what they give for a plan."""

    cells: Sequence[Cell]

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(Place(_role(c), grade_id(c), Code.of(source(c))) for c in self.cells)

    @cached_property
    def owners(self) -> Owners:
        return Owners(self.places)

    @cached_property
    def tests(self) -> dict[str, PlannedTest]:
        """Every test, in order."""
        found: dict[str, PlannedTest] = {}
        for place, cell in enumerate(self.cells):
            if self.places[place].role == "test":
                test = found[grade_id(cell)] = self._test(place, cell, found)
                if test.with_student:
                    self.owners.apart.add(place)
        later = self._for_later()
        return {
            name: replace(test, visible=released(test.source) if name in later else "")
            for name, test in opted_out_together(found).items()
        }

    def _test(self, place: int, cell: Cell, earlier: Mapping[str, PlannedTest]) -> PlannedTest:
        code, owners = self.places[place].code, self.owners.free(place)
        direct = {o.final.text for o in owners.values() if o.final.kind == "test"}
        needs = [n for n in earlier if n in direct or any(n in earlier[d].needs for d in direct)]
        own = {name for name, owner in owners.items() if owner.final.kind == "student"}
        below = {name for one in needs for name in earlier[one].names}
        name = grade_id(cell)
        return PlannedTest(
            name=name,
            source=source(cell),
            points=float(grading(cell).get("points") or 0),
            exercise=exercise_of(name, self._solutions(len(self.cells))),
            answer=self._answer(name, place),
            owners=owners,
            names=tuple(sorted(own | below)),
            early=code.read_by_classes,
            needs=tuple(needs),
            imports=_imports(released(source(cell))),
            seeds=seeds_globally(code, owners) or any(earlier[one].seeds for one in needs),
            with_student=self._reason(place, cell, own),
        )

    def _solutions(self, before: int) -> list[str]:
        return [place.name for place in self.places[:before] if place.role == "solution"]

    def _answer(self, test: str, place: int) -> str:
        """The solution cell that a test is about: the one of its name, else the last above it."""
        named = exercise_of(test, self._solutions(len(self.cells)))
        above = self._solutions(place)
        return named if named in above or not above else above[-1]

    def _reason(self, place: int, cell: Cell, students: set[str]) -> str:
        """Why a test must run in the student's process; empty if it need not."""
        code = self.places[place].code
        if OPT_OUT_TAG in cell.get("metadata", {}).get("tags", []):
            return f"has the tag {OPT_OUT_TAG}"
        if code.tree is None:
            return "is no plain Python"
        if code.magic:
            return "uses magics or shell lines"
        modules = modules_of(code, self.owners.free(place))
        found = [one.what for one in obstacles(code.tree, students, modules)]
        found += [f"replaces {name}" for name in sorted(self._replaced(place, students))]
        return next(iter(found), "")

    def _replaced(self, place: int, students: set[str]) -> set[str]:
        """Names that a test sets anew and that a solution's functions read when they run."""
        if not students:
            return set()
        above = [cell for cell in self.places[:place] if cell.role == "solution"]
        read = {name for cell in above for name in cell.code.read_by_functions}
        bound = {n for c in self.places[:place] if c.role != "test" for n in c.code.assigned}
        return set(self.places[place].code.assigned & read & bound)

    @property
    def modules(self) -> tuple[str, ...]:
        """What the tests, and the cells from which they take names, import."""
        judged = {name: test for name, test in self.tests.items() if not test.with_student}
        places = [p for p in self.places if p.role == "given" or p.name in judged]
        trees = [place.code.tree for place in places]
        owners = [owner for test in judged.values() for owner in test.owners.values()]
        trees += [ast.parse(o.text) for o in owners if o.kind in ("import", "star")]
        return tuple(sorted({name for tree in trees if tree for name in modules(tree)}))

    @cached_property
    def given(self) -> dict[int, Given]:
        """Given code that a test needs and the judge may run."""
        needed = {
            place for test in self.tests.values() for place in self.owners.given_below(test.owners)
        }
        return {place: self._given(place) for place in sorted(needed)}

    def _given(self, place: int) -> Given:
        cell = self.places[place]
        return Given(cell.name, cell.code.text, self.owners.free(place), cell.code.read_by_classes)

    def _for_later(self) -> set[str]:
        """Tests that define what a later cell of the lesson reads and finds nowhere else."""
        nothing = Code.of("")
        plain = [replace(p, code=nothing) if p.role == "test" else p for p in self.places]
        without_tests = Owners(plain)
        found = set()
        for place, cell in enumerate(self.places):
            if cell.role != "test":
                for name, owner in self.owners.free(place).items():
                    other = without_tests.of(name, place)
                    if (owner.final.kind, owner.final.text) != (other.final.kind, other.final.text):
                        found |= self._tests_behind(owner)
        return found

    def _tests_behind(self, owner: Owner) -> set[str]:
        here = self.places[owner.place] if owner.place >= 0 else None
        name = {here.name} if here is not None and here.role == "test" else set()
        return name if owner.otherwise is None else name | self._tests_behind(owner.otherwise)


def _imports(text: str) -> tuple[str, ...]:
    """The import statements of a cell, outside of functions."""
    tree = Code.of(text).tree
    nodes = tree.body if tree else []
    return tuple(ast.unparse(one) for one in nodes if isinstance(one, ast.Import | ast.ImportFrom))
