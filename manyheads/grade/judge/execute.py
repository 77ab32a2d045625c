"""Run trusted code as IPython runs a cell, and put an error into a notebook's words."""

from __future__ import annotations

import ast
import io
import tokenize
import traceback
from collections.abc import Collection
from functools import lru_cache
from types import CodeType
from typing import Any

MOST = 2_000  # characters of an error's message
_BLANK = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.DEDENT,
)


@lru_cache(maxsize=1024)
def compiled(name: str, source: str) -> tuple[CodeType, CodeType | None]:
    """A cell's statements, and its last expression if its value is to be shown.

    Raises SyntaxError. The code's file name is the cell's name in angle brackets.
    """
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if isinstance(last, ast.Expr) and _quiet(source):
        tree.body.append(last)
        last = None
    statements = compile(tree, f"<{name}>", "exec", dont_inherit=True)
    if not isinstance(last, ast.Expr):
        return statements, None
    expression = ast.Expression(last.value)
    return statements, compile(expression, f"<{name}>", "eval", dont_inherit=True)


def _quiet(source: str) -> bool:
    """Whether the last token of the code is a semicolon, by which IPython shows no value."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    told = [token.string for token in tokens if token.type not in _BLANK]
    return bool(told) and told[-1] == ";"


def execute(name: str, source: str, space: dict[str, Any]) -> object:
    r"""Run a trusted cell; the value of its last line if that is an expression, else None.

    >>> execute("test_sum", "x = 2\nx + 1", {})
    3
    """
    statements, expression = compiled(name, source)
    exec(statements, space)  # noqa: S102  (an instructor's own cell)
    return None if expression is None else eval(expression, space)  # noqa: S307


def result_output(value: object) -> list[dict[str, Any]]:
    """The output that shows a cell's last value; none for None.

    >>> result_output(1.5)[0]["data"]
    {'text/plain': '1.5'}
    """
    if value is None:
        return []
    data = {"text/plain": repr(value)[:MOST]}
    return [
        {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}
    ]


def error_output(error: BaseException, sources: dict[str, str]) -> dict[str, Any]:
    """An error as a notebook's output; its traceback shows lines of trusted cells alone.

    `sources` holds the cells' texts by name.
    """
    name, words = type(error).__name__, _words(error)
    files = {f"<{cell}>": text.splitlines() for cell, text in sources.items()}
    lines = ["Traceback (most recent call last)"]
    for frame, line in _frames(error, files):
        cell = frame.co_filename
        text = files[cell][line - 1].strip() if 0 < line <= len(files[cell]) else ""
        lines += [f"  {cell[1:-1]}, line {line}, in {frame.co_name}", f"    {text}"]
    lines.append(f"{name}: {words}")
    return {"output_type": "error", "ename": name, "evalue": words, "traceback": lines}


def _frames(error: BaseException, files: Collection[str]) -> list[tuple[CodeType, int]]:
    walked = traceback.walk_tb(error.__traceback__)
    return [(frame.f_code, line) for frame, line in walked if frame.f_code.co_filename in files]


def _words(error: BaseException) -> str:
    try:
        words = str(error)
    except Exception:  # an exception's own __str__ may misbehave
        return "(its message can't be read)"
    return words if len(words) <= MOST else words[:MOST] + " ..."
