"""The cells' own processor time: each notebook's code by plain exec in a warm process.

Run as a script, it reads paths of graded notebooks from stdin and prints seconds a notebook. The
floor of grading is measured beyond this, so nothing is displayed or kept here, and no figures are
drawn but those of the student's own cells, which a graded notebook has to show.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

PREPARE = ("torch", "numpy.random", "matplotlib.pyplot", "manyheads.show", "manyheads.check")


def own_seconds(path: Path, lesson: frozenset[str]) -> float:
    """Processor seconds of a forked process that runs a notebook's code cells, tests included.

    lesson: the texts of cells whose figures are not drawn
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid = os.fork()
    if pid == 0:
        _run_cells(json.loads(path.read_text("utf-8")), lesson)
        os._exit(0)
    os.waitpid(pid, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def _run_cells(notebook: dict[str, Any], lesson: frozenset[str]) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                source = "".join(cell["source"])
                with contextlib.suppress(BaseException):
                    exec(compile(source, "cell", "exec"), namespace)  # noqa: S102  the point
                _draw(source.strip() not in lesson)


def _draw(drawn: bool) -> None:
    """Draw the figures that a cell has left, as a notebook does it, and close them."""
    from matplotlib import pyplot

    for number in pyplot.get_fignums() if drawn else ():
        pyplot.figure(number).savefig(io.BytesIO(), bbox_inches="tight")
    pyplot.close("all")


def main() -> None:
    """Measure every notebook named on stdin, and an empty one, which is taken off."""
    for name in PREPARE:
        import_module(name)
    import manyheads.check

    for name in manyheads.check.__all__:  # as the sandbox has it: checks are silent there
        setattr(manyheads.check, name, lambda *_, **__: None)
    paths = [Path(line) for line in sys.stdin.read().splitlines()]
    empty = Path(sys.argv[1])
    os.chdir(empty.parent)  # some cells write files
    empty.write_text('{"cells": []}', "utf-8")
    nothing = min(own_seconds(empty, frozenset()) for _ in range(10))
    print(json.dumps([own_seconds(path, _lesson(path)) - nothing for path in paths]))


@cache
def _cells_of(source: Path) -> frozenset[str]:
    notebook = json.loads(source.read_text("utf-8"))
    return frozenset("".join(cell["source"]).strip() for cell in notebook["cells"])


def _lesson(graded: Path) -> frozenset[str]:
    """The texts of the lesson's cells, from the source beside the folder of graded notebooks."""
    return _cells_of(graded.parents[3] / "source" / graded.parent.name / graded.name)


if __name__ == "__main__":
    main()
