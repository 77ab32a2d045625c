"""An explorer as notebooks display it: a widget, a page without a kernel, and a text."""

from __future__ import annotations

import json
import os
import sys
import uuid
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Explorer:
    """A front end, the state it starts from, and the sentences that say the same.

    name: the front end's module in `front/`, without its ending
    state: plain data that JSON can hold; tensors as nested lists
    text: what the explorer shows at the start, in plain words or as a text table

    >>> Explorer("head_map", {"H": 6, "Hkv": 3}, "H = 6 query heads read Hkv = 3 K/V heads.")
    H = 6 query heads read Hkv = 3 K/V heads.
    """

    name: str
    state: dict[str, Any]
    text: str

    def page(self) -> str:
        """A block of HTML with its own script, style and numbers; it needs no kernel.

        Where scripts may not run, the text stays.
        """
        from manyheads.explore.bundle import script

        place = uuid.uuid4().hex
        numbers = _in_script(self.state)
        return (
            f'<div data-manyheads="{place}"><pre>{escape(self.text)}</pre></div>\n'
            f"<script>\n(() => {{\n{script(self.name)}\n"
            f"for (const el of document.querySelectorAll('[data-manyheads=\"{place}\"]')) {{\n"
            f"  if (!el.shadowRoot) explorer.mount(el, {numbers}, css);\n}}\n}})();\n</script>"
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        if os.environ.get("NBGRADER_EXECUTION"):
            return {"text/plain": self.text}, {}  # a grading run reads no pictures
        shown = {"text/html": self.page(), "text/plain": self.text}
        view, notes = self._view() if _somebody_watches() else ({}, {})
        return view | shown, notes

    def _view(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget's part of the bundle; nothing where anywidget isn't installed."""
        try:
            from manyheads.explore.widget import open_widget
        except ImportError:
            return {}, {}
        return open_widget(self.name, self.state)


def _in_script(state: dict[str, Any]) -> str:
    r"""State as a JavaScript literal that can't end the script it stands in.

    >>> _in_script({"word": "</script>"})
    '{"word": "\\u003c/script>"}'
    """
    return json.dumps(state, allow_nan=False).replace("<", "\\u003c")


def _somebody_watches() -> bool:
    """Whether the kernel's client is a person's front end.

    A program that runs notebooks (nbconvert, nbclient, nbgrader) answers no questions, and the
    kernel knows. A widget made for it would be saved as a view that nobody can draw later.
    """
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))
