"""A figure together with its words, as notebooks display it."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH_INCHES = 7.2
DPI = 144


@dataclass(frozen=True)
class Picture:
    """A matplotlib figure and the sentences that say the same to who can't see it.

    draw: builds the figure, without pyplot, so that the learner's own figures are left alone; it is
        called when the picture is looked at, for building costs more than all else in a lesson
    alt: what the picture shows, in plain words
    """

    draw: Callable[[], Figure]
    alt: str

    @cached_property
    def figure(self) -> Figure:
        """The figure, built once."""
        return self.draw()

    def png(self) -> bytes:
        """The figure as a PNG on a white background, whatever the notebook's theme."""
        buffer = io.BytesIO()
        fast = {"compress_level": 1}  # a check's picture is waited for; a few more bytes are not
        self.figure.savefig(buffer, format="png", dpi=DPI, facecolor="white", pil_kwargs=fast)
        return buffer.getvalue()

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        # HTML as well: JupyterLab shows a plain PNG without its alt text.
        png = self.png()
        width = round(self.figure.get_figwidth() * 96)
        data = base64.b64encode(png).decode("ascii")
        page = f'<img src="data:image/png;base64,{data}" alt="{escape(self.alt)}" width="{width}">'
        shown = {"text/html": page, "image/png": png, "text/plain": self.alt}
        return shown, {"image/png": {"alt": self.alt, "width": width}}
