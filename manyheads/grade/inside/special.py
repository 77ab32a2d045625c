"""What in a cell's text makes IPython translate it: magics, shell lines, help, prompts, indents."""

from __future__ import annotations

import re

_SPECIAL = re.compile(
    r"^\s*(?:[%!?,;/]|>>>|\.\.\.|In ?\[)"  # at a line's start
    r"|\?\s*$|=\s*[%!]"  # help, and what a magic or the shell gives
    r"|\A\s|^[ \t\r\f\v]+$",  # indented cells and blank lines are straightened
    re.MULTILINE,
)


def is_special(text: str) -> bool:
    r"""Whether IPython may make other Python of a cell than its text; it may be without need.

    >>> [is_special(t) for t in ("x = 1\ny = x % 3", "%time f()", "!ls", "f?", "a = !ls", " x = 1")]
    [False, True, True, True, True, True]
    """
    return _SPECIAL.search(text) is not None
