"""Which of a notebook's cells a function needs, to bring it up again without all the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from manyheads.grade.run.ahead import Effects, calls, changers, closure, effects


def needed(cells: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    r"""Those of the cells that `names` may depend on, in their order.

    A cell is needed if it sets or writes into a name that is wanted, or may change the data behind
    it; then what it reads is wanted too. So is a cell whose effects its text doesn't tell.

    >>> cells = ["import torch", "x = torch.ones(3)", "def f(y):\n    return torch.abs(y)"]
    >>> needed(cells, {"f"})
    ('import torch', 'def f(y):\n    return torch.abs(y)')
    """
    told = [effects(text) for text in cells]
    data = frozenset().union(*(one.data for one in told))
    wanted, before = closure(names, told), frozenset[str]()
    while wanted != before:  # a function may read what a later cell sets
        before, changing = wanted, changers(told, wanted)
        for one in reversed(told):
            if _touches(one, wanted, data) or calls(one, changing, told):
                wanted = closure(wanted | one.reads, told)
    kept = zip(cells, told, strict=True)
    return tuple(
        text for text, one in kept if _touches(one, wanted, data) or calls(one, changing, told)
    )


def _touches(one: Effects, wanted: frozenset[str], data: frozenset[str]) -> bool:
    return one.far or bool(one.writes & wanted or one.mentions & wanted & data)
