"""PyTorch tensors on the wire. Loaded only where torch is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .buffers import Received, Sent, View
from .errors import Malformed, NotJudgeable
from .layout import Ints, checked, memory, span, within

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
SIZES = {dtype: dtype.itemsize for dtype in DTYPES.values()}
CLASSES = (torch.Tensor, torch.nn.Parameter)
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


def view(node: list[Any], value: Any) -> View:
    """Fill a node for a plain tensor."""
    dtype, shape = value.dtype, value.shape
    itemsize, address = SIZES[dtype], value.data_ptr()
    strides = [itemsize * stride for stride in value.stride()]
    low, high, _ = span(shape, strides, itemsize)
    node += (0, 0, NAMES[dtype], list(shape), strides, _flags(value))
    where = torch.Tensor.data_ptr
    return View(
        node, value, where, address, address + low, address + high, shape, strides, itemsize, True
    )


def _flags(value: Any) -> int:
    if not value.requires_grad:
        return PARAMETER if type(value) is torch.nn.Parameter else 0
    leaf = LEAF if value.is_leaf else 0
    return GRADIENT | leaf | (PARAMETER if type(value) is torch.nn.Parameter else 0)


def state(value: Any) -> tuple[Any, ...]:
    """What can change in a tensor beside its numbers."""
    return value.dtype, value.shape, value.stride(), value.data_ptr(), value.requires_grad


def itemsize(name: Any) -> int:
    """The bytes of an element of a dtype. Raises Malformed."""
    dtype = DTYPES.get(name) if type(name) is str else None
    if dtype is None:
        raise Malformed("a tensor of a type that there isn't")
    return SIZES[dtype]


def build(home: Received | Sent, name: str, shape: Ints, strides: Ints, at: int, flags: int) -> Any:
    """The tensor that a node tells of; its span has been compared with its home's size."""
    dtype = DTYPES[name]
    size = SIZES[dtype]
    if any(stride % size or stride < 0 for stride in strides) or (at % size and strides):
        raise Malformed("a tensor whose strides are no multiples of its elements' size")
    steps = [stride // size for stride in strides]
    made = _build(home, dtype, shape, steps, at)
    if flags & PARAMETER:
        return torch.nn.Parameter(made, requires_grad=bool(flags & GRADIENT))
    if flags & GRADIENT:
        if not (dtype.is_floating_point or dtype.is_complex):
            raise Malformed("a tensor of whole numbers with a gradient")
        made.requires_grad_()
        if not flags & LEAF:
            made.register_hook(_no_gradient)
    return made


def _build(home: Received | Sent, dtype: torch.dtype, shape: Ints, steps: Ints, at: int) -> Any:
    low, high, _ = span(shape, [step * SIZES[dtype] for step in steps], SIZES[dtype])
    if isinstance(home, Received) and home.base is None and at == 0 and high == home.size:
        made = torch.empty_strided(shape, steps, dtype=dtype)
        home.settle(made.untyped_storage(), torch.UntypedStorage.data_ptr)
        return made
    base, at = _storage(home, low + at, high + at, shape, steps, SIZES[dtype], at)
    if at % SIZES[dtype]:
        raise Malformed("a tensor that lies askew in its memory")
    return torch.empty(0, dtype=dtype).set_(base, at // SIZES[dtype], shape, steps)


def _storage(
    home: Received | Sent, low: int, high: int, shape: Ints, steps: Ints, size: int, at: int
) -> tuple[Any, int]:
    """A storage that holds the stretch, and the byte in it that is meant by `at`."""
    if isinstance(home, Sent):
        lent = home.lend(low, high, shape, [step * size for step in steps], size, at)
        for view in home.views:
            if isinstance(view.owner, torch.Tensor):
                storage = view.owner.untyped_storage()
                return storage, home.address - storage.data_ptr() + at
        return torch.frombuffer(lent, dtype=torch.uint8).untyped_storage(), at
    if home.base is None:
        home.settle(torch.empty(home.size, dtype=torch.uint8).untyped_storage(), _pointer)
    if isinstance(home.base, torch.UntypedStorage):
        return home.base, at
    lent = memory(home.address, home.size)
    lent.owner = home.base
    return torch.frombuffer(lent, dtype=torch.uint8).untyped_storage(), at


def _pointer(storage: Any) -> int:
    return int(storage.data_ptr())


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
    return out.array(view(["T"], tensor), tensor.numel())


def take_over(old: Any, node: list[Any], reply: Incoming) -> None:
    """Let a tensor be what a node tells of."""
    if node[0] != "T":
        raise Malformed("a change that makes something else of a tensor")
    replace(old, _numbers(reply, node))


def _numbers(inc: Incoming, node: list[Any]) -> Any:
    _, home, at, name, shape, strides, flags = node
    checked(shape, strides, inc.limits.dims)
    home = inc.home(home)
    inc.count(within(home.size, at, span(shape, strides, itemsize(name))))
    return build(home, name, shape, strides, at, flags)


def _encode(out: Outgoing, value: Any) -> Any:
    return out.proxy(value) if plain(value) is None else out.seen(value) or node(out, value)


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
