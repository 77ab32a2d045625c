"""A tensor of any shape as tables that fit on a page: slices of its last two axes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    Array = Any

MOST_PARTS, MOST_ROWS, MOST_COLUMNS = 12, 32, 32
Place = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """One slice: the place on the leading axes, and where its table begins in the last two.

    >>> Part((0, 2), 0, 0).title
    '[0, 2]'
    """

    lead: Place
    top: int
    left: int

    @property
    def title(self) -> str:
        """The slice as an index; all of a tensor of one or two axes is called that."""
        return f"[{', '.join(map(str, self.lead))}]" if self.lead else "all of it"

    def cut(self, array: Any) -> Any:
        """The slice's table [rows, columns] of an array with the shape it was made for."""
        import numpy as np

        table = np.atleast_2d(array[self.lead])
        return table[self.top : self.top + MOST_ROWS, self.left : self.left + MOST_COLUMNS]


def parts(shape: Place, first: Place | None) -> list[Part]:
    """The slices that are shown: those from the first wrong place on, around it where it is large.

    >>> [part.title for part in parts((2, 3, 5, 4), None)]
    ['[0, 0]', '[0, 1]', '[0, 2]', '[1, 0]', '[1, 1]', '[1, 2]']
    >>> parts((40,), (39,))
    [Part(lead=(), top=0, left=8)]
    """
    leading = shape[:-2]
    rows, columns = (1, 1, *shape)[-2:]
    row, column = (0, 0, *(first or ()))[-2:]
    top, left = _begin(row, rows, MOST_ROWS), _begin(column, columns, MOST_COLUMNS)
    begin = 0
    if first and prod(leading) > MOST_PARTS:
        begin = min(_ordinal(first[:-2], leading), prod(leading) - MOST_PARTS)
    places = list(product(*map(range, leading)))
    return [Part(place, top, left) for place in places[begin : begin + MOST_PARTS]]


def wrong_cells(got: Array, want: Array) -> NDArray[np.bool_]:
    """Where two arrays of one shape differ by more than the exercises allow."""
    import numpy as np

    close = np.isclose(got, want, rtol=1e-3, atol=1e-4, equal_nan=True)
    return np.asarray(~close, dtype=np.bool_)


def first_wrong(wrong: NDArray[np.bool_] | None) -> Place | None:
    """The first marked place in reading order, or None."""
    import numpy as np

    if wrong is None or not wrong.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), wrong.shape))


def _begin(place: int, size: int, most: int) -> int:
    """Where to begin so that `place` is shown with some of what stands before it."""
    return max(0, min(place - most // 4, size - most))


def _ordinal(place: Place, sizes: Place) -> int:
    ordinal = 0
    for index, size in zip(place, sizes, strict=True):
        ordinal = ordinal * size + index
    return ordinal
