"""Which of a notebook's cells a function needs, to bring it up again without all the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from manyheads.build.cell_code import Code


def needed(
    cells: Sequence[str], names: Collection[str], unchanged: Collection[str]
) -> tuple[str, ...]:
    r"""Those of the cells that `names` may depend on, in their order.

    A cell of the student's own may have any effect, so all of them are needed; one of the lesson's
    `unchanged` cells is needed if it binds a name that a needed cell reads.

    >>> cells = ["import torch", "x = torch.ones(3)", "def f(y):\n    return torch.abs(y)"]
    >>> needed(cells, {"f"}, {"import torch", "x = torch.ones(3)"})
    ('import torch', 'def f(y):\n    return torch.abs(y)')
    """
    wanted, kept = set(names), []
    for text in reversed(cells):
        if text.strip() not in unchanged:
            kept.append(text)
            wanted |= Code.of(text).reads
            continue
        binds, reads, opaque = _of_lesson(text)
        if opaque or binds & wanted:
            kept.append(text)
            wanted |= reads
    return tuple(reversed(kept))


@lru_cache(maxsize=1024)
def _of_lesson(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """What a cell binds and reads, and whether that can't be told from its text."""
    code = Code.of(text)
    return code.binds, code.reads, code.tree is None or code.magic or bool(code.stars)
