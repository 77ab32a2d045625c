"""What is graded already, and from what: the table beside nbgrader's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, delete, insert, select

from manyheads.grade.book.lookup import is_complete
from manyheads.grade.book.register import LessonRows
from manyheads.grade.book.tables import RECORD

_OF_SUBMISSION = (
    RECORD.c.lesson == bindparam("of_lesson"),
    RECORD.c.student == bindparam("of_student"),
)
_FIND = select(RECORD).where(*_OF_SUBMISSION)
_DROP = delete(RECORD).where(*_OF_SUBMISSION)
_ADD = insert(RECORD)


@dataclass(frozen=True)
class Fingerprint:
    """Digests of all that a submission's scores come from.

    `submission`: the student's files; `material`: the lesson but its graded tests; `engine`: this
    package and the configuration; `tests`: each graded test, by "notebook/grade_id".
    """

    submission: str
    material: str
    engine: str
    tests: Mapping[str, str]


@dataclass(frozen=True)
class Record:
    """How a submission was graded, and what came of it beyond the scores.

    `causes` says, by "notebook/exercise", why a hidden test failed, in the check's own words;
    `cause_ids` names the misconception.
    """

    fingerprint: Fingerprint
    sandboxed: bool
    flags: Sequence[str] = ()
    causes: Mapping[str, str] = field(default_factory=dict)
    cause_ids: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def outdated(self, now: Fingerprint, *, sandboxed: bool) -> set[str] | None:
        """The tests that have to be judged again, none of them if all is as it was.

        None when everything has to be: another submission, lesson, program or setting, or a
        sandbox where there was none.

        >>> before = Record(Fingerprint("s", "m", "e", {"p1/a": "1", "p1/b": "1"}), sandboxed=True)
        >>> before.outdated(Fingerprint("s", "m", "e", {"p1/a": "2", "p1/b": "1"}), sandboxed=True)
        {'p1/a'}
        """
        then = self.fingerprint
        same = (then.submission, then.material, then.engine) == (
            now.submission,
            now.material,
            now.engine,
        )
        if not same or then.tests.keys() != now.tests.keys() or (sandboxed and not self.sandboxed):
            return None
        return {name for name, digest in now.tests.items() if then.tests[name] != digest}


def read_record(connection: Connection, lesson: LessonRows, student: str) -> Record | None:
    """How a submission was graded; None if it was not, or if its rows are no longer there."""
    row = connection.execute(_FIND, {"of_lesson": lesson.name, "of_student": student}).first()
    if row is None or not is_complete(connection, lesson, student):
        return None
    fingerprint = Fingerprint(row.submission, row.material, row.engine, json.loads(row.tests))
    return Record(
        fingerprint,
        row.sandboxed,
        json.loads(row.flags),
        json.loads(row.causes),
        json.loads(row.cause_ids),
        row.seconds,
    )


def write_record(connection: Connection, lesson: str, student: str, record: Record) -> None:
    """Note, in the connection's transaction, how a submission was graded."""
    drop_record(connection, lesson, student)
    mark = record.fingerprint
    values = {
        "lesson": lesson,
        "student": student,
        "submission": mark.submission,
        "material": mark.material,
        "engine": mark.engine,
        "tests": json.dumps(mark.tests, sort_keys=True, ensure_ascii=False),
        "sandboxed": record.sandboxed,
        "flags": json.dumps(list(record.flags), ensure_ascii=False),
        "causes": json.dumps(record.causes, sort_keys=True, ensure_ascii=False),
        "cause_ids": json.dumps(record.cause_ids, sort_keys=True, ensure_ascii=False),
        "seconds": record.seconds,
    }
    connection.execute(_ADD, values)


def drop_record(connection: Connection, lesson: str, student: str) -> None:
    """Forget, in the connection's transaction, that a submission was graded."""
    connection.execute(_DROP, {"of_lesson": lesson, "of_student": student})
