"""What trusted code prints, kept as a notebook's outputs and cut where it gets too long."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

MOST = 20_000  # characters a cell


class Capture:
    r"""The streams of one cell, in the order in which they were written.

    >>> capture = Capture()
    >>> with capture.on():
    ...     print("four heads")
    >>> capture.outputs()
    [{'output_type': 'stream', 'name': 'stdout', 'text': 'four heads\n'}]
    """

    def __init__(self, most: int = MOST) -> None:
        self._left = most
        self._parts: list[tuple[str, str]] = []

    @contextmanager
    def on(self) -> Iterator[None]:
        """Keep what is written inside to stdout and stderr."""
        with redirect_stdout(_Stream(self, "stdout")), redirect_stderr(_Stream(self, "stderr")):
            yield

    def take(self, name: str, text: str) -> None:
        """Keep a piece of text, or as much of it as there is room for."""
        if self._left <= 0:
            return
        kept = text[: self._left]
        self._left -= len(text)
        if self._left <= 0:
            kept += "\n[more was printed]\n"
        if self._parts and self._parts[-1][0] == name:
            kept = self._parts.pop()[1] + kept
        self._parts.append((name, kept))

    def outputs(self) -> list[dict[str, Any]]:
        """The stream outputs of the cell."""
        return [{"output_type": "stream", "name": name, "text": text} for name, text in self._parts]


class _Stream(io.TextIOBase):
    def __init__(self, capture: Capture, name: str) -> None:
        self._capture, self._stream = capture, name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text:
            self._capture.take(self._stream, text)
        return len(text)
