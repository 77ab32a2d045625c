"""Where student code runs: a process for each submission, apart from everything of the grader's.

`Sandbox` starts a template inside bubblewrap and forks it; what runs there is
`manyheads.grade.inside`.
"""

from manyheads.grade.sandbox.bubblewrap import missing
from manyheads.grade.sandbox.ended import ExamImpossible, StudentEnded
from manyheads.grade.sandbox.limits import Limits
from manyheads.grade.sandbox.reply import CellResult
from manyheads.grade.sandbox.sandbox import Sandbox
from manyheads.grade.sandbox.student import Exam, Student

__all__ = [
    "CellResult",
    "Exam",
    "ExamImpossible",
    "Limits",
    "Sandbox",
    "Student",
    "StudentEnded",
    "missing",
]
