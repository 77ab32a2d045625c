"""The gradebook's tables: nbgrader's own, and one of ours that says what is graded already."""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

from nbgrader import api
from sqlalchemy import Boolean, Column, Float, MetaData, String, Table, Text

COURSE: Table = api.Course.__table__
ASSIGNMENT: Table = api.Assignment.__table__
NOTEBOOK: Table = api.Notebook.__table__
BASE_CELL: Table = api.BaseCell.__table__
GRADE_CELL: Table = api.GradeCell.__table__
SOLUTION_CELL: Table = api.SolutionCell.__table__
TASK_CELL: Table = api.TaskCell.__table__
SOURCE_CELL: Table = api.SourceCell.__table__
STUDENT: Table = api.Student.__table__
SUBMISSION: Table = api.SubmittedAssignment.__table__
SUBMITTED_NOTEBOOK: Table = api.SubmittedNotebook.__table__
GRADE: Table = api.Grade.__table__
COMMENT: Table = api.Comment.__table__

OURS = MetaData()
RECORD = Table(
    "manyheads_graded",
    OURS,
    Column("lesson", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("submission", String(64), nullable=False),  # digest of the student's files
    Column("material", String(64), nullable=False),  # digest of the lesson but its graded tests
    Column("engine", String(64), nullable=False),  # digest of this package and the configuration
    Column("tests", Text, nullable=False),  # JSON: digest of each graded test
    Column("sandboxed", Boolean, nullable=False),
    Column("flags", Text, nullable=False),  # JSON: what had to be put right
    Column("causes", Text, nullable=False),  # JSON: per exercise, in the check's own words
    Column("cause_ids", Text, nullable=False),  # JSON: per exercise, the misconception's name
    Column("seconds", Float, nullable=False),  # of the student's own code
)


def row_id(*key: str) -> str:
    """The id of a row by what it is about, so that grading twice makes the same rows.

    >>> row_id("assignment", "02_head_split") == row_id("assignment", "02_head_split")
    True
    """
    return uuid5(NAMESPACE_URL, "\0".join(("manyheads", *key))).hex
