"""Whether one state of a generator follows from another by drawing.

All three generators are Mersenne twisters: drawing moves a position through 624 words, and after
the last of them makes the next 624 of these.
"""

from __future__ import annotations

import random
from typing import Any

Words = tuple[int, ...]
COUNT = 624
MOST = 1000  # times that all words may have been made anew: 600,000 draws in one call
TORCH_WORDS = slice(24, 24 + 8 * COUNT)  # where they lie in torch's state; the seed comes first


def python(before: Words, after: Words) -> bool:
    """The same for `random`, of the words and positions of two states.

    >>> state = random.Random(1).getstate()[1]
    >>> python(state, state), python(state, (0,) * 625)
    (True, False)
    """
    drawn = random.Random()  # noqa: S311  (no secrets)
    drawn.setstate((3, before, None))
    for _ in range(MOST):
        if drawn.getstate()[1][:COUNT] == after[:COUNT]:
            return True
        drawn.getrandbits(32 * COUNT)
    return False


def numpy(before: Any, key: Any) -> bool:
    """The same for NumPy's, of words and position of a state, and the words of another."""
    import numpy as np

    drawn = np.random.MT19937()
    words, position = np.frombuffer(before[0], np.uint32), before[1]
    drawn.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": position}}
    for _ in range(MOST):
        if np.array_equal(drawn.state["state"]["key"], key):
            return True
        drawn.random_raw(COUNT, output=False)
    return False


def torch(before: bytes, after: bytes) -> bool:
    """The same for torch's default generator, of two whole states."""
    import torch as library

    drawn = library.Generator()
    drawn.set_state(library.frombuffer(bytearray(before), dtype=library.uint8))
    for _ in range(MOST):
        now = drawn.get_state().numpy().tobytes()
        if now[:8] == after[:8] and now[TORCH_WORDS] == after[TORCH_WORDS]:
            return True
        library.empty(COUNT).uniform_(generator=drawn)  # one word each
    return False
