"""The global random number generators of Python, numpy and torch, carried with calls."""

from __future__ import annotations

import random
import struct
import sys
from typing import TYPE_CHECKING, Any

from . import follows
from .errors import Malformed

if TYPE_CHECKING:
    from .incoming import Incoming
    from .outgoing import Outgoing

WORDS = struct.Struct("<625I")  # Python's Mersenne twister: 624 words and a position


States = tuple[bytes, Any, Any, bytes | None]


def states() -> States:
    """The states of the generators that this process has, as bytes and numbers."""
    _, words, gauss = random.getstate()
    of_numpy, of_torch = None, None
    if "numpy" in sys.modules:
        state = sys.modules["numpy"].random.get_state(legacy=False)
        if state["bit_generator"] == "MT19937":
            inner = state["state"]
            rest = (int(inner["pos"]), int(state["has_gauss"]), float(state["gauss"]))
            of_numpy = (inner["key"].tobytes(), *rest)
    if "torch" in sys.modules:
        of_torch = sys.modules["torch"].get_rng_state().numpy().tobytes()
    return WORDS.pack(*words), gauss, of_numpy, of_torch


def told(now: States, out: Outgoing) -> list[Any]:
    """The node of these states."""
    own, gauss, of_numpy, of_torch = now
    node: list[Any] = [out.blob(own), gauss, None, None]
    if of_numpy is not None:
        node[2] = [out.blob(of_numpy[0]), *of_numpy[1:]]
    if of_torch is not None:
        node[3] = out.blob(of_torch)
    return node


def take(node: Any, incoming: Incoming, since: States | None = None) -> None:
    """Give this process's generators the states of the other end's. Raises Malformed.

    since: what the states were when the other end got them. A state that drawing doesn't lead to
    from there is not taken: it may be made so that whatever is drawn next is as its maker likes.
    """
    try:
        own, gauss, numpy, torch = node
        words = WORDS.unpack(incoming.data(own))
        if gauss is not None and type(gauss) is not float:
            raise Malformed("a random state that is none")
        if since is None or follows.python(WORDS.unpack(since[0]), words):
            random.setstate((3, words, gauss))
        if numpy is not None:
            _take_numpy(numpy, incoming, since)
        if torch is not None:
            _take_torch(incoming.data(torch), since)
    except (ValueError, TypeError, RuntimeError, struct.error) as error:
        raise Malformed(f"a random state that can't be: {error}") from None


def _take_numpy(node: Any, incoming: Incoming, since: States | None) -> None:
    import numpy as np

    number, position, has_gauss, gauss = node
    key = np.frombuffer(incoming.data(number), np.uint32)
    if key.shape != (624,) or type(position) is not int or not 0 <= position <= 624:
        raise Malformed("a state of numpy's generator that can't be")
    if type(gauss) is not float or has_gauss not in (0, 1):
        raise Malformed("a state of numpy's generator that can't be")
    if since is None or since[2] is None or follows.numpy(since[2], key):
        np.random.set_state(("MT19937", key, position, int(has_gauss), gauss))


def _take_torch(data: bytes, since: States | None) -> None:
    import torch

    state = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    if since is None or since[3] is None or follows.torch(since[3], data):
        torch.set_rng_state(state)  # refuses a state of another size, or one out of range
