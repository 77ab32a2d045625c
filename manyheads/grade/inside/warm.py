"""Everything a lesson's first cells would load, loaded once in the template."""

from __future__ import annotations

import gc
import importlib
import sys
from contextlib import suppress
from pathlib import Path

from manyheads.grade.inside import figures, holes, pages, tracebacks
from manyheads.grade.inside.shell import Shell

# What is found to be imported on first use, by the libraries themselves. None of it runs an
# operation of torch: a thread of its would make forking unsafe.
MODULES = (
    "numpy",
    "numpy.random",
    "numpy.testing",
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch._tensor_str",
    "torch._subclasses.schema_check_mode",
    "torch.testing",
    "einops",
    "einops._torch_specific",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "PIL.BmpImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PngImagePlugin",
    "PIL.PpmImagePlugin",
    "IPython.core.magics",
    "IPython.core.pylabtools",
    "IPython.core.tbtools",
    "IPython.utils.timing",
    "IPython_pygments_lexers",
    "asyncio",
    "json",
    "subprocess",
    "dataclasses",
    "typing",
    "inspect",
    "random",
    "math",
    "itertools",
    "collections",
    "functools",
    "unittest.mock",
    "manyheads.check",
    "manyheads.show",
    "manyheads.grade.wire.arrays",
    "manyheads.grade.wire.tensors",
    "manyheads.explore",
)

CELLS = (
    "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);",
    "def f(x):\n    return 1 / x\n\n\nf(1)",
    "[f(x) for x in (1, 0)]  # its traceback",
    "1 / 0",
)


def load() -> None:
    """Import what lessons use; what is not installed is left out.

    Garbage is not looked for until `settle`: what modules make while they load stays.
    """
    gc.disable()
    for name in MODULES:
        with suppress(ImportError):
            importlib.import_module(name)


def rehearse(shell: Shell) -> None:
    """Let IPython and matplotlib do once what they do slowly the first time; no trace is left.

    Their caches are then shared by all forks. It runs cells of our own, and no operation of torch.
    """
    tracebacks.quicken()
    for name in ("time", "timeit", "matplotlib", "bash"):
        shell.find_magic(name)
    for formatter in shell.display_formatter.formatters.values():
        formatter("")
    for cell in CELLS:
        shell.run(cell, draw=True)
    shell.forget()
    figures.let_go_of_fonts()


def settle() -> None:
    """Leave to a fork no garbage to collect, no hole to fill, and few pages to copy."""
    gc.enable()
    gc.collect()
    gc.freeze()
    holes.fill()
    if sys.platform == "linux":
        pages.gather()


def threads() -> int:
    """How many threads the system sees in this process.

    >>> threads() >= 1
    True
    """
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else 1
