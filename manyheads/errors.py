"""Every failure the tools report, one class each.

A message is one or more plain sentences: what came, what was expected, where, and what to do.
The command line prints it without a traceback and exits with `exit_code`.
"""


class ManyheadsError(Exception):
    """Base of all errors that are reported to a person in words, without a traceback."""

    exit_code = 1


class CourseNotFoundError(ManyheadsError):
    """No parent folder holds `nbgrader_config.py`."""


class UnknownLessonError(ManyheadsError):
    """A lesson was named that the course does not have."""


class UnreadableNotebookError(ManyheadsError, ValueError):
    """A notebook file could not be read as a notebook."""


class LessonTextError(ManyheadsError):
    """A hand-written lesson breaks a rule; the message lists file, line and remedy of each."""


class DriftError(ManyheadsError):
    """What lies in `source/` or `release/` is not what the lesson text builds."""


class LeakError(ManyheadsError):
    """Something hidden from students was found in a file that students receive."""


class PortTakenError(ManyheadsError):
    """The port asked for is already in use."""


class MissingSubmissionError(ManyheadsError):
    """There is nothing to submit or to grade where it was looked for."""


class NoChecksError(ManyheadsError):
    """A notebook was checked and held no check at all."""


class GradingError(ManyheadsError):
    """A submission could not be graded; the message names student, lesson and remedy."""


class UnreadableError(GradingError):
    """A submission can't be read: `cause` in words, the `line` it is in if known, a `remedy`.

    `place` is the file or folder meant. All four travel between processes.
    """

    def __init__(self, cause: str, remedy: str, line: int | None = None, place: str = "") -> None:
        super().__init__(cause, remedy, line, place)
        self.cause, self.remedy, self.line, self.place = cause, remedy, line, place

    def __str__(self) -> str:
        """Place, cause and remedy in one line."""
        line = f"line {self.line}: " if self.line else ""
        return (
            f"{self.place or 'The submission'} can't be graded: {line}{self.cause}. {self.remedy}"
        )


class MissingNotebookError(UnreadableError):
    """A submission's folder holds no notebook that could be meant."""


class GradebookError(GradingError):
    """The gradebook can't be opened, read or written."""


class GradingStoppedError(ManyheadsError):
    """Grading was interrupted; the message says how far it got, and what is kept."""

    exit_code = 130


class SandboxError(ManyheadsError):
    """No sandbox can be had; the message says what is missing and what to install."""


class NotReleasedError(ManyheadsError):
    """A lesson was asked for that `release/` does not hold yet."""


class StudentIdError(ManyheadsError):
    """A student's id holds characters that can't be part of a submission's path."""


class StudentsCopyError(ManyheadsError):
    """Something was asked of a students' copy that only the whole course can do."""


class BankError(ManyheadsError):
    """The bank of known answers can't be read, or does not fit the lessons."""


class SiteError(ManyheadsError):
    """A lesson could not be run to its end, so the site can't show it."""
