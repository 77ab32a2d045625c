"""A notebook file's text as JSON, or the cause why it is none."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

from manyheads.errors import UnreadableError
from manyheads.grade.reading.folder import AGAIN

MOST_PARTS = 1_000_000  # lists and objects; a notebook has a few hundred
MOST_VALUES = 5_000_000
DIGITS = 18  # what JavaScript and SQLite also take
CONFLICT = re.compile(r"^(<{7}|={7}|>{7}|\|{7})(?: |\r?$)", re.MULTILINE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def parse(text: str) -> tuple[Any, list[str]]:
    """The JSON value in a text, and what is odd about it.

    Of a key that stands twice in an object the last counts, as in JupyterLab. Numbers that no
    other program could read become None.
    Raises UnreadableError with line, cause and remedy.

    >>> parse('{"cells": [], "cells": [1]}')
    ({'cells': [1]}, ["the key 'cells' stands there twice: the last one was taken"])
    """
    _refuse_too_many(text)
    reader = _Reader()
    try:
        value = json.loads(
            text,
            object_pairs_hook=reader.pairs,
            parse_int=reader.integer,
            parse_float=reader.real,
            parse_constant=reader.no_number,
        )
    except RecursionError as error:
        raise UnreadableError("its JSON is nested too deeply to be a notebook", AGAIN) from error
    except json.JSONDecodeError as error:
        raise _unreadable(text, error) from error
    return value, reader.flags()


def _refuse_too_many(text: str) -> None:
    parts = text.count("[") + text.count("{")
    if parts > MOST_PARTS or text.count(",") > MOST_VALUES:
        remedy = "Open it in JupyterLab, clear all outputs, save it, and grade again."
        raise UnreadableError("it holds far more values than a notebook could", remedy)


class _Reader:
    """Hooks for the JSON parser that note what is odd."""

    def __init__(self) -> None:
        self.twice: dict[str, None] = {}
        self.numbers = 0

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            times = Counter(name for name, _ in pairs)
            self.twice.update((name, None) for name in made if times[name] > 1)
        return made

    def integer(self, digits: str) -> int | None:
        return int(digits) if len(digits) <= DIGITS else self.no_number(digits)

    def real(self, digits: str) -> float | None:
        number = float(digits)
        return number if math.isfinite(number) else self.no_number(digits)

    def no_number(self, _: str) -> Any:
        self.numbers += 1
        return None

    def flags(self) -> list[str]:
        odd = [
            f"the key {clean(name)[:40]!r} stands there twice: the last one was taken"
            for name in list(self.twice)[:3]
        ]
        if self.numbers:
            odd.append(f"{self.numbers} numbers that are not finite or too long were left out")
        return odd


def _unreadable(text: str, error: json.JSONDecodeError) -> UnreadableError:
    """The likeliest cause of text that is not JSON."""
    start = text.lstrip()[:200]
    conflict = CONFLICT.search(text)
    if conflict:
        words = f"it holds the conflict markers of an unfinished merge ({conflict[1]})"
        line = text.count("\n", 0, conflict.start()) + 1
        remedy = "Ask the student to settle the conflict and send the notebook again."
        return UnreadableError(words, remedy, line)
    if start.startswith("<"):
        return UnreadableError(_page(text), AGAIN, 1)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return UnreadableError("null bytes stand inside the text", AGAIN, line)
    if not start.startswith(("{", "[")):
        return UnreadableError(
            f"it is not JSON: it begins with {start[:30]!r}", AGAIN, error.lineno
        )
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return UnreadableError("the file breaks off here: its end is missing", AGAIN, error.lineno)
    return UnreadableError(f"it is not JSON ({error.msg})", AGAIN, error.lineno)


def _page(text: str) -> str:
    """What to call a file that holds a web page or another text with tags."""
    title = _TITLE.search(text[:20_000])
    named = f" ({' '.join(title[1].split())[:60]!r})" if title else ""
    kind = (
        "a web page" if re.search(r"<(!doctype )?html|<body|<head", text[:5_000], re.I) else "XML"
    )
    return f"it is {kind}{named}, not a notebook; perhaps a page was saved in place of the file"


def clean(text: str) -> str:
    """A text without halves of characters, which no file could hold.

    >>> clean("a" + chr(0xd800)) == "a" + chr(0xfffd)
    True
    """
    return _SURROGATES.sub("\ufffd", text)
