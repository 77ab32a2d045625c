"""Frames on a socket: a JSON header and raw bytes, each announced with its length."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

from .errors import Closed, Malformed, TooLarge, TooLate
from .limits import Limits

PREFIX = struct.Struct("<IQ")  # bytes of the header, bytes of the payload
CHUNK = 1 << 16

Part = bytes | bytearray | memoryview

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().decode


class Connection:
    """A socket that sends and receives frames and keeps a deadline.

    >>> ours, theirs = map(Connection, socket.socketpair())
    >>> ours.send(ours.pack(["hello", 1], [b"raw"]))
    >>> header, payload = theirs.receive()
    >>> header, bytes(payload)
    (['hello', 1], b'raw')
    >>> ours.close(), theirs.close()
    (None, None)
    """

    def __init__(self, sock: socket.socket, limits: Limits | None = None) -> None:
        self.sock = sock
        self.limits = limits or Limits()
        self.deadline: float | None = None
        self._timed = True  # nobody knows how the socket comes
        self._rest = b""
        self._received = 0

    def close(self) -> None:
        """Close this process's end; another process that shares the socket keeps it."""
        with contextlib.suppress(OSError):
            self.sock.close()

    def pack(self, header: Any, parts: Sequence[Part] = ()) -> list[Part]:
        """A frame, to be sent. Raises TooLarge; TypeError, ValueError for what is not JSON."""
        text = _encode(header).encode("ascii")
        if len(text) > self.limits.header_bytes:
            most = self.limits.header_bytes >> 20
            raise TooLarge(
                f"{len(text) >> 20} MiB of values; at most {most} MiB can be handed over"
            )
        size = sum(map(len, parts))
        start = PREFIX.pack(len(text), size) + text
        return [b"".join((start, *parts))] if size <= CHUNK else [start, *parts]

    def send(self, frame: Sequence[Part]) -> None:
        """Send one frame. Raises Closed, TooLate."""
        try:
            for part in frame:
                self._arm()
                self.sock.sendall(part)
        except TimeoutError:
            raise TooLate("the other end did not take a message in time") from None
        except OSError as error:
            raise Closed(f"the other end is gone ({error})") from None

    def receive(self) -> tuple[Any, bytes | memoryview]:
        """The next frame's header and payload. Raises Closed, TooLate, Malformed."""
        try:
            frame = self._frame()
        except TimeoutError:
            raise TooLate("no answer in time") from None
        except OSError as error:
            raise Closed(f"the other end is gone ({error})") from None
        end = PREFIX.size + PREFIX.unpack_from(frame)[0]
        return self._parse(bytes(frame[PREFIX.size : end])), frame[end:]

    def _frame(self) -> bytes | memoryview:
        """The bytes of the next frame, prefix included."""
        data = self._rest or self._some()
        while len(data) < PREFIX.size:
            data += self._some()
        total = PREFIX.size + self._announced(*PREFIX.unpack_from(data))
        if len(data) < total:
            return self._long(data, total)
        self._rest = data[total:]
        return data[:total] if self._rest else data

    def _long(self, data: bytes, total: int) -> memoryview:
        """The same for a frame of which only the start has arrived."""
        frame = bytearray(total)
        frame[: len(data)] = data
        done, view = len(data), memoryview(frame)
        while done < total:
            self._arm()
            count = self.sock.recv_into(view[done:])
            if not count:
                raise Closed("the other end is gone, in the middle of a message")
            done += count
        self._rest = b""
        return view

    def _announced(self, header: int, payload: int) -> int:
        """The length of a frame to come, if it may come."""
        limits = self.limits
        self._received += header + payload
        if header > limits.header_bytes or payload > limits.payload_bytes:
            size = f"{header} + {payload} bytes"
            most = f"{limits.header_bytes} + {limits.payload_bytes}"
            raise Malformed(f"a message of {size}; at most {most} are taken")
        if self._received > limits.received_bytes:
            raise Malformed(f"more than {limits.received_bytes} bytes in all")
        return header + payload

    def _some(self) -> bytes:
        self._arm()
        data = self.sock.recv(CHUNK)
        if not data:
            raise Closed("the other end is gone")
        return data

    def _arm(self) -> None:
        """Let the next wait end at the deadline."""
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.sock.settimeout(left)
            self._timed = True
        elif self._timed:
            self.sock.settimeout(None)
            self._timed = False

    def _parse(self, header: bytes) -> Any:
        """The header's value; how many things it holds is counted before they are made."""
        if len(header) > self.limits.items:
            _count(header, self.limits.items)
        try:
            return _decode(header.decode("ascii"))
        except (ValueError, RecursionError) as error:
            raise Malformed(f"a header that is not JSON: {type(error).__name__}") from None


def _count(header: bytes, most: int) -> None:
    """Say no to a header of more than `most` values, without building any of them."""
    if _marks(header) <= most:
        return
    bare = header.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * most or sum(map(_marks, bare.split(b'"')[::2])) > most:
        raise Malformed(f"a message of more than {most} values")


def _marks(text: bytes) -> int:
    """How many signs of JSON that announce a value are in `text`."""
    return text.count(b",") + text.count(b"[") + text.count(b"{") + text.count(b":")
