"""Read what a student's process says its cell put out: nothing in it is taken on trust."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from manyheads.grade.sandbox.limits import Limits

MIME = re.compile(r"[a-zA-Z0-9!#$&^_.+-]{1,100}/[a-zA-Z0-9!#$&^_.+;=-]{1,100}")
SPARE_BYTES = 4 * 1024 * 1024  # errors and markers come on top of the caps
SPARE_OUTPUTS = 30
DEPTH = 40


class BadReply(ValueError):  # noqa: N818 - told as StudentEnded
    """A reply is not a cell's outputs, or breaks a cap."""


@dataclass
class CellResult:
    """What a cell put out: nbformat v4 output dictionaries, its count, and whether it failed.

    size: bytes of the outputs as JSON
    """

    outputs: list[dict[str, Any]]
    execution_count: int | None
    failed: bool
    size: int = 0


def read_reply(reply: Any, limits: Limits) -> CellResult:
    """A cell's result from the reply of a student's process; raises BadReply.

    >>> read_reply({"outputs": [], "execution_count": 3, "failed": False}, Limits())
    CellResult(outputs=[], execution_count=3, failed=False, size=0)
    """
    told = _dict(reply, "not an object")
    outputs, (count, failed) = _list(told.get("outputs"), "no outputs"), _told(told)
    _require(len(outputs) <= limits.outputs + SPARE_OUTPUTS, "too many outputs")
    size = 0
    read = []
    for output in outputs:
        kind = _text(_dict(output, "an output is not an object").get("output_type"))
        _require(kind in FORMS, "an output of an unknown type")
        read.append(FORMS[kind](output, count))
        size += len(json.dumps(read[-1], allow_nan=False))
        _require(size <= 6 * limits.output_bytes + SPARE_BYTES, "too many bytes")
    return CellResult(read, count, failed, size)


def _told(reply: dict[str, Any]) -> tuple[int, bool]:
    count, failed = reply.get("execution_count"), reply.get("failed")
    if type(count) is not int or not 0 <= count < 10**6 or type(failed) is not bool:
        raise BadReply("the reply to a cell does not say its count and whether it failed")
    return count, failed


def _list(value: Any, words: str) -> list[Any]:
    _require(type(value) is list, words)
    return list(value)


def _dict(value: Any, words: str) -> dict[str, Any]:
    _require(type(value) is dict, words)
    return dict(value)


def _require(condition: bool, words: str) -> None:
    if not condition:
        raise BadReply(f"the reply to a cell has the wrong form: {words}")


def _text(value: Any) -> str:
    """A text that every file format can hold: no lone surrogates."""
    _require(isinstance(value, str), "a text is missing")
    return str(value) if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _stream(output: dict[str, Any], _: int) -> dict[str, Any]:
    name = output.get("name")
    _require(name in ("stdout", "stderr"), "an unknown stream")
    return {"output_type": "stream", "name": name, "text": _text(output.get("text"))}


def _error(output: dict[str, Any], _: int) -> dict[str, Any]:
    lines = _list(output.get("traceback"), "an error without a traceback")
    told = {"ename": _text(output.get("ename")), "evalue": _text(output.get("evalue"))}
    return {"output_type": "error", **told, "traceback": [_text(line) for line in lines]}


def _display(output: dict[str, Any], _: int) -> dict[str, Any]:
    return {"output_type": "display_data", **_bundle(output)}


def _result(output: dict[str, Any], count: int) -> dict[str, Any]:
    return {"output_type": "execute_result", "execution_count": count, **_bundle(output)}


FORMS = {
    "stream": _stream,
    "error": _error,
    "display_data": _display,
    "execute_result": _result,
}


def _bundle(output: dict[str, Any]) -> dict[str, Any]:
    data = _dict(output.get("data"), "no display data")
    metadata = _dict(output.get("metadata"), "no metadata")
    for kind in data:
        _require(isinstance(kind, str) and bool(MIME.fullmatch(kind)), "an impossible MIME type")
    return {
        "data": {kind: _value(kind, value) for kind, value in data.items()},
        "metadata": _plain(metadata, DEPTH),
    }


def _value(kind: str, value: Any) -> Any:
    if kind == "application/json" or kind.endswith("+json"):
        return _plain(value, DEPTH)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return [_text(line) for line in value]
    # A bundle shown raw may hold anything; nbformat takes only text here.
    return _text(value if isinstance(value, str) else json.dumps(_plain(value, DEPTH)))


def _plain(value: Any, depth: int) -> Any:
    _require(depth > 0, "data too deep")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, list):
        return [_plain(one, depth - 1) for one in value]
    if isinstance(value, dict):
        return {_text(key): _plain(one, depth - 1) for key, one in value.items()}
    return _text(value)
