"""Figures of pyplot: drawn at a cell's end as in a notebook, or closed undrawn."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib._pylab_helpers import Gcf
from matplotlib_inline import backend_inline
from matplotlib_inline.config import InlineBackend

INLINE = "module://matplotlib_inline.backend_inline"
inline: Any = backend_inline  # it keeps its state at functions, which no type tells
_draw_figures = inline.flush_figures


def adopt(shell: Any) -> None:
    """Make the inline backend ask the shell whether figures are drawn."""

    def flush() -> None:
        if shell.display_formatter.draw and not shell.outputs.full:
            _draw_figures()
        else:
            _close_figures()

    inline.flush_figures = flush  # `%matplotlib inline` registers the function of this name
    mpl.use(INLINE)
    shell.enable_matplotlib("inline")


def let_go_of_fonts() -> None:
    """Close the font files that a figure has opened: every fork would close its copies of them."""
    fonts: Any = font_manager  # what keeps them has no name for others
    fonts._get_font.cache_clear()


def _close_figures() -> None:
    inline.show._to_draw, inline.show._draw_called = [], False
    if InlineBackend.instance().close_figures:
        Gcf.destroy_all()
