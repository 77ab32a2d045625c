"""How long a full rebuild takes, leak check included, against the import of the libraries it needs.

Nine lessons are planned, so nine copies of the longest one are built, in a folder of their
own and a fresh process each time. Exits with 1 when the rebuild misses its floor.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from manyheads.course import MARKER, Course, find_course

FLOOR = 8.0  # seconds
LESSONS = 9
IMPORT = "import jupytext, nbformat, nbgrader.converters"
BUILD = (
    "import sys; from pathlib import Path; from manyheads.course import Course;"
    "from manyheads.build import build_course; build_course(Course(Path(sys.argv[1])))"
)


def copy_course(course: Course, folder: Path) -> Path:
    """A course of nine copies of the longest lesson."""
    longest = max(course.notebooks.glob("*.py"), key=lambda path: path.stat().st_size)
    (folder / "notebooks").mkdir()
    shutil.copy(course.root / MARKER, folder)
    for number in range(1, LESSONS + 1):
        shutil.copy(longest, folder / "notebooks" / f"{number:02d}_copy.py")
    return folder


def seconds(code: str, *arguments: str) -> float:
    """Wall time of a fresh Python that runs the code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)
    return time.perf_counter() - start


def main() -> int:
    """Measure, print, and judge by the floor."""
    seconds(IMPORT)  # the first import also reads the files from disk
    with tempfile.TemporaryDirectory() as folder:
        root = copy_course(find_course(), Path(folder).resolve())
        rebuild, imports = seconds(BUILD, str(root)), seconds(IMPORT)
    print(
        f"rebuild of {LESSONS} lessons {rebuild:.1f} s (floor {FLOOR:.0f} s), "
        f"importing its libraries {imports:.1f} s, ratio {rebuild / imports:.1f}"
    )
    return int(rebuild > FLOOR)


if __name__ == "__main__":
    sys.exit(main())
