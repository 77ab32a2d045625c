"""One grader at a time, and a lock that no crash leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyheads.errors import GradingError
from manyheads.grade.lock import only_grader

HELD = "import sys, time\nfrom pathlib import Path\nfrom manyheads.grade.lock import only_grader\n"
HELD += "with only_grader(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"


def test_the_second_is_told_who_the_first_is(tmp_path: Path) -> None:
    with (
        only_grader(tmp_path),
        pytest.raises(GradingError, match=rf"by process {os.getpid()}\. Wait for it to end"),
        only_grader(tmp_path),
    ):
        pytest.fail("both had the lock")


def test_it_is_free_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with only_grader(tmp_path):
            pass


def test_a_killed_grader_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HELD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(GradingError, match=f"process {first.pid}"), only_grader(tmp_path):
            pytest.fail("both had the lock")
        first.kill()
        first.wait()
    with only_grader(tmp_path):
        pass
