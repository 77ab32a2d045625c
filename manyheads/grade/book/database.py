"""Opening the gradebook that the course's configuration names, and making a new one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbgrader
from nbgrader.api import Base
from sqlalchemy import Connection, Engine, create_engine, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from manyheads.errors import GradebookError
from manyheads.grade.book.tables import COURSE, OURS

PATIENCE = 60  # seconds to wait for another program that writes to a SQLite gradebook
DEFAULT_COURSE = "default_course"  # the row that nbgrader's preprocessors make in every gradebook


def open_gradebook(db_url: str, course_id: str = "") -> Engine:
    """The gradebook at `db_url`, any address that SQLAlchemy knows; it is made if it is not there.

    A new one is what nbgrader would make, without starting a program for it.
    Raises GradebookError when it can't be opened or is of an older nbgrader.
    """
    with in_words(db_url):
        engine = _engine(db_url)
        if not inspect(engine).get_table_names():
            Base.metadata.create_all(engine)
            _stamp(engine)
        Base.metadata.create_all(engine)
        OURS.create_all(engine)
        with engine.begin() as connection:
            _enter_courses(connection, course_id)
    return engine


@contextmanager
def in_words(db_url: str) -> Iterator[None]:
    """Turns what a database says into a GradebookError with the remedy."""
    try:
        yield
    except (SQLAlchemyError, ImportError) as error:
        first = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise GradebookError(
            f"The gradebook {_without_password(db_url)} can't be used: {first}. Nothing of the "
            "submission at hand was written. If nbgrader was upgraded, copy the gradebook and run "
            "`nbgrader db upgrade`; if another program holds it, end that; then grade again."
        ) from error


def _engine(db_url: str) -> Engine:
    waits = {"timeout": PATIENCE} if db_url.startswith("sqlite") else {}
    return create_engine(db_url, connect_args=waits)


def _without_password(db_url: str) -> str:
    before, at, after = db_url.rpartition("@")
    return f"{before.rpartition(':')[0]}:***{at}{after}" if at and before.count(":") > 1 else db_url


def _stamp(engine: Engine) -> None:
    """Note which of nbgrader's migrations the new tables correspond to: the last."""
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(nbgrader.__file__).with_name("alembic")))
    script = ScriptDirectory.from_config(config)
    with engine.begin() as connection:
        MigrationContext.configure(connection).stamp(script, "head")


def _enter_courses(connection: Connection, course_id: str) -> None:
    known = set(connection.scalars(select(COURSE.c.id)))
    for course in sorted({course_id, DEFAULT_COURSE} - {""} - known):
        connection.execute(insert(COURSE), {"id": course})
