"""Show a result where the learner is: in a notebook as HTML, elsewhere as plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol


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


def show_picture(draw: Callable[[], Any]) -> None:
    """Show the figure that `draw` makes; in a notebook only, elsewhere it isn't even drawn.

    `draw` returns a matplotlib figure that carries its alternative text as `alt`, or None.
    """
    display = _notebook_display()
    figure = draw() if display is not None else None
    if display is not None and figure is not None:
        display(
            png_bundle(figure), raw=True, metadata={"image/png": {"alt": figure.alt, "width": 700}}
        )


def _notebook_display() -> Callable[..., Any] | None:
    """IPython's `display` inside a kernel; None in a terminal or without IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    in_kernel = shell is not None and hasattr(shell, "kernel")
    return display if in_kernel else None


def png_bundle(figure: Any) -> dict[str, Any]:
    """The figure as PNG, with its alternative text as plain text."""
    from io import BytesIO

    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)  # not pyplot: the learner's figures stay as they are
    buffer = BytesIO()
    canvas.print_png(buffer, pil_kwargs={"compress_level": 1})
    return {"image/png": buffer.getvalue(), "text/plain": figure.alt}
