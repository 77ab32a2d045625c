"""Small pieces of sentences that all checks share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def shape(sizes: Sequence[int]) -> str:
    """A shape as Python writes it.

    >>> shape([2, 3, 5, 4])
    '(2, 3, 5, 4)'
    """
    return str(tuple(int(size) for size in sizes))


def series(words: Iterable[object], last: str = "and") -> str:
    """Words as they are listed in a sentence.

    >>> series(["q", "k", "v"])
    'q, k and v'
    """
    items = [str(word) for word in words]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """A noun with its numbers; runs are shortened.

    >>> numbered("feature", [4, 5, 6, 7])
    'features 4..7'
    >>> numbered("token", [2])
    'token 2'
    >>> numbered("feature", [0, 3, 6])
    'features 0, 3 and 6'
    """
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and list(numbers) == list(range(first, last + 1)):
        return f"{noun}s {first}..{last}"
    if len(numbers) > 8:
        return f"{noun}s {', '.join(map(str, numbers[:8]))}, ..."
    return f"{noun}s {series(numbers)}"
