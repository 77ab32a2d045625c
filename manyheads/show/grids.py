"""A result beside its target as plain data: grids of labelled cells, drawn only when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyheads.show.picture import Picture


@dataclass(frozen=True)
class Cell:
    """One number of a result: what it is called, its colour's number (-1: none), whether wrong."""

    label: str
    colour: int = -1
    wrong: bool = False


@dataclass(frozen=True)
class Grid:
    """A titled table of cells, rows first; `top` and `left` say where its first cell stands."""

    title: str
    rows: Sequence[Sequence[Cell]]
    top: int = 0
    left: int = 0


@dataclass(frozen=True)
class Comparison:
    """The target's grids and the learner's, a note on how to read them, and the same in words."""

    target: Sequence[Grid]
    yours: Sequence[Grid]
    note: str
    alt: str

    def picture(self) -> Picture:
        """The comparison as a figure."""
        from manyheads.show.compare import draw

        return draw(self)

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.picture()._repr_mimebundle_()
