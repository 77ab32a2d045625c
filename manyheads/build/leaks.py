"""What students must not see, and whether a text or file shows it.

A hidden line is a line of a solution, hidden-test or mark-scheme region, or any line of a solution
cell without regions, unless the same line stands in the visible text of the source (also as a part
of a visible line). Lines are compared with their white space evened out, and searched for as parts
of a text, so a hidden line behind a visible one, over two lines, or in metadata is found.

Lines that carry nothing are left out. In a notebook these are lines without a letter or digit. In
other texts (package code, pages) a line must hold at least CARRIES letters or digits besides
Python's keywords and builtins: `return q, k` or `except ValueError:` stand in any program, and
finding them says nothing.
"""

from __future__ import annotations

import builtins
import html
import json
import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from manyheads.build.regions import MARKERS, looks_like_marker, take_apart
from manyheads.errors import LeakError

CARRIES = 6
_EVERYWHERE = {*keyword.kwlist, *dir(builtins)}
_DIGEST = re.compile(r"[0-9a-f]{12}|[0-9a-f]{32}")
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class HiddenLine:
    """A line that students don't see, where it stands in the source, and the kind of its region."""

    text: str
    cell: str
    number: int
    kind: str

    @property
    def place(self) -> str:
        """Where the line stands, without its words: safe for a log."""
        return f"line {self.number} of cell {self.cell} ({self.kind.lower()})"


@dataclass(frozen=True)
class HiddenText:
    """The hidden lines of a source notebook, and the visible text that may be shown.

    >>> cell = {"id": "f", "metadata": {"nbgrader": {"solution": True}}, "cell_type": "code"}
    >>> lines = ["def f(x):", "### BEGIN SOLUTION", "    return x.flip(0)", "### END SOLUTION"]
    >>> hidden = HiddenText.of({"cells": [{**cell, "source": chr(10).join(lines)}]})
    >>> hidden.found_in("def f(x): return x.flip(0)")
    ['return x.flip(0)']
    """

    lines: tuple[HiddenLine, ...]
    visible: str

    @classmethod
    def of(cls, source_notebook: Any) -> HiddenText:
        """The hidden text of an instructor's notebook, given as a notebook node or plain JSON."""
        hidden: list[HiddenLine] = []
        visible: list[str] = []
        for cell in source_notebook["cells"]:
            shown, unseen = _split_cell(cell)
            visible += shown
            hidden += unseen
        return cls(tuple(hidden), "")._with_visible(visible)

    def allowing(self, *texts: str) -> HiddenText:
        """The same hidden text, but for lines that also stand in these texts.

        A student's own answer may be shown to that student, even where it equals the solution.
        """
        return self._with_visible(line for text in texts for line in text.splitlines())

    def _with_visible(self, lines: Iterable[str]) -> HiddenText:
        new = "\n".join(even(line) for line in lines)
        kept = tuple(line for line in self.lines if line.text not in new)
        return replace(self, lines=kept, visible=f"{self.visible}\n{new}")

    def found_in(self, text: str) -> list[str]:
        """Hidden lines that occur in a text although no student may see them."""
        return _texts(self._carrying_in(even(text)))

    def found_in_page(self, page: str) -> list[str]:
        """Hidden lines that the words of an HTML page show, whatever its tags and entities.

        Words alone are compared, because rendering takes away Markdown's marks.
        """
        seen = words(html.unescape(re.sub(r"<[^>]*>", "", _UNSEEN.sub(" ", page))))
        allowed = words(self.visible)
        unlike = [line for line in self._carrying() if words(line.text) not in allowed]
        everywhere = self._carrying_in(even(html.unescape(page)))
        return _texts([*(line for line in unlike if words(line.text) in seen), *everywhere])

    def found_in_notebook(self, notebook: Any) -> list[HiddenLine]:
        """Hidden lines in any string of a notebook: source, output, metadata, id, attachment."""
        strings = "\n".join(even(string) for string in _strings(notebook))
        return [line for line in self.lines if _tells(line.text) and line.text in strings]

    def found_in_file(self, path: Path) -> list[str]:
        """Hidden lines in a file: of notebooks all strings, of pages the words, else the text."""
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix in (".html", ".htm"):
            return self.found_in_page(text)
        if path.suffix == ".ipynb":
            return _texts(self.found_in_notebook(json.loads(text)))
        return self.found_in(text)

    def verify(self, release: Any, lesson: str) -> None:
        """Check a release notebook.

        Raises LeakError, naming cells and line numbers but no hidden words, when it shows a hidden
        line or holds what is left of a region marker.
        """
        shown = self.found_in_notebook(release)
        leaks = [f"{line.place} is shown in {where(release, line)}" for line in shown]
        leaks += [f"cell {name} holds a region marker" for name in _left_markers(release)]
        if leaks:
            raise LeakError(
                f"The release of {lesson} would show students what is hidden:\n"
                + "\n".join(f"  {leak}" for leak in leaks)
                + "\nNothing was written. Look at these cells' regions and at nbgrader_config.py."
            )

    def _carrying(self) -> list[HiddenLine]:
        return [line for line in self.lines if carried(line.text) >= CARRIES]

    def _carrying_in(self, text: str) -> list[HiddenLine]:
        return [line for line in self._carrying() if line.text in text]


