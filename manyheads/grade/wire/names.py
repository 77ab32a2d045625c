"""Things both processes have: library functions and classes go by name."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .errors import Malformed

HOUSES = ("builtins", "math", "operator", "torch", "torch.nn", "torch.nn.functional", "numpy")
LIBRARIES = ("torch", "numpy", "matplotlib", "einops")
TYPES = {
    kind.__name__: kind
    for kind in (
        *(bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, slice),
        *(object, type, type(None), bytearray),
    )
}
TYPES_BY_IDENTITY = {id(kind): name for name, kind in TYPES.items()}


def house_of(value: Any) -> str | None:
    """The module of a library under whose name both processes find `value`.

    >>> house_of(len), house_of(house_of)
    ('builtins', None)
    """
    name = getattr(value, "__name__", None)
    if type(name) is not str:
        return None
    for house in HOUSES:
        module = sys.modules.get(house)
        if module is not None and vars(module).get(name) is value:
            return house
    return None


def found(house: Any, name: Any) -> Any:
    """What a library has under a name. Raises Malformed."""
    if house not in HOUSES or type(name) is not str:
        raise Malformed("a name in no library")
    module = sys.modules.get(house) or __import__(house, fromlist=["_"])
    try:
        return vars(module)[name]
    except KeyError:
        raise Malformed(f"{house} has no {name!r}") from None


def scalar_type(name: Any) -> Any:
    """A class of numpy's numbers by name. Raises Malformed."""
    import numpy as np

    kind = getattr(np, name, None) if type(name) is str else None
    if not (isinstance(kind, type) and issubclass(kind, np.generic)):
        raise Malformed("a class of numbers that there isn't")
    return kind


def is_scalar_type(value: Any) -> bool:
    """Whether a value is a class of numpy's numbers.

    >>> is_scalar_type(int)
    False
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, type) or numpy.generic not in value.__mro__:
        return False
    return getattr(numpy, value.__name__, None) is value


def is_shared_module(value: Any) -> bool:
    """Whether a value is a module that both processes can import.

    >>> is_shared_module(sys)
    True
    """
    if not isinstance(value, ModuleType):
        return False
    root = value.__name__.partition(".")[0]
    return root in sys.stdlib_module_names or root in LIBRARIES
