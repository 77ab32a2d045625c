"""A cell's outputs as nbformat dictionaries, capped in bytes and in number while they are made."""

from __future__ import annotations

import io
import json
from binascii import b2a_base64
from collections.abc import Mapping
from typing import Any

from IPython.core import displaypub

from manyheads.grade.inside.words import in_words

Output = dict[str, Any]
DisplayPublisher: Any = displaypub.DisplayPublisher  # its types are none
ERRORS = 20  # an error is told even where nothing else is left to tell; these many a cell
ERROR_BYTES = 64 * 1024
NAME_LETTERS = 200


class Outputs:
    r"""What the running cell has put out so far.

    cell_bytes, total_bytes: how much one cell and all of them may put out
    most: how many outputs a cell may have; consecutive writes to one stream are one output

    >>> outputs = Outputs(cell_bytes=10, total_bytes=100, most=5)
    >>> outputs.begin()
    >>> outputs.write("stdout", "one "), outputs.write("stdout", "two three")
    (4, 9)
    >>> outputs.end()[0]["text"]
    'one two th\n... output cut here: more than 10 bytes\n'
    """

    def __init__(self, cell_bytes: int, total_bytes: int, most: int) -> None:
        self.cell_bytes, self.most = cell_bytes, most
        self.total_bytes = self._total = total_bytes
        self.full = True  # nothing is taken in: no cell runs, or it has put out too much
        self.failed = self._running = False
        self._list: list[Output] = []

    def begin(self) -> None:
        """Start a cell."""
        self._list = []
        self._shown: dict[str, Output] = {}
        self._left = self._budget = max(min(self.cell_bytes, self._total), 0)
        self._clear_next = self.full = self.failed = False
        self._running, self._errors = True, 0

    def renew(self) -> None:
        """Forget what all cells so far have put out."""
        self._total = self.total_bytes

    def end(self) -> list[Output]:
        """End the cell and hand over its outputs."""
        self._total -= self._budget - max(self._left, 0)
        self._running, self.full = False, True
        for output in self._list:
            if output["output_type"] == "stream":
                output["text"] = "".join(output["text"])
        outputs, self._list = self._list, []
        return outputs

    def write(self, name: str, text: str) -> int:
        """Take text written to the stream `name`; the count of its letters, as `write` gives it."""
        if not self.full and text:
            size = _size(text)
            if size <= self._left:
                self._left -= size
                self._stream(name, text)
            else:
                kept = text[: self._left].encode("utf-8", "replace")[: self._left]
                self._stream(name, kept.decode("utf-8", "ignore"))
                self._cut(name)
        return len(text)

    def add(self, output: Output, size: int) -> None:
        """Take a display or a result of `size` bytes."""
        if self.full:
            return
        if size > self._left:
            self._cut("stdout")
            return
        if not self._room():
            return
        self._left -= size
        self._list.append(output)

    def show(self, data: Output, metadata: Output, display_id: str | None, update: bool) -> None:
        """Take displayed data; `update` replaces what this cell showed under `display_id`."""
        if self.full:
            return
        size = len(json.dumps([data, metadata]))
        if update:
            known = self._shown.get(display_id or "")
            if known is not None and size <= self._left:
                self._left -= size
                known.update(data=data, metadata=metadata)
            return
        output = {"output_type": "display_data", "data": data, "metadata": metadata}
        self.add(output, size)
        if display_id:
            self._shown[display_id] = output

    def show_result(self, data: Output, metadata: Output, count: int) -> None:
        """Take the value of a cell's last expression."""
        told = {"execution_count": count, "data": data, "metadata": metadata}
        self.add({"output_type": "execute_result", **told}, len(json.dumps([data, metadata])))

    def error(self, name: str, value: str, traceback: list[str]) -> None:
        """Take an error; it is told in part even where all room is used up."""
        self.failed = True
        self._errors += 1
        if self._errors <= ERRORS:
            self._apply_clear()
            lines = "\n".join(traceback)
            if len(lines) > ERROR_BYTES:
                traceback = [f"{lines[:ERROR_BYTES]}\n... traceback cut here"]
            told = {"ename": name[:NAME_LETTERS], "evalue": value[:ERROR_BYTES]}
            self._list.append({"output_type": "error", **told, "traceback": traceback})

    def clear(self, wait: bool) -> None:
        """Forget what the cell has put out: now, or when the next output comes."""
        if self._running:
            self._clear_next, self.full = True, False
            if not wait:
                self._apply_clear()

    def _apply_clear(self) -> None:
        if self._clear_next:
            self._list, self._clear_next = [], False
            self._left = self._budget

    def _room(self) -> bool:
        """Whether one more output may come; says so in the outputs when not."""
        self._apply_clear()
        if len(self._list) < self.most:
            return True
        self._mark("stdout", f"more than {self.most} outputs")
        return False

    def _stream(self, name: str, text: str) -> None:
        self._apply_clear()
        last = self._list[-1] if self._list else None
        if last is not None and last.get("name") == name:
            last["text"].append(text)
        elif self._room():
            self._list.append({"output_type": "stream", "name": name, "text": [text]})

    def _cut(self, name: str) -> None:
        whole = self._budget < self.cell_bytes
        most = f"{in_words(self.total_bytes)} in one notebook" if whole else ""
        self._mark(name, f"more than {most or in_words(self.cell_bytes)}")

    def _mark(self, name: str, why: str) -> None:
        self.full = True
        marker = f"\n... output cut here: {why}\n"
        last = self._list[-1] if self._list else None
        if last is not None and last.get("name") == name:
            last["text"].append(marker)
        else:
            self._list.append({"output_type": "stream", "name": name, "text": [marker.lstrip()]})


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def plain_data(bundle: Mapping[str, Any]) -> Output:
    """A display bundle as JSON can hold it: bytes in base 64, as Jupyter has it.

    Raises TypeError for a value that JSON has no form for.

    >>> plain_data({"text/plain": "x", "image/png": b"PNG"})
    {'text/plain': 'x', 'image/png': 'UE5H'}
    """
    return {str(kind): _plain(value) for kind, value in bundle.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return _base64(value)
    return json.loads(json.dumps(value, default=_base64), parse_constant=str)


def _base64(value: Any) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b2a_base64(value, newline=False).decode("ascii")
    raise TypeError(f"{type(value).__name__} is not something that JSON can hold")


class Stream(io.TextIOBase):
    """What `sys.stdout` and `sys.stderr` are: writes go to the running cell's outputs."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, name: str, outputs: Outputs, fd: int) -> None:
        self.name = f"<{name}>"
        self._kind, self._outputs, self._fd = name, outputs, fd

    def write(self, text: str) -> int:
        """Take text."""
        if self._outputs.full and isinstance(text, str):
            return len(text)
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        return self._outputs.write(self._kind, text)

    def writable(self) -> bool:
        """True."""
        return True

    def fileno(self) -> int:
        """The file descriptor that subprocesses write to."""
        return self._fd


class Publisher(DisplayPublisher):  # type: ignore[misc]
    """Where IPython's `display` puts its data."""

    outputs: Outputs

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        *_: Any,
        transient: Any = None,
        update: bool = False,
        **__: Any,
    ) -> None:
        """Take a display bundle; raises TypeError for what is none."""
        if self.outputs.full:
            return
        self._validate_data(data, metadata)
        display_id = (transient or {}).get("display_id")
        known = str(display_id) if display_id is not None else None
        self.outputs.show(plain_data(data), plain_data(metadata or {}), known, update)

    def clear_output(self, wait: bool = False) -> None:
        """Forget the cell's outputs."""
        self.outputs.clear(wait)
