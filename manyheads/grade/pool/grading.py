"""One submission, graded in this process: read, put right, run, judged, described."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from manyheads.errors import GradingError, SandboxError, UnreadableNotebookError
from manyheads.grade.cells import node, ordinary_texts
from manyheads.grade.inert import make_inert
from manyheads.grade.judge.prepare import prepare
from manyheads.grade.plan import LessonPlan
from manyheads.grade.pool.job import GradedNotebook, Job, Result, WorkerSettings
from manyheads.grade.reading import MissingNotebookError, Reading, read_submission
from manyheads.grade.reading.another import of_another
from manyheads.grade.run import run_notebook
from manyheads.grade.run.calibrate import calibrated
from manyheads.grade.sandbox import Limits, Sandbox
from manyheads.grade.sanitize import PYTHON, sanitize
from manyheads.grade.verdict import is_test, settle
from manyheads.student.notebook import course_metadata, grade_id, read_notebook

MOST_STAMP = 4096  # bytes; a date and a time take thirty


@dataclass(frozen=True)
class _Part:
    """One notebook of a lesson: its plan, the texts of its ungraded cells, and its kernel."""

    name: str
    plan: LessonPlan
    ordinary: Sequence[str]
    kernelspec: Mapping[str, Any]


class Grader:
    """Grades submissions one after the other in one sandbox."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Start the sandbox; raises SandboxError when there can't be one."""
        self.settings = settings
        limits = Limits(
            cell_seconds=settings.cell_seconds, submission_seconds=settings.submission_seconds
        )
        self._sandbox = Sandbox(limits, isolated=settings.isolated).__enter__()
        self._parts = cache(self._read_parts)
        self._told: list[str] = []

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.__exit__(None, None, None)

    def follow(self) -> None:
        """Let the sandbox run on those CPUs on which this process may run now."""
        self._sandbox.follow()

    def warm_up(self) -> None:
        """Read the plans of all lessons, and compute what their checks know of mistakes."""
        for lesson in self.settings.sources:
            parts, _ = self._parts(lesson)
            for part in parts:
                if part.plan.checks:
                    _prepare_checks(part.plan)

    def _read_parts(self, lesson: str) -> tuple[list[_Part], dict[str, bytes]]:
        """A lesson's notebooks, and the files that lie beside them for all students."""
        sources = self.settings.sources[lesson]
        given = _beside(sources)
        parts = [
            _Part(path.stem, self._plan(path, given), ordinary_texts(path), _kernelspec(path))
            for path in sources
        ]
        return parts, given

    def _plan(self, path: Path, given: Mapping[str, bytes]) -> LessonPlan:
        """A notebook's plan; what `manyheads build` has not held to its rules is tried first."""
        plan, notebook = LessonPlan.of(path, path.stem), read_notebook(path)
        prepare(plan)
        if not course_metadata(notebook):
            plan, words = calibrated(plan, notebook, self._sandbox, given)
            self._told += [f"{path.stem}: {one}" for one in words]
        return plan

    def grade(self, job: Job) -> Result:
        """Grade a submission; what is wrong with it is in the result, and stops nobody else.

        Raises SandboxError when the sandbox can't be had any more.
        """
        try:
            return self._graded(job)
        except SandboxError:
            raise
        except GradingError as error:
            return Result(job.lesson, job.student, failure=str(error))
        except Exception as error:  # a fault of ours, or of a course's own test
            return Result(job.lesson, job.student, failure=_fault(error))

    def _graded(self, job: Job) -> Result:
        parts, given = self._parts(job.lesson)
        wanted = [part for part in parts if _touched(job, part)]
        readings = _read(job, parts)
        done: dict[str, GradedNotebook | None] = {}
        told: list[str] = []
        for part in wanted:
            reading = readings[part.name]
            if isinstance(reading, MissingNotebookError):
                done[part.name] = None
                flags = [f"was not handed in and earns nothing: {reading.cause}"]
            else:
                graded = self._notebook(job, part, reading, {**reading.files, **given})
                done[part.name], flags = graded, list(graded.flags)
            told += flags if len(parts) == 1 else [f"{part.name}: {flag}" for flag in flags]
        first = next(one for one in readings.values() if isinstance(one, Reading))
        handed_in = [one for one in done.values() if one is not None]
        return Result(
            job.lesson,
            job.student,
            notebooks=done,
            files={**first.files, **given, **_stamp(job.folder)},
            submitted=first.submitted,
            flags=list(dict.fromkeys(told)),
            sandboxed=all(one.sandboxed for one in handed_in),
            seconds=sum(one.seconds for one in handed_in),
            notes=[*self._sandbox.notes, *self._told],
        )

    def _notebook(
        self, job: Job, part: _Part, reading: Reading, files: Mapping[str, bytes]
    ) -> GradedNotebook:
        """Grade one notebook: put it right, run it, settle what its tests earn."""
        notebook = node(**reading.notebook)
        put_right = sanitize(notebook, part.plan.cells, part.ordinary, part.kernelspec)
        flags = [*reading.flags, *of_another(reading.notebook, part.name), *put_right]
        only, earlier = _exercises(job, part), _earlier(job, part)
        if earlier is None:
            only = None
        report = run_notebook(notebook, part.plan, self._sandbox, only, files)
        judged = part.plan.wanted(only)
        told = {"causes": dict(report.causes), "cause_ids": dict(report.cause_ids)}
        if only is not None and earlier is not None:
            _keep(notebook, earlier, judged, only, told)
        for cell in filter(is_test, notebook.cells):
            settle(cell)
        flags += report.notes
        notebook.metadata["manyheads"] = {
            **notebook.metadata.get("manyheads", {}),
            **told,
            "flags": flags,
            "sandboxed": report.sandboxed,
        }
        states = {grade_id(cell): _state(cell) for cell in notebook.cells if grade_id(cell)}
        make_inert(notebook, part.ordinary)
        return GradedNotebook(
            file_text(notebook).encode("utf-8", "replace"),
            states,
            judged,
            told["causes"],
            told["cause_ids"],
            flags,
            report.sandboxed,
            report.seconds,
        )


