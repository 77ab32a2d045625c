"""Everything a lesson's first cells would load, loaded once in the template."""

from __future__ import annotations

import gc
import importlib
from contextlib import suppress
from pathlib import Path

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


def load() -> None:
    """Import what lessons use; what is not installed is left out."""
    for name in MODULES:
        with suppress(ImportError):
            importlib.import_module(name)


def rehearse(shell: Shell) -> None:
    """Let IPython load what it loads late: its magics, its tracebacks, its event loop."""
    for name in ("time", "timeit", "matplotlib", "bash"):
        shell.find_magic(name)
    try:
        int("no number")
    except ValueError as error:
        kind, trace = type(error), error.__traceback__
        shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=0)
    for formatter in shell.display_formatter.formatters.values():
        formatter("")


def settle() -> None:
    """Leave to a fork no garbage to collect and no object to move."""
    gc.collect()
    gc.freeze()


def threads() -> int:
    """How many threads the system sees in this process.

    >>> threads() >= 1
    True
    """
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else 1