def _split_cell(cell: Any) -> tuple[list[str], list[HiddenLine]]:
    """A cell's visible lines and its hidden ones."""
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    lines = source.split("\n")
    regions = take_apart(source)
    solution = bool(cell["metadata"].get("nbgrader", {}).get("solution"))
    hidden = dict(regions.hidden)
    if solution and "### BEGIN SOLUTION" not in (line.strip() for line in lines):
        hidden = {n: hidden.get(n, "SOLUTION") for n in range(1, len(lines) + 1)}
    name = str(cell.get("id", "?"))
    unseen = [HiddenLine(even(lines[n - 1]), name, n, kind) for n, kind in sorted(hidden.items())]
    shown = [lines[n - 1] for n in regions.visible if n not in hidden]
    return shown, [line for line in unseen if line.text and line.text not in MARKERS]


def even(text: str) -> str:
    """The text with every run of white space as one blank, and none at its ends.

    >>> even("  a =  1 ")
    'a = 1'
    """
    return " ".join(text.split())


def words(text: str) -> str:
    """The text's words alone, one blank between them and at both ends.

    >>> words("- the **head** axis, `Dh`")
    ' the head axis Dh '
    """
    return " ".join(["", *re.findall(r"[^\W_]+", text), ""])


@lru_cache(maxsize=8192)
def carried(line: str) -> int:
    """How many letters and digits a line holds besides Python's keywords and builtins.

    >>> [carried(line) for line in ("except ValueError:", "return q, k", "x = 12")]
    [0, 2, 3]
    """
    found = re.findall(r"\w+", line)
    return sum(len(word) for word in found if word not in _EVERYWHERE)


def _tells(line: str) -> bool:
    return any(character.isalnum() for character in line)


def _texts(lines: Iterable[HiddenLine]) -> list[str]:
    return list(dict.fromkeys(line.text for line in lines))


def _strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys included; digests tell nothing and match by chance."""
    if isinstance(value, str):
        if not _DIGEST.fullmatch(value):
            yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        if value and all(isinstance(inner, str) for inner in value):
            yield "".join(value)
        for inner in value:
            yield from _strings(inner)


def where(release: Any, line: HiddenLine) -> str:
    """The release's cells that show the line, or its metadata."""
    names = [
        f"cell {cell.get('id', '?')}"
        for cell in release["cells"]
        if any(line.text in even(string) for string in _strings(cell))
    ]
    return " and ".join(names) or "the notebook's metadata"


def _left_markers(release: Any) -> list[str]:
    """Names of the cells in which any line of any string looks like a region marker."""
    parts = [(str(cell.get("id", "?")), cell) for cell in release["cells"]]
    parts.append(("(none, in the notebook's metadata)", release["metadata"]))
    return [name for name, part in parts if _has_marker(part)]


def _has_marker(part: Any) -> bool:
    lines = (line for string in _strings(part) for line in string.splitlines())
    return any(looks_like_marker(line) for line in lines)
