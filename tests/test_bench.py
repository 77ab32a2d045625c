"""Benchmarks are run by hand; here they only have to load, so that they don't fall behind."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

BENCHES = sorted((Path(__file__).parents[1] / "bench").glob("*.py"))


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_a_benchmark_loads_and_can_be_started(path):
    assert callable(runpy.run_path(str(path))["main"])
