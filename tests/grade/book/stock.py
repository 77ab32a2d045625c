"""Stock nbgrader in this process: its own converters with a course's configuration."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from manyheads.course import Course
from manyheads.grade.settings import read_settings


def generate_assignment(course: Course, lesson: str) -> None:
    """`nbgrader generate_assignment --force`."""
    from nbgrader.converters import GenerateAssignment

    _run(course, GenerateAssignment, assignment_id=lesson)


def autograde(course: Course, lesson: str, student: str = "*", **traits: Any) -> None:
    """`nbgrader autograde --force`; `traits` are set on the converter."""
    from nbgrader.converters import Autograde

    _run(course, Autograde, traits, assignment_id=lesson, student_id=student)


def _run(course: Course, converter: Any, traits: Any = None, **which: str) -> None:
    from nbgrader.coursedir import CourseDirectory

    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    config = read_settings(course).config
    config.CourseDirectory.root = str(course.root)
    log = logging.Logger("stock", logging.ERROR)
    log.addHandler(logging.StreamHandler())
    folders = CourseDirectory(config=config, log=log, **which)
    job = converter(coursedir=folders, config=config, log=log, **(traits or {}))
    job.force = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        job.start()
