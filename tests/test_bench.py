"""Benchmarks are run by hand; here they only have to load, so that they don't fall behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHES = sorted(path.stem for path in (ROOT / "bench").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_loads_and_can_be_started(name):
    code = f"import bench.{name}, sys; sys.exit(not callable(bench.{name}.main))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
