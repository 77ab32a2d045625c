"""A gradebook's rows in names, so that two gradebooks can be compared whatever their ids are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, create_engine, select

Rows = dict[str, list[tuple[Any, ...]]]

# What makes a row the one it is, in place of its id: columns, or other rows that it points to.
_KEYS = {
    "assignment": ["name"],
    "notebook": ["name", "assignment_id"],
    "base_cell": ["name", "type", "notebook_id"],
    "source_cell": ["name", "notebook_id"],
    "submitted_assignment": ["assignment_id", "student_id"],
    "submitted_notebook": ["notebook_id", "assignment_id"],
    "grade": ["cell_id", "notebook_id"],
    "comment": ["cell_id", "notebook_id"],
}
_JOINED = ("grade_cells", "solution_cells", "task_cells")  # their ids are base_cell's


def rows(path: Path) -> Rows:
    """All rows of nbgrader's tables, each table sorted, ids replaced by names."""
    engine = create_engine(f"sqlite:///{path}")
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        content = {
            name: connection.execute(select(table)).mappings().all()
            for name, table in tables.tables.items()
            if name not in ("alembic_version", "manyheads_graded")
        }
    engine.dispose()
    by_id = {row["id"]: (name, row) for name in _KEYS for row in content.get(name, []) if row["id"]}

    def named(value: Any) -> Any:
        if value not in by_id:
            return value
        name, row = by_id[value]
        return tuple(named(row[column]) for column in _KEYS[name])

    return {
        name: sorted(
            (tuple((column, named(value)) for column, value in row.items()) for row in found),
            key=repr,
        )
        for name, found in content.items()
    }
