"""Tries, inside the sandbox and without loading anything, what each submission will need.

Started as `python -m manyheads.grade.inside.probe SETTINGS`; ends with words on stderr if a step
is refused.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from manyheads.grade.inside import confine, linux


def main() -> None:
    """Enter a world like a student's and read what must be readable there."""
    settings = json.loads(sys.argv[1])
    linux.unshare(linux.CLONE_NEWPID)
    pid = os.fork()
    if pid:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    confine.enter_world(settings["uid"], settings["kept"], 1 << 20)
    for path in settings["readable"]:
        with Path(path).open("rb"):
            pass
    os._exit(0)


if __name__ == "__main__":
    main()
