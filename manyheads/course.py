"""Where a course's folders are, and which lessons it has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manyheads.errors import CourseNotFoundError, UnknownLessonError

MARKER = "nbgrader_config.py"


@dataclass(frozen=True)
class Course:
    """The folders of one course, all below `root`.

    >>> Course(Path("/course")).work.as_posix()
    '/course/work'
    """

    root: Path

    @property
    def notebooks(self) -> Path:
        """The hand-written lessons, text notebooks `NN_name.py`."""
        return self.root / "notebooks"

    @property
    def source(self) -> Path:
        """The instructor's notebooks, built from `notebooks`."""
        return self.root / "source"

    @property
    def release(self) -> Path:
        """The students' notebooks, built from `source`."""
        return self.root / "release"

    @property
    def submitted(self) -> Path:
        """What students sent in: `{student}/{lesson}/{lesson}.ipynb`."""
        return self.root / "submitted"

    @property
    def autograded(self) -> Path:
        """What the grader made of `submitted`."""
        return self.root / "autograded"

    @property
    def feedback(self) -> Path:
        """The pages a student receives after grading."""
        return self.root / "feedback"

    @property
    def work(self) -> Path:
        """A local student's own copies: `{lesson}/{lesson}.ipynb`."""
        return self.root / "work"

    @property
    def gradebook(self) -> Path:
        """The class's grades, nbgrader's database."""
        return self.root / "gradebook.db"

    def lessons(self) -> list[str]:
        """Ids of all lessons, in the order of their numbers.

        From `release` and `notebooks`, and from `source` in a course that nbgrader alone made.
        """
        written = {path.stem for path in self.notebooks.glob("[0-9][0-9]_*.py")}
        made = {
            path.parent.name
            for folder in (self.release, self.source)
            for path in folder.glob("*/*.ipynb")
        }
        return sorted(written | made)

    def lesson(self, name: str) -> str:
        """The id of the lesson meant by `name`: an id, or the start of exactly one id.

        Raises UnknownLessonError when no lesson, or more than one, is meant.
        """
        lessons = self.lessons()
        if name in lessons:
            return name
        found = [lesson for lesson in lessons if name and lesson.startswith(name)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(lessons) or "none yet; run `manyheads build`"
        raise UnknownLessonError(f"No lesson is called {name!r}. The course has: {known}.")


def notebook_path(folder: Path, lesson: str) -> Path:
    """Path of a lesson's notebook in one of the course's folders.

    >>> notebook_path(Path("work"), "02_head_split").as_posix()
    'work/02_head_split/02_head_split.ipynb'
    """
    return folder / lesson / f"{lesson}.ipynb"


def find_course(start: Path | None = None) -> Course:
    """The course that holds the folder `start` (the current one if not given).

    Raises CourseNotFoundError when no folder from `start` upwards holds `nbgrader_config.py`.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / MARKER).is_file():
            return Course(folder)
    raise CourseNotFoundError(
        f"{here} is not inside a course: no folder from there upwards holds {MARKER}. "
        "Change into the course's folder and try again."
    )
