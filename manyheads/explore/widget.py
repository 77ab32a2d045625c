"""The anywidget behind an explorer in a live notebook. Importing this needs anywidget."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from manyheads.explore.bundle import module


def open_widget(name: str, state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Open a widget on the front end `name` and return its view, with metadata, by MIME type."""
    data, notes = _kind(name)(state=state)._repr_mimebundle_() or ({}, {})
    data.pop("text/plain", None)  # the explorer's own words serve better
    return data, notes


_kinds: dict[str, type[anywidget.AnyWidget]] = {}


def _kind(name: str) -> type[anywidget.AnyWidget]:
    """The widget class of one front end; anywidget keeps one script a class."""
    if name not in _kinds:
        body = {
            "_esm": module(name),
            "state": traitlets.Dict().tag(sync=True),
            "__module__": __name__,
        }
        _kinds[name] = type(f"Explorer_{name}", (anywidget.AnyWidget,), body)
    return _kinds[name]
