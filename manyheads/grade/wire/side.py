"""What one end knows: its role, its caps, its objects' numbers, the other end's classes."""

from __future__ import annotations

from typing import Any, Protocol

from .errors import Malformed, NotJudgeable
from .handles import Handles
from .limits import Limits
from .proxies import Callback, Remote, remote
from .raised import BUILTIN, Raised, ancestors, shared, shared_name


class Wire(Protocol):
    """What a stand-in needs in order to ask the other end."""

    def request(self, operation: str, values: tuple[Any, ...]) -> Any:
        """Ask for one of the built-in operations, with values in and out."""

    def refuse(self, words: str) -> NotJudgeable:
        """Note that a test asked for what is not judgeable, and make the exception."""


class Side:
    """One end's view of the connection; `judge` is the end that trusts nothing."""

    def __init__(self, wire: Wire, limits: Limits, *, judge: bool) -> None:
        self.wire, self.limits, self.judge = wire, limits, judge
        self.handles = Handles(limits.handles)
        self.raised = Raised()

    def stand_in(self, handle: Any, abilities: Any, name: Any) -> Any:
        """The one stand-in for an object of the other end. Raises Malformed."""
        if type(handle) is not int or type(abilities) is not int or type(name) is not str:
            raise Malformed("an object without a name")
        found = self.handles.proxies.get(handle)
        if found is None:
            make = remote if self.judge else Callback
            found = make(self.wire, handle, abilities, name[:200], self.handles.dropped)
            self.handles.proxies[handle] = found
        return found

    def own_handle(self, proxy: Remote | Callback) -> int:
        """The other end's number of a stand-in. Raises NotJudgeable."""
        wire, handle = proxy._wire_link
        if wire is not self.wire:
            raise NotJudgeable(
                "a function or an object of one run of the student's code was handed to another "
                "run. Take it by its name where it is used"
            )
        return handle

    def kind_node(self, kind: type[BaseException]) -> list[Any]:
        """What tells the other end of an exception class: name, ancestors, where it is known."""
        bases, name = ancestors(kind), kind.__name__
        if BUILTIN.get(name) is kind:
            return [name, bases, None]
        made_up = self.raised.handle(kind)
        if made_up is not None:
            return [name, bases, -1 - made_up]
        return [name, bases, shared_name(kind) or self.handles.export(kind)]

    def kind(self, name: Any, bases: Any, known: Any) -> type[BaseException]:
        """The exception class that was told of. Raises Malformed."""
        if type(known) is str:
            return shared(known)
        if type(known) is int and known < 0:
            kind = self.handles.resolve(-1 - known)
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise Malformed("an exception class that is none")
            return kind
        return self.raised.kind(name, bases, known)
