"""Alters an answer as learners do: in ways that are none of a test's business, and in wrong ones.

Each function takes an answer and gives another. `code` writes that as a learner's cell.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch

Answer = Callable[..., Any]


def code(answer: str, name: str, alteration: str, *parameters: object) -> str:
    """The code of an answer that defines `name`, altered by this module's `alteration`."""
    arguments = "".join(f", {value!r}" for value in parameters)
    altered = f"{name} = altered.{alteration}({name}{arguments})"
    return f"{answer}\n\nfrom tests.lessons import altered\n\n{altered}\n"


def each(result: Any, change: Callable[[Any, int], Any]) -> Any:
    """The result with `change(number or tensor, its place)` in place of each of its parts."""
    if isinstance(result, list | tuple):
        kind = list if isinstance(result, list) else tuple
        return kind(change(part, place) for place, part in enumerate(result))
    return change(result, 0)


def tensors(args: tuple[Any, ...]) -> list[torch.Tensor]:
    return [value for value in args if torch.is_tensor(value)]


def spoiled(result: Any) -> Any:
    return each(result, lambda part, _: part + 1)


def own_copies(args: tuple[Any, ...]) -> list[Any]:
    return [value.clone() if torch.is_tensor(value) else value for value in args]


# None of a test's business.


def in_another_container(answer: Answer) -> Answer:
    kinds: dict[type, Any] = {tuple: list, list: tuple}

    def other(*args: Any) -> Any:
        result = answer(*args)
        return kinds.get(type(result), lambda same: same)(result)

    return other


def in_float64(answer: Answer, kept: int = -1) -> Answer:
    """All results are float64, but for the one at place `kept`."""

    def double(part: Any, place: int) -> Any:
        return part.double() if torch.is_tensor(part) and place != kept else part

    return lambda *args: each(answer(*args), double)


def strided(answer: Answer) -> Answer:
    def otherwise_in_memory(part: Any, _: int) -> Any:
        return part.mT.contiguous().mT if torch.is_tensor(part) else part

    return lambda *args: each(answer(*args), otherwise_in_memory)


def wanting_gradients(answer: Answer) -> Answer:
    def with_gradient(part: Any, _: int) -> Any:
        return part.clone().requires_grad_() if torch.is_tensor(part) else part

    return lambda *args: each(answer(*args), with_gradient)


def with_a_warning(answer: Answer) -> Answer:
    def noisy(*args: Any) -> Any:
        warnings.warn("an answer may warn", stacklevel=2)
        sys.stderr.write("and write\n")
        return answer(*args)

    return noisy


def refusing_by(answer: Answer, error: str) -> Answer:
    """Bad input meets another kind of error."""
    kinds: dict[str, type[Exception]] = {
        "RuntimeError": RuntimeError,
        "AssertionError": AssertionError,
        "NotImplementedError": NotImplementedError,
    }

    def other(*args: Any) -> Any:
        try:
            return answer(*args)
        except ValueError as refusal:
            raise kinds[error](str(refusal)) from None

    return other


def rounded_otherwise(answer: Answer, places: tuple[int, ...]) -> Answer:
    """The results at these places differ in the sixth digit.

    Whole numbers don't: sums of small ones are exact, whatever their order.
    """

    def nudged(part: Any, place: int) -> Any:
        if place not in places or not torch.is_tensor(part):
            return part
        return torch.where(part == part.round(), part, part * (1 + 2e-6))

    return lambda *args: each(answer(*args), nudged)


# Wrong.


def editing(answer: Answer, which: int) -> Answer:
    """Adds 1 to one of its tensors, after all is computed."""

    def other(*args: Any) -> Any:
        result = answer(*own_copies(args))
        tensors(args)[which].add_(1)
        return result

    return other


def forgetful(answer: Answer) -> Answer:
    """Wrong when it is called again with what it was called with."""
    seen: list[Any] = []

    def other(*args: Any) -> Any:
        again = bool(seen) and all(_same(old, new) for old, new in zip(seen, args, strict=True))
        seen[:] = args
        return spoiled(answer(*args)) if again else answer(*args)

    return other


def _same(old: Any, new: Any) -> bool:
    return old is new or (isinstance(old, int) and old == new)


def refusing_strided(answer: Answer) -> Answer:
    def other(*args: Any) -> Any:
        if not all(tensor.is_contiguous() for tensor in tensors(args)):
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
        return answer(*args)

    return other


def wrong_at_axis_of_one(answer: Answer, axis: int) -> Answer:
    """Wrong when its first tensor has size 1 along an axis."""

    def other(*args: Any) -> Any:
        result = answer(*args)
        return spoiled(result) if tensors(args)[0].shape[axis] == 1 else result

    return other


def wrong_where(answer: Answer, condition: str) -> Answer:
    """Wrong where a condition on its arguments, such as "n_kv_heads == 1", holds."""
    signature = inspect.signature(answer)

    def other(*args: Any) -> Any:
        result = answer(*args)
        given = dict(signature.bind(*args).arguments)
        return spoiled(result) if eval(condition, given) else result  # noqa: S307  (our own words)

    return other


def wrong_at_sizes(answer: Answer, sizes: tuple[int, ...]) -> Answer:
    """Wrong where its first tensor has all these sizes."""

    def other(*args: Any) -> Any:
        result = answer(*args)
        return spoiled(result) if set(sizes) <= set(tensors(args)[0].shape) else result

    return other


def right_at_seen(answer: Answer, seen: list[tuple[Any, ...]]) -> Answer:
    """Right at the sizes that the visible tests show, nothing at others."""

    def other(*args: Any) -> Any:
        return answer(*args) if sizes_of(args) in seen else None

    return other


def sizes_of(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call is about: shapes, and whole numbers."""
    plain = [tuple(v.shape) if torch.is_tensor(v) else v for v in args]
    return tuple(value for value in plain if isinstance(value, int | tuple))


def refusing_nothing(answer: Answer) -> Answer:
    def other(*args: Any) -> Any:
        try:
            return answer(*args)
        except ValueError:
            return None

    return other
