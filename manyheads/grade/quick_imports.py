"""Libraries loaded without what takes long while they load and serves nobody."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from manyheads.grade.garbage import not_collected

# nbformat loads jsonschema, which on loading compiles the grammars of this package: a second of
# processor time in every process, to recognise addresses in all scripts of the world. No notebook's
# schema asks for that, and jsonschema does without where the package is not installed.
_SLOW = "rfc3987_syntax"


@contextmanager
def quick_imports() -> Iterator[None]:
    """What is imported inside does without that part; it can be imported afterwards as ever.

    Nor is garbage looked for meanwhile: what modules make while they load stays.

    >>> with quick_imports():
    ...     import nbformat
    """
    with not_collected(), _absent(_SLOW):
        yield


@contextmanager
def _absent(name: str) -> Iterator[None]:
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]  # None: absent
    if name in modules:
        yield
        return
    modules[name] = None
    try:
        yield
    finally:
        if modules.get(name, modules) is None:
            del modules[name]
