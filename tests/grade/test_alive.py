"""A process that ended counts as ended, whether its parent has waited for it or not."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.grade.alive import alive


def test_a_process_that_nobody_has_waited_for_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert alive([child.pid]) == [child.pid]
        assert child.stdin is not None
        child.stdin.close()
        until = time.monotonic() + 20
        while alive([child.pid]) and time.monotonic() < until:
            time.sleep(0.01)
        assert Path(f"/proc/{child.pid}").exists()  # it is not waited for yet
        assert alive([child.pid]) == []
    assert alive([child.pid]) == []
