"""NumPy arrays and scalars on the wire. Loaded only where numpy is."""

from __future__ import annotations

import re
import warnings
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .buffers import Kind, Received, Sent, View
from .errors import Malformed, NotJudgeable
from .layout import Ints, dense, lent, reach, span

if TYPE_CHECKING:
    from .incoming import Incoming
    from .outgoing import Outgoing

KINDS = re.compile(r"[<>|=][biufcSU]\d{1,9}")  # no objects, dates or records
_interface = np.ndarray.__dict__["__array_interface__"].__get__
_pure: dict[Any, bool] = {}


def takes(dtype: Any) -> bool:
    """Whether arrays of a dtype travel as numbers or texts."""
    return dtype.kind in "biufcSU" and dtype.names is None and dtype.subdtype is None


def address(array: Any) -> int:
    """Where an array's first element lies, whatever its class makes of that."""
    return int(_interface(array)["data"][0])


KIND = Kind(address, lambda array: array)


def view(value: Any) -> View:
    """An array, to be sent."""
    dtype, shape, strides = value.dtype, list(value.shape), None
    flags, at, size = value.flags, _interface(value)["data"][0], value.dtype.itemsize
    low, high, full = 0, value.nbytes, True
    if not flags.c_contiguous or 1 in shape or 0 in shape:
        strides = list(value.strides)
        low, high, _ = span(shape, strides, size)
        full = dense(shape, strides, size)
    node = ["A", 0, 0, dtype.str, shape, strides, int(flags.writeable)]
    reach = (at, at + low, at + high)
    return View(node, value, KIND, reach, size, full=full, writable=flags.writeable)


def node(out: Outgoing, value: Any) -> Any:
    """The node of an array, or None if its elements can't travel."""
    value = np.ndarray.view(value, np.ndarray)
    if takes(value.dtype):
        return out.array(view(value), value.size)
    if value.dtype == object:
        return out.members(["O", list(value.shape)], value.reshape(-1).tolist(), value.size)
    return None


def state(value: Any) -> Any:
    """What can change in an array beside its numbers."""
    if value.dtype == object:
        return [value.shape, *value.reshape(-1).tolist()]
    return value.dtype, value.shape, value.strides, address(value), value.flags.writeable


def dtype(name: Any) -> Any:
    """The dtype of a name. Raises Malformed."""
    if type(name) is not str or not KINDS.fullmatch(name):
        raise Malformed("an array of a type that is not taken")
    try:
        return np.dtype(name)
    except (TypeError, ValueError):
        raise Malformed("an array of a type that there isn't") from None


def build(home: Received | Sent, node: list[Any]) -> Any:
    """The array that a node tells of; its reach has been compared with its home's size."""
    _, _, at, name, shape, strides, writable = node
    made = _build(home, np.dtype(name), shape, strides, at)
    if not writable:
        made.flags.writeable = False
    return made


def _build(home: Received | Sent, dtype: Any, shape: Ints, strides: Ints | None, at: int) -> Any:
    if isinstance(home, Sent):
        made = np.ndarray(shape, dtype, home.lend(shape, strides, dtype.itemsize, at), at, strides)
        if not all(view.writable for view in home.views):
            made.flags.writeable = False
        return made
    if home.base is None and at == 0 and home.size == prod(shape) * dtype.itemsize:
        made = np.ndarray(shape, dtype, strides=strides)
        home.settle(made, address)
        return made
    if home.base is None:
        home.settle(np.empty(home.size, np.uint8), address)
    return np.ndarray(shape, dtype, lent(home.address, home.size, home.base), at, strides)


def replace(old: Any, new: Any) -> None:
    """Let an array be what it has become in the other process. Raises NotJudgeable.

    Its memory is never replaced: there may be views of it that nobody here knows of.
    """
    if (old.dtype, old.size) != (new.dtype, new.size):
        raise NotJudgeable(
            f"a student's function made an array of {new.shape} of one of {old.shape} in place, or "
            "of another type; the judge can't do the same. Let the cell opt out of the judge"
        )
    if old.shape != new.shape:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.shape = new.shape
    if not np.shares_memory(old, new):
        old[...] = new


def take_over(old: Any, node: list[Any], reply: Incoming) -> None:
    """Let an array be what a node tells of."""
    if node[0] == "O" and old.dtype == object and node[1] == list(old.shape):
        old.reshape(-1)[:] = _object_array(reply, node).reshape(-1)
    elif node[0] == "A" and old.dtype != object:
        replace(old, _numbers(reply, node))
    else:
        raise Malformed("a change that makes another kind of array of an argument")


def _numbers(inc: Incoming, node: list[Any]) -> Any:
    _, number, at, name, shape, strides, _ = node
    home = inc.home(number)
    if name == "|b1" and inc.side.judge:
        home.clean()
    inc.count(reach(home.size, at, shape, strides, dtype(name).itemsize))
    return build(home, node)


def _object_array(inc: Incoming, node: list[Any]) -> Any:
    shape = node[1]
    if reach(len(node), 0, shape, None, 1) != len(node) - 2:
        raise Malformed("an array of objects with too few or too many of them")
    made = np.empty(len(node) - 2, object)
    made[:] = [None] * len(made)
    for number, value in enumerate(inc.members(node[1:])):
        made[number] = value
    return made.reshape(shape)


def _encode(out: Outgoing, value: Any) -> Any:
    if not takes(value.dtype) and value.dtype != object:
        return out.proxy(value)
    return out.seen(value) or node(out, value)


def _scalar(out: Outgoing, value: Any) -> Any:
    if not takes(value.dtype):
        return out.proxy(value)
    return ["n", value.dtype.str, value.tobytes().hex()]


def _dtype(out: Outgoing, value: Any) -> Any:
    return ["D", value.str] if takes(value) else out.proxy(value)


ENCODERS: dict[type, Any] = {np.ndarray: _encode, np.generic: _scalar, np.dtype: _dtype}


def _array_in(inc: Incoming, node: list[Any]) -> Any:
    number = len(inc.objects)
    inc.objects.append(None)  # numbered before its members are, as at the other end
    made = _numbers(inc, node) if node[0] == "A" else _object_array(inc, node)
    inc.objects[number] = made
    inc.index[id(made)] = number
    return made


def _scalar_in(_: Incoming, node: list[Any]) -> Any:
    data = bytes.fromhex(node[2])
    kind = dtype(node[1])
    if len(data) != kind.itemsize:
        raise Malformed("a number of another size than its type")
    return np.frombuffer(data, kind)[0] if data else kind.type()


def _dtype_in(_: Incoming, node: list[Any]) -> Any:
    return dtype(node[1])


DECODERS: dict[Any, Any] = {"A": _array_in, "O": _array_in, "n": _scalar_in, "D": _dtype_in}
