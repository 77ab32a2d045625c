"""PyTorch tensors on the wire. Loaded only where torch is."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import torch

from .buffers import Kind, Received, Sent, View
from .errors import Malformed, NotJudgeable
from .layout import Ints, contiguous, dense, lent, reach, span

if TYPE_CHECKING:
    from .incoming import Incoming
    from .outgoing import Outgoing

_NAMES = (
    *("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"),
    *("bool", "complex128", "complex64", "complex32", "uint16", "uint32", "uint64"),
    *("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"),
)
DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name) for name in _NAMES if hasattr(torch, name)
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
SIZES = {name: dtype.itemsize for name, dtype in DTYPES.items()}
CLASSES = (torch.Tensor, torch.nn.Parameter)
KIND = Kind(torch.Tensor.data_ptr, torch.Tensor.untyped_storage)
LEAF, GRADIENT, PARAMETER = 1, 2, 4


def plain(value: Any) -> Any:
    """The tensor as torch itself sees it, whatever its class says; None: it has no memory here."""
    if type(value) not in CLASSES:
        parameter = isinstance(value, torch.nn.Parameter)
        with torch._C.DisableTorchFunctionSubclass():
            value = torch.Tensor.as_subclass(value, CLASSES[parameter])
    try:
        if value.layout is not torch.strided or not value.is_cpu or value.dtype not in NAMES:
            return None
        if value.is_conj() or value.is_neg():
            value = value.detach().resolve_conj().resolve_neg().requires_grad_(value.requires_grad)
        value.data_ptr()
    except (RuntimeError, NotImplementedError):  # wrappers of other libraries have no memory
        return None
    return value


def view(value: Any) -> View:
    """A plain tensor, to be sent."""
    name = NAMES[value.dtype]
    shape, itemsize, at = list(value.shape), SIZES[name], value.data_ptr()
    node = ["T", 0, 0, name, shape, None, _flags(value)]
    if value.is_contiguous() and 1 not in shape and 0 not in shape:  # else strides are free
        reach = (at, at, at + prod(shape) * itemsize)
        return View(node, value, KIND, reach, itemsize, full=True)
    node[5] = strides = [itemsize * stride for stride in value.stride()]
    _, high, _ = span(shape, strides, itemsize)
    full = dense(shape, strides, itemsize)
    return View(node, value, KIND, (at, at, at + high), itemsize, full=full)


def _flags(value: Any) -> int:
    parameter = PARAMETER if type(value) is torch.nn.Parameter else 0
    if not value.requires_grad:
        return parameter
    return parameter | GRADIENT | (LEAF if value.is_leaf else 0)


def state(value: Any) -> tuple[Any, ...]:
    """What can change in a tensor beside its numbers."""
    return value.dtype, value.shape, value.stride(), value.data_ptr(), value.requires_grad


def build(home: Received | Sent, node: list[Any]) -> Any:
    """The tensor that a node tells of; its reach has been compared with its home's size."""
    _, _, at, name, shape, strides, flags = node
    if strides is not None:
        size = SIZES[name]
        if at % size or any(stride % size or stride < 0 for stride in strides):
            raise Malformed("a tensor whose strides are no multiples of its elements' size")
        strides = [stride // size for stride in strides]
    made = _build(home, name, shape, strides, at)
    return _flagged(made, flags) if flags else made


def _flagged(made: Any, flags: Any) -> Any:
    if flags & PARAMETER:
        return torch.nn.Parameter(made, requires_grad=bool(flags & GRADIENT))
    made.requires_grad_(bool(flags & GRADIENT))
    if flags & GRADIENT and not flags & LEAF:
        made.register_hook(_no_gradient)
    return made


def _build(home: Received | Sent, name: str, shape: Ints, steps: Ints | None, at: int) -> Any:
    """steps: strides in elements; None for C order."""
    dtype = DTYPES[name]
    if isinstance(home, Received) and home.base is None and at == 0:
        if steps is None:
            made = torch.empty(shape, dtype=dtype)
        else:
            made = torch.empty_strided(shape, steps, dtype=dtype)
        storage = made.untyped_storage()
        if storage.nbytes() == home.size:
            home.settle(storage, torch.UntypedStorage.data_ptr)
            return made
    size = SIZES[name]
    if steps is None:
        steps = [stride // size for stride in contiguous(shape, size)]
    base, at = _storage(home, shape, steps, size, at)
    if at % size:
        raise Malformed("a tensor that lies askew in its memory")
    return torch.empty(0, dtype=dtype).set_(base, at // size, shape, steps)


def _storage(
    home: Received | Sent, shape: Ints, steps: Ints, size: int, at: int
) -> tuple[Any, int]:
    """A storage that holds the memory, and the byte in it that is meant by `at`."""
    if isinstance(home, Sent):
        memory = home.lend(shape, [step * size for step in steps], size, at)
        held = home.hold()
        if isinstance(held, torch.UntypedStorage):
            return held, home.address - held.data_ptr() + at
        return torch.frombuffer(memory, dtype=torch.uint8).untyped_storage(), at
    if home.base is None:
        base = torch.empty(home.size, dtype=torch.uint8)
        home.settle(base.untyped_storage(), torch.UntypedStorage.data_ptr)
    if isinstance(home.base, torch.UntypedStorage):
        return home.base, at
    memory = lent(home.address, home.size, home.base)
    return torch.frombuffer(memory, dtype=torch.uint8).untyped_storage(), at


def _no_gradient(_: Any) -> None:
    raise NotJudgeable(
        "the test asks for a gradient through a student's function: its operations are in another "
        "process. Compare values, or let the cell opt out of the judge"
    )


def replace(old: Any, new: Any) -> None:
    """Let a tensor be what it has become in the other process."""
    wanted = new.requires_grad
    old.data = new.detach()
    if old.is_leaf and old.requires_grad != wanted:
        old.requires_grad_(wanted)


def node(out: Outgoing, value: Any) -> Any:
    """The node of a tensor that has memory here."""
    tensor = plain(value)
    return out.array(view(tensor), tensor.numel())


def take_over(old: Any, node: list[Any], reply: Incoming) -> None:
    """Let a tensor be what a node tells of."""
    if node[0] != "T":
        raise Malformed("a change that makes something else of a tensor")
    replace(old, _numbers(reply, node))


def _numbers(inc: Incoming, node: list[Any]) -> Any:
    _, number, at, name, shape, strides, _ = node
    if type(name) is not str or name not in SIZES:
        raise Malformed("a tensor of a type that there isn't")
    home = inc.home(number)
    if name == "bool" and inc.side.judge:
        home.clean()
    inc.count(reach(home.size, at, shape, strides, SIZES[name]))
    return build(home, node)


def _encode(out: Outgoing, value: Any) -> Any:
    tensor = plain(value)
    if tensor is None:
        return out.proxy(value)
    return out.seen(value) or out.array(view(tensor), tensor.numel())


def _size(_: Outgoing, value: Any) -> Any:
    return ["tS", *value]


def _dtype(out: Outgoing, value: Any) -> Any:
    return ["td", NAMES[value]] if value in NAMES else out.proxy(value)


def _device(_: Outgoing, value: Any) -> Any:
    return ["tv", str(value)]


ENCODERS: dict[type, Any] = {
    **dict.fromkeys(CLASSES, _encode),
    **{torch.Size: _size, torch.dtype: _dtype, torch.device: _device},
}


def _tensor_in(inc: Incoming, node: list[Any]) -> Any:
    return inc.keep(_numbers(inc, node))


def _size_in(_: Incoming, node: list[Any]) -> Any:
    return torch.Size(node[1:])


def _dtype_in(_: Incoming, node: list[Any]) -> Any:
    return DTYPES[node[1]]


def _device_in(_: Incoming, node: list[Any]) -> Any:
    return torch.device(node[1])


DECODERS: dict[Any, Any] = {"T": _tensor_in, "tS": _size_in, "td": _dtype_in, "tv": _device_in}
