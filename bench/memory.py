"""What grading with two workers holds in memory, with 100, 1,000 and 10,000 submissions.

Run `python -m bench.memory`. One class of generated submissions is handed in again and again. The
results are written to docs/performance.md. Exits with 1 when memory grows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import accumulate
from pathlib import Path
from statistics import median

from bench.grading import COMMAND, SUBMISSIONS, WORKERS
from bench.parts.classes import make_class, repeat
from bench.parts.document import Held, growth, held, put
from bench.parts.usage import memory, run
from manyheads.course import Course, find_course

SIZES = (100, 1_000, 10_000)


def measure(course: Course, folder: Path, sizes: tuple[int, ...]) -> dict[int, Held]:
    """The bytes that all processes held together, up to each number of submissions.

    What is usual is the middle one of all looks at the run since the size before.
    """
    big = repeat(course, folder, sizes[-1])
    looks: dict[int, list[int]] = {size: [] for size in sizes}

    def watch(pid: int) -> None:
        held, done = memory(pid), sum(1 for _ in big.autograded.glob("*/*"))
        size = next((size for size in sizes if done <= size), sizes[-1])
        if done:
            looks[size].append(held)

    run([*COMMAND, "--workers", str(WORKERS)], big.root, watch)
    most = accumulate((max(found, default=0) for found in looks.values()), max)
    return {
        size: Held(usual=int(median(found or [peak])), most=peak)
        for (size, found), peak in zip(looks.items(), most, strict=True)
    }


def main() -> int:
    """Measure, write the document, print it, and judge by the floor."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--submissions", type=int, default=SUBMISSIONS, help="before repeating")
    options.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options.add_argument("--print", action="store_true", help="leave docs/performance.md alone")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        one, many = Path(name).resolve() / "one", Path(name).resolve() / "many"
        one.mkdir()
        many.mkdir()
        course = make_class(find_course(), one, chosen.submissions)
        found = measure(course, many, tuple(chosen.sizes))
    if not chosen.print:
        put(find_course().root, memory=held(found))
    missed = growth(found)
    print(held(found), *(f"missed: {floor}" for floor in missed), sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
