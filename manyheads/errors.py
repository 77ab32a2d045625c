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