def file_text(notebook: Mapping[str, Any]) -> str:
    r"""A notebook's file, one line a cell: indented JSON takes ten times as long to write.

    >>> file_text({"cells": [{"source": "x"}, {"source": "y"}], "nbformat": 4})
    '{"cells": [\n{"source": "x"},\n{"source": "y"}\n], "nbformat": 4}\n'
    """
    cells = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in notebook["cells"])
    rest = {name: value for name, value in notebook.items() if name != "cells"}
    return f'{{"cells": [\n{cells}\n], {json.dumps(rest, ensure_ascii=False)[1:]}\n'


def _prepare_checks(plan: LessonPlan) -> None:
    from manyheads.check.prepare import prepare as prepare_checks

    for lesson in {call.lesson for call in plan.checks.values() if call.lesson}:
        prepare_checks(lesson)


def _fault(error: Exception) -> str:
    return (
        f"grading it failed: {type(error).__name__}: {' '.join(str(error).split())}. This is a "
        "fault of the program, not of the submission: please report it, and grade this one by hand"
    )


def _kernelspec(source: Path) -> Mapping[str, Any]:
    found = read_notebook(source).get("metadata", {}).get("kernelspec")
    return found if isinstance(found, dict) else PYTHON


def _beside(sources: Sequence[Path]) -> dict[str, bytes]:
    """The instructor's files beside a lesson's notebooks: they win over a student's."""
    folder = sources[0].parent
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".ipynb", ".pyc") and not _ignored(path, folder)
    }


def _ignored(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    return any(part in ("__pycache__", ".ipynb_checkpoints", "feedback") for part in parts)


def _stamp(folder: Path) -> dict[str, bytes]:
    """The file that says when a submission was sent in, for the graded folder."""
    path = folder / "timestamp.txt"
    small = path.is_file() and not path.is_symlink() and path.stat().st_size < MOST_STAMP
    return {path.name: path.read_bytes()} if small else {}


def _read(job: Job, parts: Sequence[_Part]) -> dict[str, Reading | MissingNotebookError]:
    """Each notebook of a submission, or why it is not there.

    Raises UnreadableError where a notebook is there and can't be read, or where there is none.
    """
    found: dict[str, Reading | MissingNotebookError] = {}
    for part in parts:
        siblings = [other.name for other in parts if other is not part]
        try:
            found[part.name] = read_submission(job.folder, part.name, part.plan.cells, siblings)
        except MissingNotebookError as error:
            found[part.name] = missing = error
    if not any(isinstance(one, Reading) for one in found.values()):
        raise missing
    return found


def _touched(job: Job, part: _Part) -> bool:
    """Whether a notebook has to be looked at: any, or one of those tests that changed."""
    return job.only is None or any(f"{part.name}/{name}" in job.only for name in part.plan.tests)


def _exercises(job: Job, part: _Part) -> frozenset[str] | None:
    """The exercises to judge again: those of the changed tests."""
    if job.only is None:
        return None
    changed = [test for name, test in part.plan.tests.items() if f"{part.name}/{name}" in job.only]
    return frozenset(test.exercise for test in changed)


def _earlier(job: Job, part: _Part) -> Mapping[str, Any] | None:
    """The notebook as it was graded before; None if it is not wanted or can't be had."""
    if job.only is None:
        return None
    try:
        return read_notebook(job.graded / f"{part.name}.ipynb")
    except UnreadableNotebookError:
        return None


def _keep(
    notebook: NotebookNode,
    earlier: Mapping[str, Any],
    judged: Iterable[str],
    only: Iterable[str],
    told: dict[str, dict[str, str]],
) -> None:
    """Give the tests that were not judged their earlier outputs, their exercises their causes."""
    known = {grade_id(cell): cell for cell in earlier["cells"]}
    for cell in filter(is_test, notebook.cells):
        before = known.get(grade_id(cell))
        if before is not None and grade_id(cell) not in judged:
            cell.outputs = [node(**output) for output in before.get("outputs", [])]
            cell.execution_count = before.get("execution_count")
    then: Mapping[str, Any] = course_metadata(dict(earlier))
    for kind, now in told.items():
        now |= {name: text for name, text in then.get(kind, {}).items() if name not in only}


def _state(cell: NotebookNode) -> tuple[str, list[dict[str, Any]]]:
    """What nbgrader's rules look at: the text, and of a test's outputs kind, name and value."""
    outputs = cell.outputs if is_test(cell) else []
    return cell.source, [
        {
            "output_type": output.output_type,
            "name": output.get("name", ""),
            "data": {"text/plain": output.get("data", {}).get("text/plain", "")},
        }
        for output in outputs
    ]
