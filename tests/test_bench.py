"""Benchmarks are run by hand; here they only have to load, so that they don't fall behind."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BENCHES = sorted(path.stem for path in (ROOT / "bench").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_loads_and_can_be_started(name):
    code = f"import bench.{name}, sys; sys.exit(not callable(bench.{name}.main))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What holds measurements to their floors; benches are not on the path of tests."""
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("bench.parts.document")


def measured(
    document: Any, *, stock: float = 900.0, notebook: float = 0.15, differ: str = ""
) -> Any:
    """A bench of 101 submissions: seconds of stock nbgrader, of a notebook."""
    usage, own = importlib.import_module("bench.parts.usage").Usage, 0.06
    one = document.Round(usage(30.0, 5.0 + 100 * notebook), usage(4.0, 5.0), [own] * 101)
    differing = [differ] if differ else []
    return document.Measured(
        101, ["02_head_split"], usage(stock, stock), one, usage(20.0, 40.0), 9, differing
    )


VERDICTS = [
    ({}, []),
    ({"stock": 590.0}, ["29.5 times faster, not 30"]),
    ({"notebook": 0.17}, ["110 ms a notebook beyond the cells' own"]),
    ({"differ": "02_head_split s01 test_f: 1.0, nbgrader 0: no reason"}, ["1 scores differ"]),
]


@pytest.mark.parametrize(("what", "missed"), VERDICTS)
def test_a_missed_floor_of_grading_is_said(
    what: dict[str, Any], missed: list[str], document: Any
) -> None:
    found = document.verdicts(measured(document, **what))
    assert len(found) == len(missed)
    assert all(words.startswith(start) for words, start in zip(found, missed, strict=True))


def test_the_middle_round_counts(document: Any) -> None:
    rounds = [measured(document, notebook=seconds).round for seconds in (0.19, 0.14, 0.16)]
    assert document.middle_of(rounds).beyond == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("grown", "missed"),
    [(1050, []), (1200, ["memory grew 1.20 times from 100 to 10000 submissions"])],
)
def test_memory_that_grows_is_said(grown: int, missed: list[str], document: Any) -> None:
    first = document.Held(usual=1000, most=1000)
    assert document.growth({100: first, 10_000: document.Held(grown, most=1300)}) == missed


def test_each_bench_writes_its_own_part(tmp_path: Path, document: Any) -> None:
    page = tmp_path / "docs" / "performance.md"
    page.parent.mkdir()
    page.write_text("# Title\n\nold times\n\n## Memory\n\nold memory\n", encoding="utf-8")
    document.put(tmp_path, memory=document.held({100: document.Held(1 << 20, most=2 << 20)}))
    assert "old times" in page.read_text()
    assert "| 100 | 1 | 2 |" in page.read_text()
    assert "old memory" not in page.read_text()
    document.put(tmp_path, times="# Title\n\nnew times\n\n")
    assert "old times" not in page.read_text()
    assert "| 100 | 1 | 2 |" in page.read_text()


@pytest.mark.parametrize(("wire", "kept"), [(0.39, True), (0.41, False)])
def test_a_missed_floor_of_the_wire_is_said(
    wire: float, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    bench = importlib.import_module("bench.wire")
    assert bench.keeps_to_floor((wire, 0.1, 0.1), (0.2, 0.1, 0.1)) is kept


def test_all_benches_run_when_one_misses_its_floor(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    for name in ("first", "second"):
        (tmp_path / "bench" / f"{name}.py").touch()
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$2"\n[ "$2" != bench.first ]\n', encoding="utf-8")
    python.chmod(0o755)
    words = ["make", "--no-print-directory", "-f", str(ROOT / "Makefile"), "bench", "BIN=."]
    words.append("SETUP=@true")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["bench.first", "bench.second"]
    assert done.returncode != 0
