"""Tracebacks look as in a notebook and cost less: what their libraries make anew is kept.

IPython's traceback of one error takes 20 ms, and a notebook with an unwritten answer has a dozen
of them. Everything here gives the same results as what it replaces.
"""

from __future__ import annotations

import inspect
from functools import lru_cache
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

import stack_data
from pygments.formatters import Terminal256Formatter
from pygments.lexer import RegexLexerMeta

_getmodule = inspect.getmodule
_frames: Any = stack_data
_lexers: Any = RegexLexerMeta
_make_lexer: Any = _lexers.__call__
_colours: Any = Terminal256Formatter
_setup_styles = _colours._setup_styles
_styles: dict[Any, dict[str, Any]] = {}


def quicken() -> None:
    """Put the quick versions into their libraries; called once, in the template."""
    inspect.getmodule = getmodule
    _lexers.__call__ = make_lexer
    _colours._closest_color = closest_color
    _colours._setup_styles = setup_styles
    _frames.style_with_executing_node = lru_cache(_frames.style_with_executing_node)


def getmodule(object: Any, _filename: str | None = None) -> ModuleType | None:
    """As `inspect.getmodule`, which for code of a cell looks into every module there is.

    >>> getmodule(compile("1", "<ipython-input-1>", "eval")) is None
    True
    """
    if isinstance(object, CodeType | FrameType | TracebackType):
        name = _filename or inspect.getfile(object)
        if name.startswith("<"):  # no module has such a file
            return None
    return _getmodule(object, _filename)


def make_lexer(cls: Any, *arguments: Any, **named: Any) -> Any:
    """As pygments makes a lexer; one that only derives from a ready one takes over its patterns."""
    base: Any = cls.__bases__[0] if len(cls.__bases__) == 1 else object
    if not {"_tokens", "tokens"} & vars(cls).keys() and "_tokens" in vars(base):
        cls._tokens, cls._all_tokens = base._tokens, base._all_tokens
    return _make_lexer(cls, *arguments, **named)


@lru_cache(maxsize=4096)
def _nearest(red: int, green: int, blue: int) -> int:
    formatter = _colours.__new__(_colours)
    formatter.xterm_colors = []
    formatter._build_color_table()
    return int(_closest(formatter, red, green, blue))


_closest = _colours._closest_color


def closest_color(_: object, red: int, green: int, blue: int) -> int:
    """The terminal's colour that is next to one, looked for once."""
    return _nearest(red, green, blue)


def setup_styles(self: Any) -> None:
    """As pygments works out a style's sequences for a terminal, once for each style."""
    kind = (self.style, self.usebold, self.useunderline, self.useitalic)
    if kind not in _styles:
        _setup_styles(self)
        _styles[kind] = dict(self.style_string)
    self.style_string = dict(_styles[kind])
