"""Show a result where the learner is: in a notebook as HTML, elsewhere as plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from manyheads.show.picture import Picture


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


def show_picture(draw: Callable[[], Picture | None]) -> None:
    """Show the picture that `draw` makes; in a notebook only, elsewhere it isn't even drawn."""
    display = _notebook_display()
    picture = draw() if display is not None else None
    if display is not None and picture is not None:
        display(picture)


def _notebook_display() -> Callable[..., Any] | None:
    """IPython's `display` inside a kernel; None in a terminal or without IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    in_kernel = shell is not None and hasattr(shell, "kernel")
    return display if in_kernel else None
