"""A JupyterLab extension: what is saved can be opened without a kernel.

A live explorer is a widget, and a widget's view is dead once its kernel has gone. Beside it lies a
page that lives without one. Saved notebooks keep that page alone, so that a lesson opened the next
day, exported or sent in still shows its explorers.
"""

from __future__ import annotations

from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"
PAGE_MARK = "data-manyheads"


def keep_pages(model: dict[str, Any], **_: Any) -> None:
    """Take the widget's view out of every explorer's output in a contents model to be saved.

    Outputs of other widgets stay as they are.

    >>> output = {"data": {VIEW: {}, "text/html": '<div data-manyheads="1">'}}
    >>> keep_pages({"type": "notebook", "content": {"cells": [{"outputs": [output]}]}})
    >>> list(output["data"])
    ['text/html']
    """
    if model.get("type") != "notebook" or not model.get("content"):
        return
    for cell in model["content"].get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if PAGE_MARK in "".join(data.get("text/html", "")):
                data.pop(VIEW, None)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Tell Jupyter's server that this module is an extension."""
    return [{"module": "manyheads.student.saving"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Jupyter's server calls this when it starts."""
    server.contents_manager.register_pre_save_hook(keep_pages)
