"""What `manyheads.check` is inside the sandbox: every check is there, says nothing, knows nothing.

Answers and misconceptions stay with the judge, who makes the real checks when a test has failed.
"""

from __future__ import annotations

from collections.abc import Callable


def stand_in(name: str) -> Callable[..., None]:
    """A check that accepts whatever comes.

    >>> stand_in("split_heads")(None)
    """
    if name.startswith("__"):
        raise AttributeError(name)

    def check(*_: object, **__: object) -> None:
        """Accept whatever comes."""

    check.__name__ = name
    return check


if __name__ == "manyheads.check":  # under its own name it is a module like any other
    __getattr__ = stand_in
