"""A graded notebook as a page, by a template of our own that is compiled once a process.

nbgrader's own pages carry half a megabyte of style sheets each and are parsed a second time as a
whole. Here a page has its content and a few lines of style; what all students have in common is
rendered once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup
from nbformat import NotebookNode

from manyheads.grade.feedback import causes_of
from manyheads.grade.pages.summary import notes_for_student, rows_by_exercise
from manyheads.grade.secrets import Secrets

HERE = Path(__file__).parent
_MATH = re.compile(r"\$|\\\(|\\\[|\\begin\{")
_SHOWN_FIRST = ("text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg")


def render(notebook: NotebookNode, names: Mapping[str, Any], secrets: Secrets) -> str:
    """The page of a notebook that is prepared for its student.

    `names` hold `student`, `notebook` and the sums `score`, `max_score`, `late_penalty`, `waiting`.
    """
    ours = notebook.metadata.get("manyheads", {})
    return _template().render(
        cells=notebook.cells,
        names={"waiting": 0.0, "late_penalty": 0.0, **names},
        notes=notes_for_student(ours),
        rows=rows_by_exercise(notebook.cells, secrets.exercises, causes_of(notebook, secrets)),
        math=any(map(_has_math, notebook.cells)),
        css=_css(),
    )


@cache
def _template() -> Template:
    from nbconvert.filters import ansi2html, text_base64

    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True)
    environment.undefined = StrictUndefined
    environment.filters |= {
        "ansi": lambda text: Markup(ansi2html(text)),  # noqa: S704  (it escapes)
        "base64": text_base64,
        "markdown": _markdown,
        "highlighted": _highlighted,
        "number": lambda value: f"{round(float(value or 0), 2):g}",
        "best_kind": _best_kind,
    }
    return environment.get_template("page.html.j2")


@cache
def _css() -> Markup:
    from pygments.formatters import HtmlFormatter

    ours = (HERE / "page.css").read_text(encoding="utf-8")
    return Markup(ours + HtmlFormatter(style="default").get_style_defs(".highlight"))  # noqa: S704


def _has_math(cell: NotebookNode) -> bool:
    if cell.cell_type == "markdown":
        return _MATH.search(cell.source) is not None
    return any("text/latex" in output.get("data", {}) for output in cell.get("outputs", []))


def _markdown(source: str, cell: Mapping[str, Any] | None = None) -> Markup:
    """Markdown as HTML; what is a student's was made inert before."""
    attachments = cell.get("attachments") if cell else None
    page = _rendered(source, attachments) if attachments else _rendered_once(source)
    return Markup(page)  # noqa: S704


@lru_cache(maxsize=512)
def _rendered_once(source: str) -> str:
    return _rendered(source, {})


def _rendered(source: str, attachments: Mapping[str, Any]) -> str:
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    renderer = IPythonRenderer(
        escape=False, attachments=dict(attachments), exclude_anchor_links=True
    )
    return str(MarkdownWithMath(renderer=renderer).render(source))


@lru_cache(maxsize=512)
def _highlighted(source: str) -> Markup:
    from nbconvert.filters import Highlight2HTML

    return Markup(_highlighter(Highlight2HTML)(source))  # noqa: S704


@cache
def _highlighter(kind: Any) -> Any:
    return kind()


def _best_kind(data: Mapping[str, Any]) -> str:
    """Which part of an output's bundle is shown."""
    order = (*_SHOWN_FIRST, "text/latex")
    return next((kind for kind in order if kind in data), "text/plain")
