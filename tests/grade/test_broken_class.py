"""A class of three hundred in which one in twenty is broken: the others don't notice."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.grade import ClassReport, grade_class
from tests.classroom.breakage import BREAKAGES, Breakage, break_share
from tests.classroom.generate import generate, hand_in
from tests.grade.mini import REPOSITORY
from tests.hostile.classes import refuse_without_sandbox
from tests.hostile.room import copy_course, graded_notebook, scores

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

CLASS = 300
ONE_IN_TWENTY = 0.05
LESSONS = Course(REPOSITORY).lessons()
# The rest of the breakages are as many again; a class of their own holds them.
NASTIEST = list(BREAKAGES)[:15]
OTHERS = list(BREAKAGES)[15:]


@dataclass
class Broken:
    """A graded class, who in it is broken and how, and what everybody earned."""

    report: ClassReport
    course: Course
    broken: dict[str, str]
    scores: dict[str, dict[str, dict[str, float]]]

    def student(self, breakage: str) -> tuple[str, str]:
        """The first student who came to this breakage, and their lesson."""
        name = next(name for name, how in self.broken.items() if how == breakage)
        [folder] = (self.course.submitted / name).iterdir()
        return name, folder.name

    def told(self, breakage: str) -> str:
        """All that the report says of them, and the causes that their page gives."""
        name, lesson = self.student(breakage)
        failures = [one.cause for one in self.report.failures if one.student == name]
        flags = self.report.flags.get((name, lesson), [])
        notebook = graded_notebook(self.course, name, lesson)
        causes = notebook.metadata["manyheads"]["causes"].values() if notebook else []
        return "\n".join([*failures, *flags, *causes])


def a_class(
    root: Path, count: int, share: float, names: Sequence[str], only: Collection[str] = ()
) -> Broken:
    """Generate, break and grade a class, or `only` some of its students."""
    course = Course(root)
    copy_course(Course(REPOSITORY), course)
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("c.Execute.timeout = 5\n")
    class_ = generate(count)
    paths = [hand_in(course, made) for made in class_ if not only or made.student in only]
    broken = break_share(paths, share, names) if share else {}
    report = grade_class(course, LESSONS, lambda *_: None, feedback=False)
    earned = {lesson: scores(course, lesson) for lesson in LESSONS}
    return Broken(report, course, broken, earned)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    """One in twenty broken, each in a way of its own."""
    refuse_without_sandbox()
    return a_class(tmp_path_factory.mktemp("broken"), CLASS, ONE_IN_TWENTY, NASTIEST)


@pytest.fixture(scope="module")
def whole(broken: Broken, tmp_path_factory: pytest.TempPathFactory) -> Broken:
    """What those who are broken, and one in seven of the others, earn where nobody is broken."""
    every_seventh = [made.student for made in generate(CLASS)][::7]
    students = {*every_seventh, *broken.broken}
    return a_class(tmp_path_factory.mktemp("whole"), CLASS, 0, [], students)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    """A small class with all other breakages."""
    refuse_without_sandbox()
    return a_class(tmp_path_factory.mktemp("others"), len(OTHERS), 1, OTHERS)


def test_one_in_twenty_is_broken(broken: Broken) -> None:
    assert len(broken.broken) == CLASS * ONE_IN_TWENTY
    assert sorted(broken.broken.values()) == sorted(NASTIEST)


def test_all_the_others_are_graded(broken: Broken) -> None:
    graded = {name for lesson in LESSONS for name in broken.scores[lesson]}
    assert len(graded - set(broken.broken)) == CLASS - len(broken.broken)
    unreadable = [name for name, how in broken.broken.items() if not BREAKAGES[how].graded]
    assert sorted(one.student for one in broken.report.failures) == sorted(unreadable)


def test_the_others_earn_what_they_earn_where_nobody_is_broken(
    whole: Broken, broken: Broken
) -> None:
    assert whole.report.failures == []
    for lesson in LESSONS:
        wanted = {n: c for n, c in whole.scores[lesson].items() if n not in broken.broken}
        assert len(wanted) >= 5
        assert {name: broken.scores[lesson][name] for name in wanted} == wanted


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=lambda one: one.name)
def test_each_broken_one_is_reported_with_its_cause(
    broken: Broken, others: Broken, breakage: Breakage
) -> None:
    of = broken if breakage.name in NASTIEST else others
    name, lesson = of.student(breakage.name)
    assert (name in of.scores[lesson]) == breakage.graded
    said = of.told(breakage.name)
    assert re.search(breakage.told, said, re.IGNORECASE), said
    assert breakage.graded or said


@pytest.mark.parametrize(
    "how", ["endless_loop", "exits", "crashes", "memory_bomb", "one_line_of_50_megabytes"]
)
def test_a_broken_exercise_costs_itself_and_no_other(
    whole: Broken, broken: Broken, how: str
) -> None:
    name, lesson = broken.student(how)
    before, after = whole.scores[lesson][name], broken.scores[lesson][name]
    lost = {cell for cell, points in before.items() if after[cell] < points}
    exercises = {re.sub("_(shape|values|contract)$", "", cell) for cell in lost}
    assert len(exercises) <= 1


def test_a_million_displays_make_no_giant_notebook(broken: Broken) -> None:
    for how in ("a_million_displays", "one_line_of_50_megabytes"):
        name, lesson = broken.student(how)
        assert notebook_path(broken.course.autograded / name, lesson).stat().st_size < 10 * 2**20
