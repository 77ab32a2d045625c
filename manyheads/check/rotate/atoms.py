"""What one of the three results of `rotate_qk` can hold, found by computing each and comparing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from manyheads.check.engine import Outcome, outcome_of, same


@dataclass(frozen=True)
class Atom:
    """A value that a slot may hold: a name to be spoken and a way to compute it."""

    name: str
    make: Callable[[Tensor, Tensor, Tensor, Callable[..., Any]], Tensor]


def _once(which: int) -> Callable[..., Tensor]:
    return lambda *args: args[3](args[which])


def _twice(which: int) -> Callable[..., Tensor]:
    return lambda *args: args[3](args[3](args[which]))


def _plain(which: int) -> Callable[..., Tensor]:
    return lambda *args: args[which]


def _zeros(which: int) -> Callable[..., Tensor]:
    return lambda *args: torch.zeros_like(args[which])


ATOMS = (
    *(Atom(f"rope({name})", _once(i)) for i, name in enumerate("qkv")),
    *(Atom(name, _plain(i)) for i, name in enumerate("qkv")),
    *(Atom(f"rope(rope({name}))", _twice(i)) for i, name in enumerate("qkv")),
    *(Atom("zeros", _zeros(i)) for i in (0, 1)),
)
UNKNOWN = "something else"


def contents(got: Outcome, args: tuple[Any, ...]) -> tuple[str, ...]:
    """What each member of a returned tuple holds, by name."""
    made = list(_made(args))
    return tuple(_name(part, made) for part in got.parts)


def _made(args: tuple[Any, ...]) -> Iterator[tuple[str, Outcome]]:
    for atom in ATOMS:
        yield atom.name, outcome_of(atom.make(*args))


def _name(part: Outcome, made: list[tuple[str, Outcome]]) -> str:
    if part.kind != "tensor":
        return "None" if part.kind == "none" else f"a {part.typename}"
    for name, outcome in made:
        if same(part, outcome):
            return name
    return UNKNOWN


def bits_equal(got: Outcome, want: Outcome) -> bool:
    """Whether two tensors are equal bit for bit, the sign of zero and the type included."""
    if got.array is None or want.array is None or got.typename != want.typename:
        return False
    return got.array.shape == want.array.shape and got.array.tobytes() == want.array.tobytes()
