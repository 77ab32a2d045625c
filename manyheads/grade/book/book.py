"""One course's gradebook while a class is graded: the only writer."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import Engine

from manyheads.course import Course
from manyheads.grade.book.database import in_words, open_gradebook
from manyheads.grade.book.files import graded_notebooks, write_graded
from manyheads.grade.book.folder import folder_digest
from manyheads.grade.book.generate import GeneratedNotebook, digest, generate
from manyheads.grade.book.late import LatePenalties
from manyheads.grade.book.read import read_grades
from manyheads.grade.book.record import Fingerprint, Record, read_record, write_record
from manyheads.grade.book.register import LessonRows, register
from manyheads.grade.book.score import CellState, NotebookScores, missing_notebook, score_notebook
from manyheads.grade.book.write import Outcome, write_submission
from manyheads.grade.grades import Grade
from manyheads.grade.pool.job import Job, Result
from manyheads.grade.settings import Settings
from manyheads.grade.submissions import Submission


class Book:
    """The gradebook and the folder of graded files; a context manager.

    Every method that touches the database raises GradingError in words when it can't be used.
    """

    def __init__(self, course: Course, settings: Settings, log: logging.Logger) -> None:
        """Open the gradebook, or make it."""
        self._course, self._settings, self._log = course, settings, log
        self._engine: Engine = open_gradebook(settings.db_url, settings.course_id)
        self._late = LatePenalties(settings.config, log)
        self._lessons: dict[str, LessonRows] = {}
        self._marks: dict[str, Fingerprint] = {}

    def __enter__(self) -> Book:
        """The book itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the gradebook."""
        self._engine.dispose()

    def register(self, lesson: str, sources: Sequence[Path]) -> None:
        """Enter a lesson's cells; raises GradingError when it was graded with other ones."""
        made = generate(sources, lesson, self._course.root, self._settings.config)
        with in_words(self._settings.db_url), self._engine.begin() as connection:
            self._lessons[lesson] = register(connection, lesson, made, self._settings.course_id)
        self._marks[lesson] = _material(made, sources[0].parent, self._settings.engine)

    def fingerprint(self, submission: Submission) -> Fingerprint:
        """What the scores of a submission come from, as it lies there now."""
        mark = self._marks[submission.lesson]
        files = folder_digest(submission.folder)
        return Fingerprint(files, mark.material, mark.engine, mark.tests)

    def record(self, submission: Submission) -> Record | None:
        """How a submission was graded; None if it was not, or if a part of that is gone."""
        there = graded_notebooks(self.graded(submission))
        handed_in = {
            one.name
            for one in self._lessons[submission.lesson].notebooks
            if (submission.folder / f"{one.name}.ipynb").is_file()
        }
        if not there or not handed_in <= there:
            return None
        lesson = self._lessons[submission.lesson]
        with in_words(self._settings.db_url), self._engine.connect() as connection:
            return read_record(connection, lesson, submission.student)

    def graded(self, submission: Submission) -> Path:
        """The folder of a graded submission."""
        return self._course.autograded / submission.student / submission.lesson

    def enter(self, job: Job, result: Result, record: Record) -> None:
        """Write a graded submission: its files, then all its rows in one transaction."""
        lesson = self._lessons[job.lesson]
        scores = {
            rows.name: self._scores(lesson, rows.name, result, partly=job.only is not None)
            for rows in lesson.notebooks
        }
        texts = {name: one.text for name, one in result.notebooks.items() if one is not None}
        kept = {rows.name for rows in lesson.notebooks} - result.notebooks.keys()
        write_graded(job.graded, texts, result.files, kept)
        outcome = Outcome(job.student, result.submitted, scores)
        with in_words(self._settings.db_url), self._engine.begin() as connection:
            write_submission(connection, lesson, outcome, self._late)
            write_record(connection, job.lesson, job.student, record)

    def _scores(
        self, lesson: LessonRows, name: str, result: Result, *, partly: bool
    ) -> NotebookScores:
        rows = next(one for one in lesson.notebooks if one.name == name)
        if name not in result.notebooks:
            return NotebookScores()
        graded = result.notebooks[name]
        if graded is None:
            return missing_notebook(rows)
        states = {cell: CellState(*state) for cell, state in graded.states.items()}
        return score_notebook(rows, states, self._log, graded.judged if partly else None)

    def grades(self, lesson: str, students: Sequence[str]) -> Iterator[Grade]:
        """The students' grades in a lesson, a few students at a time."""
        with in_words(self._settings.db_url), self._engine.connect() as connection:
            yield from read_grades(connection, self._lessons[lesson], students)


def _material(made: Sequence[GeneratedNotebook], folder: Path, engine: str) -> Fingerprint:
    """A lesson's part of a fingerprint."""
    tests = {f"{one.name}/{name}": mark for one in made for name, mark in one.tests.items()}
    rest = [[one.name, one.kernelspec, one.material] for one in made]
    files = folder_digest(folder, without=".ipynb")
    return Fingerprint("", digest([rest, files]), engine, tests)
