"""What passes between the processes outside the wire: files, readiness, handles.

Used at both ends, so it needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Mapping
from pathlib import Path

READY, FAILED = b"+", b"!"
_LENGTH = struct.Struct("!I")


def send_files(connection: socket.socket, files: Mapping[str, bytes]) -> None:
    """Send files by name; the names must have been checked."""
    head = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    connection.sendall(_LENGTH.pack(len(head)) + head)
    for content in files.values():
        connection.sendall(content)


def receive_files(connection: socket.socket, folder: Path) -> None:
    """Write what `send_files` sends into a folder, which is made."""
    folder.mkdir(parents=True)
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    for name, size in json.loads(_exactly(connection, length)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_exactly(connection, size))


def receive_message(connection: socket.socket, most: int) -> tuple[bytes, list[int]]:
    """A message of at most `most` bytes, and the handles with it, which no program inherits."""
    message, fds, _, _ = socket.recv_fds(connection, most, 4)
    for fd in fds:
        os.set_inheritable(fd, False)
    return message, fds


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(min(size - len(data), 1 << 20))
        if not part:
            raise EOFError(f"{len(data)} of {size} bytes came")
        data += part
    return bytes(data)
