"""What a check hands back: plain data, readable as text, HTML and JSON."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

CHECK_MIME = "application/vnd.manyheads.check+json"
PROGRESS_MIME = "application/vnd.manyheads.progress+json"
BACKTICKS = re.compile(r"`([^`]+)`")
COORDINATE = re.compile(r"^(out|First difference)\b.*\[\d")
WIDTH = 100
WORDS = {True: "passed", False: "not yet", None: "noted"}


@dataclass(frozen=True)
class Result:
    """One answer of a check.

    `passed` is None for an answer that is noted, or not given yet. `cause` is the id of the
    misconception that was recognised, `traceback` the learner's own lines of an error.

    >>> print(Result("02", "quiz_1", True, "passed", ("Yes: each head sees all tokens.",)))
    quiz_1   passed
      Yes: each head sees all tokens.
    """

    lesson: str
    exercise: str
    passed: bool | None
    headline: str
    lines: tuple[str, ...] = ()
    probe: str = ""
    cause: str | None = None
    traceback: str = ""
    footer: str = ""
    verdict: str = ""

    @property
    def text(self) -> str:
        """The answer and the progress as plain text, at most 100 columns wide."""
        return "\n".join([self.answer, *([_indented(self.footer)] if self.footer else [])])

    @property
    def answer(self) -> str:
        """The answer alone as plain text, for whoever counts progress themselves."""
        said = [line for line in (*self.lines, self._probe()) if line]
        parts = [f"{self.exercise}   {self.headline}", *map(_indented, said)]
        if self.traceback:
            parts.append(textwrap.indent(self.traceback, "    "))
        return "\n".join(parts)

    def html(self) -> str:
        """The answer as a small block of HTML, everything escaped."""
        word = self.verdict or WORDS[self.passed]
        said = "".join(map(_paragraph, filter(None, (*self.lines, self._probe()))))
        trace = f"<pre>{escape(self.traceback)}</pre>" if self.traceback else ""
        footer = f"<footer>{escape(self.footer)}</footer>" if self.footer else ""
        head = (
            f"<header><code>{escape(self.exercise)}</code> <strong>{escape(word)}</strong> "
            f"<span>{escape(self.headline.removeprefix(word).removeprefix(': '))}</span></header>"
        )
        state = WORDS[self.passed].replace(" ", "-")
        body = f"{head}{said}{trace}{footer}"
        return f'{_style()}<section class="manyheads-check {state}" role="status">{body}</section>'

    def bundle(self) -> dict[str, Any]:
        """The display bundle: HTML, plain text, and the data that the command line reads."""
        data = {
            "lesson": self.lesson,
            "exercise": self.exercise,
            "passed": self.passed,
            "cause": self.cause,
            "text": self.answer,
        }
        return {"text/html": self.html(), "text/plain": self.text, CHECK_MIME: data}

    def _probe(self) -> str:
        return f"Probe: {self.probe}" if self.probe else ""

    def _ipython_display_(self) -> None:
        """Stay silent as a cell's last value: the check has displayed itself already."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.exercise}: {self.verdict or WORDS[self.passed]}>"


@dataclass(frozen=True)
class Progress:
    """How far a lesson has come in this session: ids in the lesson's order.

    `by_hand` are free texts, which a person reads and no check can count.
    """

    lesson: str
    answered: tuple[str, ...]
    open: tuple[str, ...]
    by_hand: tuple[str, ...] = ()

    @property
    def footer(self) -> str:
        """One line for the foot of other results."""
        total = len(self.answered) + len(self.open)
        return f"{len(self.answered)} of {total} questions answered in this session"

    @property
    def text(self) -> str:
        """The progress as plain text."""
        return "\n".join([f"{self.lesson}   {self.footer}", *map(_indented, self._lines())])

    def html(self) -> str:
        """The progress as a small block of HTML, with a bar that carries its numbers as text."""
        total = len(self.answered) + len(self.open)
        lines = "".join(map(_paragraph, self._lines()))
        label = f'aria-label="{escape(self.footer)}"'
        bar = f'<progress max="{max(total, 1)}" value="{len(self.answered)}" {label}></progress>'
        name, words = escape(self.lesson), escape(self.footer)
        body = f"<header><code>{name}</code> <span>{words}</span></header>{bar}{lines}"
        return f'{_style()}<section class="manyheads-check" role="status">{body}</section>'

    def bundle(self) -> dict[str, Any]:
        """The display bundle: HTML, plain text, and the data that the command line reads."""
        data = {
            "lesson": self.lesson,
            "answered": list(self.answered),
            "open": list(self.open),
            "next": self.open[0] if self.open else None,
            "by_hand": list(self.by_hand),
            "text": self.text,
        }
        return {"text/html": self.html(), "text/plain": self.text, PROGRESS_MIME: data}

    def _lines(self) -> list[str]:
        lines = ["Every question of this lesson is answered. Hidden tests run at grading."]
        if self.open:
            lines = [f"Next: {self.open[0]}. Open: {', '.join(self.open)}."]
        if self.by_hand:
            lines.append(f"Read by your teacher: {', '.join(self.by_hand)}.")
        return lines

    def _ipython_display_(self) -> None:
        """Stay silent as a cell's last value: the check has displayed itself already."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.lesson}: {self.footer}>"


def _paragraph(line: str) -> str:
    """A line as a paragraph; one that speaks of coordinates in a fixed-width font."""
    where = ' class="where"' if COORDINATE.search(line) else ""
    lines = _code(line).replace(". Yours ", ".\nYours ") if where else _code(line)
    return f"<p{where}>{lines}</p>"


def _code(text: str) -> str:
    """Escaped text; what stands between backticks becomes code."""
    return BACKTICKS.sub(r"<code>\1</code>", escape(text))


def _indented(text: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


@cache
def _style() -> str:
    css = Path(__file__).with_name("check.css").read_text(encoding="utf-8")
    return f"<style>{css}</style>"
