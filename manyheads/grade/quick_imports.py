"""Libraries loaded without a part that takes longer than the rest and that is never used here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

# nbformat loads jsonschema, which on loading compiles the grammars of this package: a second of
# processor time in every process, to recognise addresses in all scripts of the world. No notebook's
# schema asks for that, and jsonschema does without where the package is not installed.
_SLOW = "rfc3987_syntax"


@contextmanager
def quick_imports() -> Iterator[None]:
    """What is imported inside does without that part; it can be imported afterwards as ever.

    >>> with quick_imports():
    ...     import nbformat
    """
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]  # None: absent
    if _SLOW in modules:
        yield
        return
    modules[_SLOW] = None
    try:
        yield
    finally:
        if modules.get(_SLOW, modules) is None:
            del modules[_SLOW]
