"""A cell's text without the lines that only IPython knows, where these change no name."""

from __future__ import annotations

import ast
import re

from manyheads.grade.inside.special import is_special

# They draw, install, measure or ask the shell; a shell line with `$` or `{` computes something.
_HARMLESS = re.compile(r"(?m)^([ \t]*)(?:%(?:matplotlib|pip|conda)\b.*|![^!{$\n]*)$")
_TIMED = re.compile(r"(?m)\A\s*%%time[ \t]*\n|^([ \t]*)%time[ \t]+")


def plain(text: str) -> str | None:
    r"""Python that does what a cell does; None where its text alone can't tell.

    A cell that is no Python, nor anything of IPython's, does nothing: it fails before it runs.

    >>> plain("%time f(1)\n!ls\n%matplotlib inline")
    'f(1)\npass\npass'
    >>> plain("def f(:"), plain("%run other.py")
    ('', None)
    """
    for one in (text, _HARMLESS.sub(r"\1pass", _TIMED.sub(r"\1", text))):
        try:
            ast.parse(one)
        except (SyntaxError, ValueError):
            continue
        except (RecursionError, MemoryError):  # nested too deep for Python's own parser
            return None
        return one
    return None if is_special(one) else ""
