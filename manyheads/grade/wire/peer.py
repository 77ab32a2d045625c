"""One end of the connection between the judge and a student's process."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from . import changes, services
from .answering import Operation, failed, operate, perform
from .errors import Closed, Malformed, NotJudgeable, WireError
from .expansion import measure
from .frames import Connection
from .handles import OVER
from .incoming import Incoming
from .limits import Limits
from .modes import Modes
from .outgoing import Outgoing, is_plain
from .side import Side


class Peer:
    """Ask the other process, and answer what it asks while it is at it.

    The end with a `namespace` is the student's: it serves. The end without one is the judge's:
    whatever may come from the other end, it raises a WireError, an exception that the student's
    code raised, or NotJudgeable, keeps to its caps, and closes the connection when the rules are
    broken; `ended` then says why.

    >>> ours, theirs = socket.socketpair()
    >>> student = Peer(theirs, namespace={"double": lambda x: 2 * x})
    >>> threading.Thread(target=student.serve, daemon=True).start()
    >>> judge = Peer(ours)
    >>> judge.value("double")([1, 2])
    [1, 2, 1, 2]
    >>> judge.close()
    """

    def __init__(
        self,
        connection: socket.socket,
        *,
        operations: Mapping[str, Operation] | None = None,
        namespace: MutableMapping[str, Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._limits = limits or Limits()
        if namespace is not None:  # the student's end takes whatever the judge sends
            self._limits = replace(self._limits, received_bytes=sys.maxsize)
        self._connection = Connection(connection, self._limits)
        self._operations, self._namespace = dict(operations or {}), namespace
        self._judge = namespace is None
        self._side = Side(self, self._limits, judge=self._judge)
        self._services = dict(services.AT_THE_JUDGE)
        if not self._judge:
            self._services = dict(services.AT_THE_STUDENT)
            self._services.update(value=self._value, plain=self._plain, given=self._given)
        self._lock = threading.RLock()
        self._modes = Modes()
        self._process = os.getpid()
        self._asked = 0  # requests made
        self._inside = 0  # requests being answered
        self.ended: WireError | None = None
        self.refused: list[str] = []  # what tests asked for that is not judgeable

    # What the judge asks

    def ask(self, operation: str, body: dict[str, Any] | None = None) -> Any:
        """The JSON that the other end's operation returns; raises what it raised."""
        kind, value, _, reply = self._exchange("ask", [operation, body or {}], Outgoing(self._side))
        self._modes.forget()
        if kind == "!":
            raise self._read(lambda: reply.failure(value))
        self._read(lambda: measure(value, self._limits))
        return value

    def value(self, name: str) -> Any:
        """The other end's global: plain data by value, else a stand-in. Raises NameError."""
        return self.request("value", (name,))

    def plain(self, names: Sequence[str]) -> dict[str, bool | None]:
        """For each name, whether it is plain data; None where there is none. Nothing is sent."""
        flags = self._answers("plain", names)
        self._only_flags(flags)
        return dict(zip(names, flags, strict=True))

    def given(self, names: Sequence[str]) -> dict[str, tuple[bool | None, Any]]:
        """The same with the values of those that are plain data, else with None.

        Raises TooLarge or NotJudgeable where the values together can't be handed over.
        """
        pairs = self._answers("given", names)
        if any(type(one) is not tuple or len(one) != 2 for one in pairs):
            raise self._broken(Malformed("an answer without its parts"))
        self._only_flags([flag for flag, _ in pairs])
        return dict(zip(names, pairs, strict=True))

    def _answers(self, operation: str, names: Sequence[str]) -> list[Any]:
        """One answer for each of the names."""
        answer = self.request(operation, tuple(names))
        if type(answer) is not list or len(answer) != len(names):
            raise self._broken(Malformed("an answer to another question"))
        return answer

    def _only_flags(self, flags: Sequence[Any]) -> None:
        if any(flag is not None and type(flag) is not bool for flag in flags):
            raise self._broken(Malformed("an answer that is neither yes nor no"))

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """Let all waiting inside end at a time of `time.monotonic`; it then raises TooLate."""
        before = self._connection.deadline
        self._connection.deadline = deadline if before is None else min(before, deadline)
        try:
            yield
        finally:
            self._connection.deadline = before

    def random_shared(self, on: bool) -> None:
        """Whether calls draw from one stream of random numbers at both ends."""
        self._modes.random = on
        self._modes.forget()

    def take_back(self) -> None:
        """A test is over: what it has lent to the other end raises from now on when called."""
        self._side.handles.take_back()

    def request(self, operation: str, values: tuple[Any, ...]) -> Any:
        """The value that one of the built-in operations returns; raises what it raised."""
        with self._lock:
            if not self._judge and (not self._inside or os.getpid() != self._process):
                raise RuntimeError(OVER)
            sent = Outgoing(self._side)
            kind, node, told, reply = self._exchange(operation, sent.value(values), sent)
            self._read(lambda: changes.repeat(told, reply, sent))
            if kind == "!":
                raise self._read(lambda: reply.failure(node))
            return self._read(lambda: reply.values(node))

    # What the student's end does

    def serve(self) -> None:
        """Answer until the other end is closed."""
        self._process = os.getpid()
        try:
            while True:
                self._answer(*self._connection.receive())
        except Closed as error:
            self._broken(error)
        except BaseException:  # a message may have been cut in two
            self.close()
            raise

    def moved_to(self, connection: socket.socket) -> Peer:
        """The same end on another connection, for a fork of this process; this one is closed."""
        self.close()
        return Peer(
            connection,
            operations=self._operations,
            namespace=self._namespace,
            limits=self._limits,
        )

    def close(self) -> None:
        """Close this end in this process."""
        self._broken(Closed("this end was closed"))

    def refuse(self, words: str) -> NotJudgeable:
        """Note that a test asked for what is not judgeable, and make the exception."""
        if self.refused and self.refused[-1] == words:
            words = self.refused[-1]  # a test that asks in a loop fills no memory
        self.refused.append(words)
        return NotJudgeable(words)

    # Messages

    def _exchange(
        self, operation: str, body: Any, sent: Outgoing
    ) -> tuple[str, Any, Any, Incoming]:
        """Send a request, answer what is asked meanwhile, return the parts of its answer."""
        with self._lock:
            if self.ended:
                raise Closed(str(self.ended))
            if self._inside > self._limits.nesting:
                raise RecursionError("functions of the two processes call each other too deep")
            modes = self._modes.told(sent)
            sizes, parts = sent.finish()
            self._asked += 1
            number, dropped = self._asked, self._side.handles.take_dropped()
            header = ["?", number, operation, body, sizes, dropped, modes]
            frame = self._connection.pack(header, parts)
            try:
                self._connection.send(frame)
                while True:
                    header, payload = self._connection.receive()
                    if type(header) is list and header and header[0] == "?":
                        self._answer(header, payload)
                    else:
                        return self._parts(header, payload, number, sent)
            except WireError as error:
                raise self._broken(error) from None
            except BaseException:  # a message may have been cut in two
                self._broken(Closed("a message was interrupted"))
                raise

    def _parts(
        self, header: Any, payload: bytes | memoryview, number: int, sent: Outgoing
    ) -> tuple[str, Any, Any, Incoming]:
        if type(header) is not list or len(header) != 6 or header[0] not in ("=", "!"):
            raise Malformed("a message that is neither a question nor an answer")
        kind, about, value, told, sizes, modes = header
        if type(about) is not int or about != number:
            raise Malformed("an answer to a request that was not made")
        reply = Incoming(self._side, sizes, payload, sent)
        if modes is not None:
            self._modes.go_on(modes, reply)
        return kind, value, told, reply

    def _read(self, read: Callable[[], Any]) -> Any:
        """What `read` makes of an answer; one that breaks the rules ends the connection."""
        try:
            return read()
        except WireError as error:
            raise self._broken(error) from None

    def _answer(self, header: Any, payload: bytes | memoryview) -> None:
        """Do what a request asks for, and tell of it."""
        if type(header) is not list or len(header) != 7 or type(header[1]) is not int:
            raise Malformed("a question without its parts")
        _, number, operation, body, sizes, dropped, modes = header
        incoming = Incoming(self._side, sizes, payload)
        if not self._judge:
            self._side.handles.release(dropped)
        self._inside += 1
        try:
            if operation == "ask" or modes is None:
                self._modes.forget()
            if operation == "ask":
                answer, parts = operate(self._operations, body, incoming)
            else:
                service, values = self._service(operation, incoming.values(body))
                answer, parts = perform(service, values, modes, self._modes, incoming)
        except BaseException:
            self._inside -= 1
            raise
        frame = self._packed(number, answer, parts, incoming)
        with self._lock:  # other threads' requests are over, and from here on refused
            self._inside -= 1
            self._connection.send(frame)

    def _packed(
        self, number: int, answer: list[Any], parts: list[Any], incoming: Incoming
    ) -> list[Any]:
        """The frame of an answer, or of why there is none."""
        answer[1] = number
        try:
            return self._connection.pack(answer, parts)
        except (TypeError, ValueError, RecursionError) as error:
            answer, parts = failed(error, incoming)
            answer[1] = number
            return self._connection.pack(answer, parts)

    def _service(self, operation: Any, values: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function that does an operation, and its arguments."""
        service = self._services.get(operation) if type(operation) is str else None
        if service is None or type(values) is not tuple or not values:
            raise Malformed("a question that is not asked here")
        if operation in ("value", "plain", "given"):
            return service, values
        found = self._side.handles.resolve(values[0])
        if self._judge and isinstance(found, type) and issubclass(found, BaseException):
            raise Malformed("a call of an exception class")
        if operation == "call" and tuple(map(type, values[1:])) != (tuple, dict):
            raise Malformed("a call without arguments")
        return service, (found, *values[1:])

    def _value(self, name: str) -> Any:
        if self._namespace is None or name not in self._namespace:
            raise NameError(f"name {name!r} is not defined")
        return self._namespace[name]

    def _plain(self, *names: str) -> list[bool | None]:
        space = self._namespace or {}
        return [is_plain(self._side, space[name]) if name in space else None for name in names]

    def _given(self, *names: str) -> list[tuple[bool | None, Any]]:
        space = self._namespace or {}
        flags = zip(names, self._plain(*names), strict=True)
        return [(flag, space[name] if flag else None) for name, flag in flags]

    def _broken(self, error: WireError) -> WireError:
        """Close this end, and keep the reason."""
        self.ended = self.ended or error
        self._connection.close()
        return error
