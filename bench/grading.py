"""Grading by `manyheads grade` against stock `nbgrader autograde`: time and scores.

Run `python -m bench.grading`. One class of generated submissions is graded by nbgrader in its
own way, then by `manyheads grade` with one worker and with two, start-up included; every automatic
score is compared. What a notebook costs beyond its cells' own time is measured in three rounds, of
which the middle one counts: machines are shared, and noisy. The results are written to
docs/performance.md. Exits with 1 when a floor is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.parts import stock
from bench.parts.classes import make_class, notebooks, repeat
from bench.parts.document import UNEXPLAINED, Measured, Round, middle_of, put, times, verdicts
from bench.parts.usage import Usage, run
from manyheads.course import Course, find_course
from tests.grade.stock import differences, reason, scores

SUBMISSIONS = 200
ROUNDS = 3
WORKERS = 2
COMMAND = [sys.executable, "-m", "manyheads.cli", "grade", "--no-feedback"]


def grade(course: Course, workers: int) -> Usage:
    """Grade a class with `manyheads grade`, from nothing."""
    course.gradebook.unlink(missing_ok=True)
    return run([*COMMAND, "--workers", str(workers)], course.root)


def own(course: Course) -> list[float]:
    """The processor seconds that each graded notebook's cells cost by themselves."""
    paths = "\n".join(map(str, notebooks(course)))
    command = [sys.executable, "-m", "bench.parts.own", str(course.root / "empty.json")]
    quiet = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, input=paths, capture_output=True, text=True, check=True, env=quiet
    )
    seconds: list[float] = json.loads(done.stdout)
    return seconds


def start_up(course: Course, folder: Path) -> Usage:
    """What grading a class of one costs, nearly all of it start-up."""
    return grade(repeat(course, folder, 1), workers=1)


def rounds(course: Course, folder: Path) -> list[Round]:
    """Grading with one worker, its start-up and the cells' own time, one after the other."""
    found = []
    for number in range(ROUNDS):
        place = folder / str(number)
        place.mkdir()
        found.append(Round(grade(course, workers=1), start_up(course, place), own(course)))
    return found


def measure(submissions: int) -> Measured:
    """All measurements, each in a folder of its own that is removed afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        parts = {part: folder / part for part in ("ours", "stock", "one")}
        for part in parts.values():
            part.mkdir()
        course = make_class(find_course(), parts["ours"], submissions)
        lessons = course.lessons()
        theirs = stock.stock_course(course.root, parts["stock"], lessons)
        nbgrader = stock.autograde(theirs, lessons)
        middle = middle_of(rounds(course, parts["one"]))
        two = grade(course, WORKERS)
        found = {lesson: differences(course, Course(theirs), lesson) for lesson in lessons}
        return Measured(
            submissions=len(notebooks(course)),
            lessons=lessons,
            nbgrader=nbgrader,
            two=two,
            round=middle,
            cells=sum(len(cells) for one in lessons for cells in scores(course, one).values()),
            differing=[
                f"{lesson} {one.student} {one.cell}: {one.ours}, nbgrader {one.stock}: {why}"
                for lesson, several in found.items()
                for one in several
                for why in [reason(Course(theirs), lesson, one) or UNEXPLAINED]
            ],
        )


def main() -> int:
    """Measure, write the document, print it, and judge by the floors."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--submissions", type=int, default=SUBMISSIONS)
    options.add_argument("--print", action="store_true", help="leave docs/performance.md alone")
    chosen = options.parse_args()
    measured = measure(chosen.submissions)
    text = times(measured)
    if not chosen.print:
        put(find_course().root, times=text)
    missed = verdicts(measured)
    print(text, *(f"missed: {floor}" for floor in missed), sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
