"""A quick traceback is the same, letter by letter, as IPython's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
from manyheads.grade.inside.capture import Outputs
from manyheads.grade.inside.shell import Shell
from manyheads.grade.inside.tracebacks import quicken

shell = Shell.instance(Outputs(cell_bytes=10**6, total_bytes=10**8, most=500))
cells, told = json.load(sys.stdin), []
for time in ("plain", "quick", "quick again"):
    if time == "quick":
        quicken()
    told.append([])
    for cell in cells:
        shell.run(cell, draw=False)
        told[-1].append(shell.run(cell + "  # once more", draw=False)["outputs"])
        shell.forget()
json.dump(told, sys.stdout)
"""
CELLS = {
    "one line": "1 / 0",
    "deep": "def f(x):\n    return 1 / x\n\n\ndef g(x):\n    return [f(y) for y in x]\n\n\ng([0])",
    "in a library": "import json\njson.loads('{')",
    "in torch": "import torch\ntorch.ones(2, 3).unflatten(1, (2, 2))",
    "in compiled code": "int('no number')",
    "of another": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError from e",
    "while another": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    unknown_name",
    "over and over": "def f(x):\n    return f(x + 1)\n\n\nf(0)",
    "no source": "exec('def f():\\n    1 / 0')\nf()",
    "in a class": "class A:\n    def __init__(self):\n        self.b\n\n\nA()",
    "no Python": "def f(:\n    pass",
    "with a note": "error = KeyError('k')\nerror.add_note('a note')\nraise error",
    "no words": "class E(Exception):\n    def __str__(self):\n        return 1\n\n\nraise E",
    "long lines": "x = [" + ", ".join(map(str, range(60))) + "]\nx[" + "0 + " * 30 + "100]",
}


@pytest.fixture(scope="module")
def told() -> list[dict[str, object]]:
    """What was put out, by the name of the cell: plain, quick, and quick once more."""
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=json.dumps([*CELLS.values()]), text=True,
        capture_output=True, check=True, timeout=120, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    return [dict(zip(CELLS, outputs, strict=True)) for outputs in json.loads(ran.stdout)]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("time", [1, 2])
def test_a_quick_traceback_is_the_same(told: list[dict[str, object]], name: str, time: int) -> None:
    assert told[time][name] == told[0][name]


@pytest.mark.parametrize("name", CELLS)
def test_every_one_of_them_is_an_error(told: list[dict[str, object]], name: str) -> None:
    (error,) = told[0][name]  # type: ignore[misc]
    assert error["output_type"] == "error"
    assert error["traceback"] or name == "no words"
