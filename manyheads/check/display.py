"""Show a result where the learner is: in a notebook as HTML, elsewhere as plain text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from manyheads.show.grids import Comparison


class Showable(Protocol):
    """What can be shown: a text, and a bundle of the same for a notebook."""

    @property
    def text(self) -> str:
        """Plain text, for a terminal."""

    def bundle(self) -> dict[str, Any]:
        """Representations by MIME type, for a notebook."""


def show(result: Showable) -> None:
    """Show `result`: displayed in a notebook, printed elsewhere."""
    display = _notebook_display()
    if display is None:
        sys.stdout.write(result.text + "\n")
        return
    display(result.bundle(), raw=True)


def show_picture(compare: Callable[[], Comparison | None]) -> None:
    """Show what `compare` makes; in a notebook only, elsewhere it isn't even asked.

    A learner gets the explorer, which says the same with a cursor and a zoom; where it can't be
    had, and in grading, the still picture.
    """
    display = _notebook_display()
    comparison = compare() if display is not None else None
    if display is None or comparison is None:
        return
    if "NBGRADER_EXECUTION" not in os.environ:
        with suppress(Exception):
            from manyheads.explore.compare import explored

            data, notes = explored(comparison)._repr_mimebundle_()
            display(data, metadata=notes, raw=True)
            return
    display(comparison)


def _notebook_display() -> Callable[..., Any] | None:
    """IPython's `display` inside a kernel; None in a terminal or without IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    in_kernel = shell is not None and hasattr(shell, "kernel")
    return display if in_kernel else None
