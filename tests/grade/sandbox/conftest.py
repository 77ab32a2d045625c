"""A sandbox for all tests of a file, and a student's process for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from manyheads.grade.sandbox import CellResult, Limits, Sandbox, Student, missing

MIB = 1024**2
LIMITS = Limits(cell_seconds=20, memory_bytes=512 * MIB, tmp_bytes=32 * MIB, file_bytes=8 * MIB)

Run = Callable[[str], CellResult]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox, as a worker has one for all its submissions."""
    lack = missing()
    if lack is not None:
        pytest.skip(lack)
    with Sandbox(LIMITS) as made:
        yield made


@pytest.fixture
def student(sandbox: Sandbox) -> Iterator[Student]:
    with sandbox.start() as started:
        yield started


@pytest.fixture
def run(student: Student) -> Run:
    """Run a cell, with everything drawn."""
    return lambda source: student.run_cell(source, draw=True)


def text_of(result: CellResult) -> str:
    """What a cell printed, and the plain text of what it showed."""
    return "".join(
        one.get("text") or one.get("data", {}).get("text/plain", "") for one in result.outputs
    )


def error_of(result: CellResult) -> str:
    """The name of the error that ended a cell; empty if none did."""
    names = [one["ename"] for one in result.outputs if one["output_type"] == "error"]
    return names[-1] if names else ""


def limits(**changed: Any) -> Limits:
    """The tests' limits, some of them changed."""
    return replace(LIMITS, **changed)
