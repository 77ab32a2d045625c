"""The wire needs nothing of the package but itself, and nothing but the standard library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import manyheads.grade.wire


def test_the_wire_works_alone(tmp_path: Path) -> None:
    grade = tmp_path / "manyheads" / "grade"
    shutil.copytree(Path(manyheads.grade.wire.__file__).parent, grade / "wire")
    for folder in (grade, grade.parent):
        (folder / "__init__.py").touch()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import manyheads.grade.wire as wire\n"
        "print(wire.__file__, sorted({'numpy', 'torch'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.split("\n")[0] == f"{grade / 'wire' / '__init__.py'} []"
