"""The front end's own tests, run by node with numbers computed here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def node_test(tmp_path: Path) -> Callable[[str, Any], None]:
    """Call it with a test file and the numbers it compares with; node's report is the failure."""
    node = shutil.which("node")
    if node is None:
        pytest.fail(
            "node isn't installed: get version 20 or later (Debian: apt-get install nodejs)"
        )

    def run(name: str, numbers: Any) -> None:
        fixture = tmp_path / "numbers.json"
        fixture.write_text(json.dumps(numbers), encoding="utf-8")
        ran = subprocess.run(
            [node, "--test", HERE / name],
            env=os.environ | {"MANYHEADS_FIXTURE": str(fixture)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert "# pass 0" not in ran.stdout, f"{name} holds no test"

    return run
