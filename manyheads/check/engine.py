"""Run a learner's function safely and keep what came of it as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[np.float64]
NARROW = ("torch.float16", "torch.bfloat16")  # fewer digits than the inputs' float32


@dataclass(frozen=True)
class Outcome:
    """What one call produced: its kind and, where there is one, its value as plain data.

    `kind` is "tensor" for floating-point tensors, "error" for an exception, otherwise the name
    of what was returned in its place ("none", "list", "array", ...). `array` holds the numbers of
    a tensor of any type as float64, `parts` the members of a list or a tuple, `changed` the
    names of the arguments that the call has altered.

    >>> outcome_of(torch.zeros(2, 3)).kind
    'tensor'
    >>> outcome_of([torch.zeros(2)]).parts[0].array.shape
    (2,)
    """

    kind: str
    typename: str = ""
    array: Array | None = None
    parts: tuple[Outcome, ...] = ()
    error: BaseException | None = None
    changed: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of a tensor, else None."""
        return None if self.array is None else self.array.shape


def call(fn: Callable[..., Any], args: Mapping[str, Any]) -> Outcome:
    """The outcome of `fn(*args.values())`, whatever it does; only KeyboardInterrupt passes through.

    >>> call(lambda x: 1 / 0, {"x": 1}).kind
    'error'
    """
    before = {name: _copy(value) for name, value in args.items()}
    outcome = run(fn, args)
    changed = tuple(name for name, old in before.items() if not _unchanged(old, args[name]))
    return replace(outcome, changed=changed)


def run(fn: Callable[..., Any], args: Mapping[str, Any]) -> Outcome:
    """The same without a look at what became of the arguments: enough for our own functions."""
    try:
        return outcome_of(fn(*args.values()))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit in a learner's code must not end the notebook
        return Outcome("error", type(error).__name__, error=error)


def outcome_of(value: object) -> Outcome:
    """The outcome that stands for a returned `value`."""
    outcome = _single(value)
    if outcome.kind not in ("list", "tuple"):
        return outcome
    return replace(outcome, parts=tuple(map(_single, cast("Iterable[object]", value))))


def same(got: Outcome, want: Outcome) -> bool:
    """Whether two outcomes are of one kind and, for tensors, of one shape with the same numbers.

    `want` is rounded to the precision of `got`, so a result in float16 is not held against it.
    Any two errors are the same, and a list is as good as a tuple.

    >>> same(outcome_of(torch.ones(2).half()), outcome_of(torch.ones(2)))
    True
    """
    if _class_of(got) != _class_of(want) or len(got.parts) != len(want.parts):
        return False
    if got.array is None or want.array is None:
        return all(same(mine, yours) for mine, yours in zip(got.parts, want.parts, strict=True))
    if got.array.shape != want.array.shape or _far_apart(got.array, want.array, got.typename):
        return False
    close = np.isclose(got.array, rounded(want.array, got.typename), 1e-5, 1e-5, equal_nan=True)
    return bool(close.all())


def _far_apart(got: Array, want: Array, typename: str) -> bool:
    """Whether one number already tells float32 results apart: it mostly does, and is quick."""
    if typename != "torch.float32" or not got.size:
        return False
    mine, theirs = (float(array.flat[2 * array.size // 3]) for array in (got, want))
    return abs(mine - theirs) > 1e-5 + 1e-5 * abs(theirs)


def _class_of(outcome: Outcome) -> str:
    return "tuple" if outcome.kind == "list" else outcome.kind


def rounded(array: Array, typename: str) -> Array:
    """`array` as a tensor type of low precision would hold it; others leave it as it is."""
    if typename not in NARROW:
        return array
    dtype: torch.dtype = getattr(torch, typename.removeprefix("torch."))
    return torch.from_numpy(array).to(dtype).double().numpy()


def takes(fn: Callable[..., Any], count: int) -> bool:
    """Whether `fn` can be called with `count` arguments, as far as its signature tells."""
    try:
        inspect.signature(fn).bind(*range(count))
    except TypeError:
        return False
    except Exception:  # builtins and odd callables have no signature to ask
        return True
    return True


def _single(value: object) -> Outcome:
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        return _tensor(value)
    return Outcome(_kind(value), kind.__name__)


def _tensor(value: Any) -> Outcome:
    """Read a tensor with torch's own methods, so that a subclass's have no say."""
    try:
        with torch._C.DisableTorchFunctionSubclass():
            tensor = torch.Tensor.detach(torch.Tensor.as_subclass(value, torch.Tensor))
            typename = str(tensor.dtype)
            if tensor.is_complex():
                return Outcome("complex", typename)
            kind = "tensor" if tensor.is_floating_point() else "integers"
            kind = "booleans" if tensor.dtype is torch.bool else kind
            array = np.array(tensor.to("cpu", torch.float64).numpy())  # a copy: yours may share x
    except Exception:
        return Outcome("unreadable", type(value).__name__)
    return Outcome(kind, typename, array)


KINDS: tuple[tuple[Any, str], ...] = (
    (type(None), "none"),
    (type(...), "stub"),
    (np.ndarray, "array"),
    (torch.Size, "size"),
    (tuple, "tuple"),
    (list, "list"),
    (dict, "dict"),
    (str, "text"),
    ((bool, int, float, np.generic), "number"),
    (BaseException, "exception"),
)


def _kind(value: object) -> str:
    kind = type(value)
    for types, name in KINDS:
        if issubclass(kind, types):
            return name
    if inspect.iscoroutine(value):
        value.close()
        return "coroutine"
    if issubclass(kind, Iterator):
        return "generator"
    return "function" if callable(value) else "other"


def _copy(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else None


def _unchanged(old: object, now: object) -> bool:
    """Compare bit for bit, so that a lost -0.0 or a nan is seen for what it is."""
    if not isinstance(old, torch.Tensor) or not isinstance(now, torch.Tensor):
        return True
    if old.shape != now.shape or old.dtype != now.dtype:
        return False
    signs = torch.equal(torch.signbit(old), torch.signbit(now))
    return signs and bool(torch.isclose(old, now, 0.0, 0.0, equal_nan=True).all())
