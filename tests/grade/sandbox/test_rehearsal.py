"""The template's rehearsal comes to its end and leaves no trace."""

from __future__ import annotations

import subprocess
import sys

import pytest

from manyheads.grade.inside import rehearsal
from manyheads.grade.wire import Closed, Peer

REHEARSES = """
import os, sys
from manyheads.grade.inside import rehearsal, warm
from manyheads.grade.inside.capture import Outputs
from manyheads.grade.inside.shell import Shell
shell = Shell.instance(Outputs(cell_bytes=10_000, total_bytes=100_000, most=50))
before, streams = set(shell.user_ns), (sys.stdout, sys.stderr)
handles = len(os.listdir("/proc/self/fd"))
assert rehearsal.rehearse(shell)
assert (sys.stdout, sys.stderr) == streams
assert set(shell.user_ns) == before and shell.execution_count == 1
assert len(os.listdir("/proc/self/fd")) == handles
assert warm.threads() == 1
outputs = shell.run("same", False)["outputs"]
assert outputs[0]["ename"] == "NameError", outputs
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("no trace")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="templates fork on Linux")
def test_a_rehearsal_comes_to_its_end_and_leaves_no_trace() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", REHEARSES], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.stdout, ran.stderr) == ("no trace\n", "")


class _Gone(Peer):
    """A judge's end whose student has gone."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, operation: str, body: dict[str, object] | None = None) -> object:
        self.asked.append(operation)
        raise Closed("the other end is gone")


def test_what_does_not_answer_ends_it() -> None:
    gone = _Gone()
    with pytest.raises(Closed):
        rehearsal.ask(gone)
    assert gone.asked == ["run_cell"]
