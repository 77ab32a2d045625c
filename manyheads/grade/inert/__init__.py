"""What a student sent in can be looked at, and does nothing: no script, no form, no call home.

nbgrader puts a submission's HTML into formgrader's page, where it could act as the instructor, and
into feedback. So everything that is shown of a student's is made inert before it is saved.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from nbformat import NotebookNode

from manyheads.build.leaks import even
from manyheads.grade.cells import node
from manyheads.grade.inert.html import MOST_MARKS_ALL, inert_html, is_plain_svg, marks
from manyheads.grade.inert.markdown import as_code, inert_markdown
from manyheads.student.notebook import grading

Output = dict[str, Any]
_ENDLESS = re.compile(r"\x1b\[[^@-~\n]{65,}[@-~]?")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_PIXELS = ("image/png", "image/jpeg", "image/gif", "image/webp")
_KINDS = ("stream", "display_data", "execute_result", "error")


def make_inert(
    notebook: NotebookNode | dict[str, Any], ordinary: Collection[str] | None = None
) -> None:
    """Make all of a notebook that is not the instructor's inert, in place.

    `ordinary` are the texts of the lesson's own cells that nbgrader doesn't know: they stay as they
    are, whatever they hold. Visible text stays readable, pictures stay pictures.

    >>> cell = {"cell_type": "markdown", "metadata": {}, "source": "<script>alert(1)</script> Hi"}
    >>> make_inert({"cells": [cell]})
    >>> print(cell["source"])
    ```
    <script>alert(1)</script> Hi
    ```
    """
    own = {even(text) for text in ordinary or ()}
    marks_left = MOST_MARKS_ALL
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown = []
            for output in cell.get("outputs", []):
                marks_left -= _marks(output)
                shown.append(node(**inert_output(output, html=marks_left >= 0)))
            cell["outputs"] = shown
        elif not _instructors(cell) and even(cell["source"]) not in own:
            _make_text_inert(cell)


def _instructors(cell: Mapping[str, Any]) -> bool:
    marks = grading(dict(cell))
    return bool(marks) and not marks.get("solution")


def _make_text_inert(cell: dict[str, Any]) -> None:
    if cell["cell_type"] == "markdown":
        cell["source"] = inert_markdown(cell["source"], cell.get("attachments", {}))
    elif "<" in cell["source"] or "&" in cell["source"]:  # raw text goes into pages as it is
        cell["cell_type"], cell["source"] = "markdown", as_code(cell["source"])


def _marks(output: Mapping[str, Any]) -> int:
    data = output.get("data")
    return marks(_text(data.get("text/html"))) if isinstance(data, dict) else 0


def inert_output(output: Mapping[str, Any], *, html: bool = True) -> Output:
    """A cell's output that does nothing when it is shown; nbformat's own keys and no others.

    Without `html`, what HTML it has is left out, and its plain text is shown.

    >>> script = {"application/javascript": "alert(1)"}
    >>> inert_output({"output_type": "display_data", "data": script})["data"]
    {'text/plain': '(application/javascript left out)'}
    """
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": _shown(output.get("text"))}
    if kind == "error":
        lines = output.get("traceback")
        traceback = [_shown(line) for line in lines] if isinstance(lines, list) else []
        words = {key: _shown(output.get(key)) for key in ("ename", "evalue")}
        return {"output_type": kind, **words, "traceback": traceback}
    if kind not in _KINDS:
        return {"output_type": "stream", "name": "stdout", "text": ""}
    data = output.get("data")
    bundle = data if isinstance(data, dict) else {}
    made: Output = {"output_type": kind, "data": _inert_data(bundle, html=html)}
    made["metadata"] = _inert_metadata(output.get("metadata"), made["data"])
    if kind == "execute_result":
        count = output.get("execution_count")
        made["execution_count"] = count if isinstance(count, int) else None
    return made


def _shown(value: Any) -> str:
    r"""A text without escape codes so long that no terminal knows them: pages take hours over them.

    >>> _shown("a\x1b[1mb" + "\x1b[" + "1;" * 1000 + "mc")
    'a\x1b[1mbc'
    """
    text = _text(value)
    return _ENDLESS.sub("", text) if "\x1b[" in text else text


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _inert_data(data: Mapping[str, Any], *, html: bool) -> dict[str, Any]:
    """The parts of a bundle that can be shown as they are, or made so."""
    wanted = {kind: value for kind, value in data.items() if html or kind != "text/html"}
    made = {kind: shown for kind, value in wanted.items() if (shown := _inert_part(kind, value))}
    if data and not made.keys() - {"text/latex"}:
        plain = _shown(data.get("text/plain"))
        made["text/plain"] = plain or f"({', '.join(sorted(map(str, data)))[:80]} left out)"
    return made


def _inert_part(kind: str, value: Any) -> str | None:
    """One part of a bundle made inert; None for what can't be."""
    text = _text(value)
    if kind in ("text/plain", "text/latex"):  # escaped wherever they are shown
        return _shown(value)
    if kind == "text/html":
        return inert_html(text)
    if kind == "text/markdown":
        return inert_markdown(text)
    if kind == "image/svg+xml":
        return text if is_plain_svg(text) else None
    return text if kind in _PIXELS and _BASE64.fullmatch(text) else None


def _inert_metadata(metadata: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes and alt texts of pictures; nothing else of an output's metadata is looked at."""
    made: dict[str, Any] = {}
    for kind in data:
        found = metadata.get(kind) if isinstance(metadata, dict) else None
        if kind.startswith("image/") and isinstance(found, dict):
            sizes = {k: v for k in ("width", "height") if isinstance(v := found.get(k), int)}
            alt = found.get("alt")
            made[kind] = sizes | ({"alt": alt} if isinstance(alt, str) else {})
    return made
