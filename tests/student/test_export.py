"""A sanitized export keeps what is the course's and no foreign script."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from matplotlib.figure import Figure
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from manyheads import explore, show
from manyheads.explore import Explorer
from manyheads.student.export import clean

SETTINGS = Path("jupyter_config/jupyter_server_config.json")


def without_place(page: str) -> str:
    return re.sub(r"[0-9a-f]{32}", "", page)


@pytest.mark.parametrize(
    "shown",
    [
        explore.head_map(),
        explore.shape_tracer(D=10, H=3),
        Explorer("head_map", {"words": ["<script>", "\n", '"']}, "1 < 2 & 'so'"),
    ],
    ids=["head map", "tracer", "odd words"],
)
def test_an_explorer_stays_as_it_is(shown):
    page = shown.page()
    assert without_place(clean(page)) == without_place(page)


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.replace("const css =", "alert(1); const css ="),
        lambda page: page + "<script>alert(1)</script>",
    ],
    ids=["inside", "behind"],
)
def test_an_explorer_s_script_is_ours_whatever_the_notebook_holds(change):
    page = explore.head_map().page()
    assert without_place(clean(change(page))).strip() == without_place(page)


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.replace("$head_map;", "$no_such_explorer;"),
        lambda page: re.sub(r"mount\(el, [^\n]*, css", "mount(el, alert(1), css", page),
        lambda page: page.replace("<pre>", "<pre><b>"),
    ],
    ids=["unknown", "no numbers", "other text"],
)
def test_what_only_looks_like_an_explorer_loses_its_script(change):
    cleaned = clean(change(explore.head_map().page()))
    assert "script" not in cleaned
    assert "alert" not in cleaned
    assert "K/V 0" in cleaned


def test_a_picture_stays():
    picture = show.Picture(Figure, "3 < 4 tokens")._repr_mimebundle_()[0]["text/html"]
    assert clean(picture) == picture


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<h2 id='a'>Split</h2><p>Every <strong>head</strong></p>", None),
        ("<p onclick='alert(1)'>x</p>", "<p>x</p>"),
        ("<a href='javascript:alert(1)'>x</a>", "<a>x</a>"),
        ("<img src=x onerror=alert(1)>y", "y"),
        ("<SCRIPT>alert(1)</SCRIPT >x", "x"),
    ],
)
def test_other_html_keeps_its_words_and_form(html, left):
    assert clean(html) == (left or html.replace("'", '"'))


@pytest.mark.parametrize("sanitize", [False, True])
def test_students_jupyterlab_exports_lessons_whole_and_without_addresses(sanitize):
    from manyheads import student

    settings = json.loads((Path(student.__file__).parent / SETTINGS).read_text())
    exporter = HTMLExporter(config=Config({"HTMLExporter": settings["HTMLExporter"]}))
    exporter.sanitize_html = sanitize
    output = new_output("display_data", {"text/html": explore.head_map().page()})
    cells = [new_markdown_cell("## Split"), new_code_cell("1", outputs=[output])]
    page, _ = exporter.from_notebook_node(nbformat.from_dict(new_notebook(cells=cells)))
    assert "<h2 id=" in page
    assert page.count(".mount(el, {") == 1
    assert re.findall(r'<script[^>]* src="[^"]+"', page) == []
