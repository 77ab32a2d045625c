"""Text that is no JSON is refused with line, cause and remedy; odd JSON is read with a flag."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from manyheads.grade.reading import UnreadableError, json_text, read_submission
from manyheads.grade.reading import folder as folder_module
from tests.grade.reading.handed_in import TEXTS, as_bytes, read, right, texts

WHOLE = as_bytes(right()).decode()
LINES = WHOLE.split("\n")
CONFLICT = "\n".join(
    [*LINES[:9], "<<<<<<< HEAD", *LINES[9:12], "=======", *LINES[9:12], ">>>>>>> b1", *LINES[12:]]
)
PAGE = "<!DOCTYPE html>\n<html><head><title>\n Log in\n</title></head></html>"

UNREADABLE = {
    "conflict markers": (CONFLICT, r"line 10: it holds the conflict markers .*settle the conflict"),
    "a marker in line 1": ("<<<<<<< HEAD\n" + WHOLE, r"line 1: .*conflict markers"),
    "a marker, Windows": (CONFLICT.replace("\n", "\r\n"), r"line 10: .*conflict markers"),
    "only the end marker": (WHOLE + "\n>>>>>>> theirs", r"conflict markers .*>{7}"),
    "truncated in a text": (WHOLE[: len(WHOLE) // 2], r"line \d+: .*breaks off|is not JSON"),
    "truncated after a comma": ("\n".join(LINES[:20]), r"line \d+: the file breaks off here"),
    "one brace": ("{", r"line 1: the file breaks off here"),
    "without its last brace": (WHOLE.rstrip()[:-1], r"the file breaks off here"),
    "a web page": (PAGE, r"line 1: it is a web page \('Log in'\), not a notebook; perhaps"),
    "a page in one line": ("<html><body>404</body></html>", r"a web page, not a notebook"),
    "XML": ("<?xml version='1.0'?><nb/>", r"it is XML, not a notebook"),
    "Python": ("def f():\n    pass", r"line 1: it is not JSON: it begins with 'def f\(\)"),
    "jupytext": ("# ---\n# jupyter:\n", r"it is not JSON: it begins with"),
    "Python's own notation": (repr(right()), r"line 1: it is not JSON"),
    "a comma too many": ('{"cells": [\n{},\n]}', r"line [23]: it is not JSON"),
    "two notebooks": (WHOLE + WHOLE, r"line \d+: it is not JSON \(Extra data\)"),
    "a JSON list": ("[]", r"it holds a JSON list, not a notebook"),
    "a list with a notebook": (f"[{WHOLE}]", r"it holds a JSON list"),
    "a JSON text": (json.dumps(WHOLE), r"it is not JSON: it begins with|it holds a JSON text"),
    "a number": ("12", r"it is not JSON: it begins with|a JSON number"),
    "null": ("null", r"it is not JSON: it begins with|a JSON null"),
    "an empty object": ("{}", r"it is JSON, but no notebook"),
    "a Drive shortcut": ('{"url": "https://x", "doc_id": "1"}', r"it is JSON, but no notebook"),
    "deep lists": ("[" * 200_000, r"nested too deeply|breaks off"),
    "deep lists, closed": ("[" * 99_999 + "]" * 99_999, r"nested too deeply"),
    "deep objects": ('{"a":' * 99_999 + "1" + "}" * 99_999, r"nested too deeply"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_is_no_notebook_is_refused_with_its_cause(tmp_path: Path, kind: str) -> None:
    text, words = UNREADABLE[kind]
    with pytest.raises(UnreadableError, match=words) as caught:
        read(tmp_path, text.encode())
    assert "grade again" in caught.value.remedy or "send the notebook" in caught.value.remedy
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", range(1, 12))
def test_a_notebook_cut_anywhere_is_refused(tmp_path: Path, part: int) -> None:
    data = as_bytes(right())
    with pytest.raises(UnreadableError, match=r"line \d+: "):
        read(tmp_path, data[: len(data) * part // 12])


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000, "-" + "1" * 40, "1" * 19]
)
@pytest.mark.parametrize("key", ["execution_count", "nbformat_minor", "x"])
def test_numbers_that_no_other_program_reads_are_left_out(
    tmp_path: Path, number: str, key: str
) -> None:
    notebook = right()
    notebook[key] = "@"
    for cell in notebook["cells"]:
        cell[key] = "@"
        cell["metadata"]["nbgrader"] = cell["metadata"].get("nbgrader", {}) | {"points": "@"}
    reading = read(tmp_path, as_bytes(notebook).replace(b'"@"', number.encode()))
    assert texts(reading.notebook) == TEXTS
    assert "numbers that are not finite or too long were left out" in reading.flags[0]
    json.dumps(reading.notebook, allow_nan=False)


def test_of_a_key_written_twice_the_last_counts_with_a_flag(tmp_path: Path) -> None:
    data = as_bytes(right()).replace(b"{", b'{"cells": [], "source": "x",', 1)
    reading = read(tmp_path, data)
    assert texts(reading.notebook) == TEXTS
    assert reading.flags == ["the key 'cells' stands there twice: the last one was taken"]


def test_a_key_written_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    keys = ",".join(f'"k{number}":0' for number in range(200_000))
    data = as_bytes(right()).replace(b"{", f'{{"more":{{{keys},"k7":1}},'.encode(), 1)
    started = time.process_time()
    flags = read(tmp_path, data).flags
    assert flags == ["the key 'k7' stands there twice: the last one was taken"]
    assert time.process_time() - started < 20  # looked for one by one, they take minutes


def test_halves_of_characters_are_replaced_with_a_flag(tmp_path: Path) -> None:
    data = as_bytes(right()).replace(b"GIVEN = '", b"GIVEN = '\\ud83d ", 1)
    reading = read(tmp_path, data)
    json.dumps(reading.notebook, ensure_ascii=False).encode()
    assert "cell 3 held halves of characters: replaced" in reading.flags


def test_a_huge_notebook_is_refused_with_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "submitted" / "s01" / "02_mini" / "02_mini.ipynb"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(100 * 10**6)
    with pytest.raises(UnreadableError, match=r"has 100 MB, .*most .* 34 MB.*clear all outputs"):
        read_submission(path.parent, "02_mini", [])
    assert folder_module.MOST_BYTES < 100 * 10**6


def test_far_too_many_values_are_refused_before_they_take_memory() -> None:
    text = '{"cells": [' + "[]," * (json_text.MOST_PARTS + 1) + "[]]}"
    with pytest.raises(UnreadableError, match="far more values than a notebook"):
        json_text.parse(text)
