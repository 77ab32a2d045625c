"""Saved notebooks keep explorers that need no kernel."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import pytest

from manyheads.student import saving

EXPLORER = {
    saving.VIEW: {"model_id": "1"},
    "text/html": '<div data-manyheads="1">',
    "text/plain": "",
}
OTHER = {saving.VIEW: {"model_id": "2"}, "text/html": "<p>", "text/plain": ""}


def model(*outputs):
    cells = [{"cell_type": "markdown"}, {"outputs": [{"data": dict(data)} for data in outputs]}]
    return {"type": "notebook", "content": {"cells": [*cells, {"outputs": [{"text": "printed"}]}]}}


def saved(*outputs):
    notebook = model(*outputs)
    saving.keep_pages(model=notebook, path="x.ipynb", contents_manager=None)
    return [output["data"] for output in notebook["content"]["cells"][1]["outputs"]]


def test_an_explorer_keeps_its_page_and_text():
    assert [set(data) for data in saved(EXPLORER)] == [{"text/html", "text/plain"}]


def test_other_widgets_are_left_alone():
    assert saved(OTHER, {"text/plain": "1"}) == [OTHER, {"text/plain": "1"}]


@pytest.mark.parametrize("file", [{"type": "file", "content": "x"}, {"type": "notebook"}])
def test_what_holds_no_cells_is_left_alone(file):
    before = deepcopy(file)
    saving.keep_pages(model=file)
    assert file == before


def test_the_server_calls_it_before_each_save():
    hooks = []
    manager = SimpleNamespace(register_pre_save_hook=hooks.append)
    saving._load_jupyter_server_extension(SimpleNamespace(contents_manager=manager))
    assert hooks == [saving.keep_pages]


def test_students_jupyterlab_loads_it():
    settings = Path(saving.__file__).parent / "jupyter_config/jupyter_server_config.d/students.json"
    extensions = json.loads(settings.read_text())["ServerApp"]["jpserver_extensions"]
    (point,) = saving._jupyter_server_extension_points()
    assert extensions[point["module"]] is True
