"""What can go wrong on the wire."""

from __future__ import annotations


class WireError(Exception):
    """The connection to the other process can't be used any more."""


class Closed(WireError):  # noqa: N818 - the names say what happened to the connection
    """The process at the other end is gone, or this end was closed."""


class TooLate(WireError):  # noqa: N818
    """The deadline set with `Peer.until` has passed."""


class Malformed(WireError):  # noqa: N818
    """What arrived breaks the wire's rules or one of its caps."""


class NotJudgeable(TypeError):  # noqa: N818
    """A test asked for something that can't be had, or trusted, across two processes."""


class TooLarge(ValueError):  # noqa: N818
    """A value is larger, deeper or more entangled than the wire carries."""
