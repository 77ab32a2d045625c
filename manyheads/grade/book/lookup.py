"""Finding a submission's rows by the keys that nbgrader's tables have an index for.

There is none on the notebook that a grade or a comment belongs to: asked for by that alone, the
database would read the whole class's grades for each submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, bindparam, func, select

from manyheads.grade.book.register import LessonRows
from manyheads.grade.book.tables import GRADE, SUBMISSION, SUBMITTED_NOTEBOOK

_NOTEBOOKS = select(SUBMITTED_NOTEBOOK.c.notebook_id, SUBMITTED_NOTEBOOK.c.id).where(
    SUBMITTED_NOTEBOOK.c.notebook_id.in_(bindparam("notebooks", expanding=True)),
    SUBMITTED_NOTEBOOK.c.assignment_id == bindparam("submission"),
)


def submitted_notebooks(
    connection: Connection, lesson: LessonRows, submission: str
) -> dict[str, str]:
    """The rows of a submission's notebooks, by the row of the lesson's notebook."""
    wanted = {"notebooks": [one.id for one in lesson.notebooks], "submission": submission}
    found = connection.execute(_NOTEBOOKS, wanted)
    return {row.notebook_id: row.id for row in found}


def rows_of(
    connection: Connection, table: Table, cells: Iterable[str], notebooks: Sequence[str]
) -> Sequence[Any]:
    """The grades or comments of some submitted notebooks that belong to some cells, by rows."""
    where = (table.c.cell_id.in_(list(cells)), table.c.notebook_id.in_(notebooks))
    return connection.execute(select(table).where(*where)).all()


def is_complete(connection: Connection, lesson: LessonRows, student: str) -> bool:
    """Whether the gradebook holds a grade for each graded cell of a submission."""
    submission = connection.scalar(
        select(SUBMISSION.c.id).where(
            SUBMISSION.c.assignment_id == lesson.id, SUBMISSION.c.student_id == student
        )
    )
    own = submitted_notebooks(connection, lesson, str(submission))
    cells = [cell for notebook in lesson.notebooks for cell in notebook.graded.values()]
    count = select(func.count()).select_from(GRADE)
    where = (GRADE.c.cell_id.in_(cells), GRADE.c.notebook_id.in_(list(own.values())))
    return bool(connection.scalar(count.where(*where)) == len(cells))
