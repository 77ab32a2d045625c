"""From a lesson's text to the notebooks of instructors and students: build, and check for drift."""

from __future__ import annotations

from pathlib import Path

from manyheads.course import Course

__all__ = ["build_course", "check_drift"]


def build_course(course: Course) -> list[Path]:
    """Build `source/` and `release/` from `notebooks/`; returns the files it changed.

    A file whose bytes are right already is left alone, so a second build returns an empty list.
    Notebooks of lessons that are gone are removed. The class's gradebook is not touched.

    Raises LessonTextError when a lesson breaks a rule and LeakError when a release would show what
    is hidden; nothing is written then.
    """
    from manyheads.build.files import built_files, stale_files, write_all

    built = built_files(course)
    return write_all(built, stale_files(course, built))


def check_drift(course: Course) -> None:
    """Compare `source/` and `release/` byte for byte with what `notebooks/` builds; writes nothing.

    Raises DriftError with the differences and the remedy, and whatever `build_course` raises.
    """
    from manyheads.build.drift import drift_report
    from manyheads.build.files import built_files
    from manyheads.errors import DriftError

    report = drift_report(course, built_files(course))
    if report:
        raise DriftError(report)
