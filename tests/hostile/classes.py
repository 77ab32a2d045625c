"""Classes of hostile submissions with honest bystanders between them, graded in one run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from nbformat import NotebookNode

from manyheads.course import Course, notebook_path
from tests.classroom import fill, read, solutions
from tests.grade.mini import REPOSITORY, save, submit
from tests.hostile import UNATTACKED, Attack, filled_in, hostile, lesson
from tests.hostile.folders import FOLDERS
from tests.hostile.room import Outcome, Room, copy_course, grade, room, scores, seen_by_student

SECONDS = 3  # for one cell, so that a hanging attack is soon over
BYSTANDER, LAST = "a-bystander", "z-bystander"
EVERY = 12  # one honest bystander after so many attacks


@dataclass
class Class:
    """One lesson's release, what is attacked in it, and wrong and right answers to the rest."""

    lesson: str
    exercise: str
    release: NotebookNode
    wrong: Mapping[str, str]
    right: Mapping[str, str]


@dataclass
class Graded:
    """A class that was graded: where it is, what was said, what each cell earned."""

    room: Room
    outcome: Outcome
    lesson: str
    scores: Mapping[str, Mapping[str, float]]
    bystanders: list[str]
    attackers: list[str] = field(default_factory=list)

    def seen(self, student: str) -> str:
        """All text that reaches this student."""
        return seen_by_student(self.room.course, student, self.lesson)


def target() -> Class:
    """The lesson made to be attacked."""
    return Class(
        lesson.LESSON, lesson.EXERCISE, lesson.release_notebook(), lesson.WRONG, lesson.RIGHT
    )


def real(name: str, exercise: str) -> Class:
    """One of the course's own lessons, nothing in it answered but by attacks and bystanders."""
    original = Course(REPOSITORY)
    release = read(notebook_path(original.release, name))
    source = read(notebook_path(original.source, name))
    return Class(name, exercise, release, {}, solutions(source))


def lay(made: Room, cls: Class) -> None:
    """Copy the course's files into the room, with the lesson to attack and a short deadline."""
    course = made.course
    copy_course(Course(REPOSITORY), course)
    save(lesson.source_notebook(), notebook_path(course.source, lesson.LESSON))
    save(lesson.release_notebook(), notebook_path(course.release, lesson.LESSON))
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"c.Execute.timeout = {SECONDS}\n")
    honest = fill(cls.release, cls.right)
    honest.cells[-1].source += "\n# CANARY-other"
    for name in (BYSTANDER, LAST):
        submit(course, name, honest, cls.lesson)
    submit(course, UNATTACKED.student, _notebook(made, cls, UNATTACKED), cls.lesson)


def hand_in(made: Room, cls: Class, attacks: Collection[Attack], folders: bool) -> list[str]:
    """Submit the attacks, and a bystander after every dozen; returns the attackers' names."""
    course, attackers = made.course, []
    honest = fill(cls.release, cls.right)
    for number, attack in enumerate(sorted(attacks, key=lambda one: one.student)):
        submit(course, attack.student, _notebook(made, cls, attack), cls.lesson)
        attackers.append(attack.student)
        if number % EVERY == 0:
            submit(course, f"{attack.student}-bystander", honest, cls.lesson)
    for name, change in FOLDERS.items() if folders else ():
        path = submit(course, name, _notebook(made, cls, UNATTACKED), cls.lesson)
        change(path.parent, course.root)
        attackers.append(name)
    return attackers


def _notebook(made: Room, cls: Class, attack: Attack) -> NotebookNode:
    made_of = hostile(attack, cls.release, cls.exercise, cls.wrong)
    words = made.words(cls.lesson, cls.exercise, attack.student, BYSTANDER)
    return filled_in(made_of, words)


def run(made: Room, cls: Class, attackers: list[str], *, timeout: float = 1500) -> Graded:
    """Grade the class that was handed in."""
    outcome = grade(made, cls.lesson, timeout=timeout)
    students = [path.name for path in sorted(made.course.submitted.iterdir())]
    bystanders = [name for name in students if name.endswith("bystander")]
    earned = scores(made.course, cls.lesson)
    return Graded(made, outcome, cls.lesson, earned, bystanders, attackers)


def refuse_without_sandbox() -> None:
    """Skip where nothing would hold an attack: they would harm the machine that runs the tests."""
    from manyheads.grade.sandbox import missing

    reason = missing()
    if reason:
        pytest.skip(reason)


PROBE = Attack(
    "probe",
    "room",
    start="""
import os, sysconfig
print("uid", os.getuid(), "course", os.path.exists("COURSE"), "home", os.path.exists("HOMEDIR"))
print("site", os.access(sysconfig.get_paths()["purelib"], os.W_OK), "root", os.access("/", os.W_OK))
print("others", len([n for n in os.listdir("/proc") if n.isdigit()]) > 6)
print("capabilities", [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapEff")])
""",
)
HELD = ("course False", "home False", "site False", "root False", "'0000000000000000'")


def probe(root: Path) -> str:
    """What a harmless submission sees of the machine; the tests ask this before any attack."""
    with room(root) as made:
        cls = target()
        lay(made, cls)
        names = hand_in(made, cls, [PROBE], folders=False)
        return run(made, cls, names).seen(PROBE.student)
