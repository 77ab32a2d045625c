"""What else a call depends on: gradients off, the default dtype, the streams of random numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from . import randomness
from .errors import Malformed

if TYPE_CHECKING:
    from .incoming import Incoming
    from .outgoing import Outgoing


class Modes:
    """Tells the other end of this one's modes, and works in the other end's.

    The states of the generators take most of a message; both ends remember those that they had
    last agreed on, and False stands for them.
    """

    def __init__(self) -> None:
        self.random = False
        self._agreed: randomness.States | None = None

    def forget(self) -> None:
        """Agree on no states: the other end may have drawn unseen."""
        self._agreed = None

    def told(self, out: Outgoing) -> Any:
        """The node of this process's modes; None where they are as usual."""
        drawn = self._drawn(out)
        torch = sys.modules.get("torch")
        if torch is None:
            return None if drawn is None else [True, None, drawn]
        gradients, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
        if gradients and dtype is torch.float32 and drawn is None:
            return None
        return [gradients, out.value(dtype), drawn]

    def _drawn(self, out: Outgoing) -> list[Any] | bool | None:
        if not self.random:
            self._agreed = None
            return None
        now = randomness.states()
        if now == self._agreed:
            return False
        self._agreed = now
        return randomness.told(now, out)

    def usual(self, incoming: Incoming) -> Any:
        """The node of modes that are as usual, where this end's own are not; else None."""
        torch = sys.modules.get("torch")
        if incoming.side.judge or torch is None or torch.get_default_dtype() is torch.float32:
            return None
        return [True, ["td", "float32"], None]

    @contextmanager
    def taken(self, node: Any, incoming: Incoming) -> Iterator[None]:
        """Work in the modes of the other end, and draw from its streams."""
        gradients, dtype, drawn = _parts(node)
        before = self.random
        if drawn is not None and not incoming.side.judge:
            self.random = True
        try:
            self.go_on(node, incoming)
            with ExitStack() as stack:
                torch = sys.modules.get("torch")
                if torch is not None:
                    if not gradients:
                        stack.enter_context(torch.no_grad())
                    _set_dtype(torch, incoming.values(dtype), stack)
                yield
        finally:
            self.random = before

    def go_on(self, node: Any, incoming: Incoming) -> None:
        """Go on drawing where the other end has stopped. Raises Malformed."""
        drawn = _parts(node)[2]
        if drawn is None or not self.random:
            self._agreed = None
        elif drawn is not False:
            since = self._agreed if incoming.side.judge else None
            randomness.take(drawn, incoming, since)
            self._agreed = randomness.states()


def _parts(node: Any) -> tuple[Any, Any, Any]:
    if type(node) is not list or len(node) != 3:
        raise Malformed("modes that are none")
    return node[0], node[1], node[2]


def _set_dtype(torch: Any, dtype: Any, stack: ExitStack) -> None:
    before = torch.get_default_dtype()
    if dtype is None or dtype is before:
        return
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise Malformed("a default dtype that can't be one")
    torch.set_default_dtype(dtype)
    stack.callback(torch.set_default_dtype, before)
