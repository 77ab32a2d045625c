"""Bring an answer's value into one form, so that (4, 3), [4.0, 3] and a torch.Size are the same."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from numbers import Real
from typing import Any


def normal(value: Any) -> Any:
    """Numbers as float, sequences as lists, text without blanks and in lower case.

    True and False stay apart from 1 and 0.

    >>> normal((2, 3)) == normal([2.0, 3.0])
    True
    >>> normal(" B ")
    'b'
    """
    value = _plain(value)
    if isinstance(value, bool) or value is None or value is ...:
        return value
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, str):
        return " ".join(value.split()).lower()
    if isinstance(value, Mapping):
        return {normal(key): normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [normal(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    """Arrays, tensors and their scalars as Python numbers and lists."""
    arrays = [
        getattr(sys.modules.get(module), name, None)
        for module, name in (("numpy", "ndarray"), ("numpy", "generic"), ("torch", "Tensor"))
    ]
    if any(kind is not None and issubclass(type(value), kind) for kind in arrays):
        return value.tolist()
    return value


def kind_of(value: Any) -> str:
    """What a value is, in a beginner's words."""
    value = _plain(value)
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, Real):
        return "a number"
    if isinstance(value, str):
        return "text in quotes"
    if isinstance(value, list | tuple | range):
        return "a row of values in brackets"
    if callable(value):
        return "a function"
    return f"a {type(value).__name__}"
