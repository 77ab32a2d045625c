"""Answers changed at random: the judge's end raises what it may raise, in time."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyheads.grade.wire import Limits, NotJudgeable, Peer, WireError, came_over

SECONDS = 3.0
LIMITS = Limits(numbers=1 << 20, payload_bytes=1 << 20)


def arguments() -> tuple[Any, ...]:
    x = torch.arange(12.0).view(3, 4)
    return x, x[:, 1:], np.arange(6).reshape(2, 3).T, [1, {"a": [2.5, "b"]}, {3}], torch.neg


def busy(x: Any, part: Any, a: Any, items: Any, function: Any) -> Any:
    """A student's function whose answer has something of everything."""
    x.t_()
    a[0, 0] = 7
    items[1]["a"].append(x)
    items.append((1, 2**70, b"bytes", "long" * 1000, range(3), slice(1), ..., 1j))
    parts = [part.float(), x.bfloat16(), x > 3, np.float32(2), np.array(["a", "bc"])]
    return (
        function(x),
        x[1:],
        a.T,
        items,
        len,
        ValueError("v"),
        parts,
        torch.float32,
        np.dtype("i4"),
    )


def failing(x: Any, *_: Any) -> None:
    x.add_(1)
    raise type("OwnError", (KeyError,), {})("key")


class Tee:
    """A socket that keeps what it sends."""

    def __init__(self, sock: socket.socket, kept: list[bytes]) -> None:
        self._sock, self._kept = sock, kept

    def sendall(self, data: bytes) -> None:
        self._kept.append(bytes(data))
        self._sock.sendall(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def recorded() -> list[list[bytes]]:
    """For each function, what a student's end sends in a call: questions and the answer."""
    kept: list[list[bytes]] = []
    for function in (busy, failing):
        ours, theirs = socket.socketpair()
        kept.append([])
        student = Peer(Tee(theirs, kept[-1]), namespace={"f": function})  # type: ignore[arg-type]
        thread = threading.Thread(target=student.serve)
        thread.start()
        judge = Peer(ours)
        with contextlib.suppress(KeyError):
            judge.value("f")(*arguments())
        judge.close()
        thread.join()
    return kept


RECORDED = recorded()
HEADER = struct.Struct("<IQ")

NASTY = st.one_of(
    st.sampled_from(
        [None, True, -1, 0, 1, 2, 1 << 31, 1 << 63, 10**30, -0.5, 1e308, "", "x", "<f8"]
    ),
    st.sampled_from([[], [[]], {}, ["l"], ["r", 0], ["q", 0], ["q", 1], ["y", 0], ["t", ["r", 1]]]),
    st.sampled_from([["o", 0, 63, "f"], ["u", 0], ["b", 1], "?", "=", "!", "call", "bool", "|O"]),
    st.sampled_from([["T", -1, 0, "float32", [3], None, 0], ["A", 0, 0, "|b1", [1], [0], 1]]),
    st.sampled_from([["X", "E", ["ValueError"], 5], ["x", "E", ["OSError"], None, [1], "w"]]),
    st.integers(),
    st.text(max_size=3),
)


def places(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to every value in JSON."""
    here = [at] if at else []
    members = enumerate(node) if isinstance(node, list) else ()
    return here + [path for key, value in members for path in places(value, (*at, key))]


def changed(frame: bytes, choose: Any) -> bytes:
    """A frame with some of its values, or of its bytes, replaced."""
    size, _ = HEADER.unpack_from(frame)
    header = json.loads(frame[HEADER.size : HEADER.size + size])
    payload = frame[HEADER.size + size :]
    for _ in range(choose.draw(st.integers(1, 3))):
        *way, last = choose.draw(st.sampled_from(places(header)))
        node = header
        for key in way:
            node = node[key]
        node[last] = deepcopy(choose.draw(NASTY))
    text = json.dumps(header).encode()
    return HEADER.pack(len(text), len(payload)) + text + payload


def torn(frame: bytes, choose: Any) -> bytes:
    """A frame with bytes flipped, cut out or doubled."""
    at = choose.draw(st.integers(0, len(frame) - 1))
    length = choose.draw(st.integers(0, 20))
    put = choose.draw(st.binary(max_size=20))
    return frame[:at] + put + frame[at + length :]


def judged(sent: bytes) -> None:
    """Make the recorded call, with `sent` for an answer, and look at what comes of it."""
    ours, theirs = socket.socketpair()
    judge = Peer(ours, limits=LIMITS)
    theirs.sendall(sent)
    theirs.shutdown(socket.SHUT_WR)
    given = arguments()
    try:
        with judge.until(time.monotonic() + SECONDS):
            function = judge.value("f")
            with contextlib.suppress(Exception):  # what a value's own class says of odd numbers
                repr(function)
            value = judge.request("call", (0, given, {}))
            with contextlib.suppress(Exception):
                repr((value, given))
    except (WireError, NotJudgeable):
        pass
    except BaseException as error:
        if not came_over(error):
            raise
    finally:
        judge.close()
        theirs.close()


@pytest.mark.slow
@pytest.mark.parametrize("ruin", [changed, torn])
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(choose=st.data())
def test_an_answer_changed_at_random_does_no_harm(ruin: Any, choose: Any) -> None:
    frames = list(choose.draw(st.sampled_from(RECORDED)))
    which = choose.draw(st.integers(0, len(frames) - 1))
    frames[which] = ruin(frames[which], choose)
    started = time.monotonic()
    judged(b"".join(frames))
    assert time.monotonic() - started < SECONDS + 2
