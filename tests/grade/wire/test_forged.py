"""Whatever comes from the student's end: the judge's raises a WireError and ends the connection."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from typing import Any

import numpy as np
import pytest
import torch

from manyheads.grade.wire import Closed, Limits, Malformed, Peer, TooLate

Forged = tuple[Peer, socket.socket]


def frame(header: Any, payload: bytes = b"") -> bytes:
    """What a forger sends: `header` is JSON, or bytes that claim to be."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<IQ", len(text), len(payload)) + text + payload


def reply(node: Any, payload: bytes = b"", *, told: Any = (), kind: Any = "=") -> bytes:
    """An answer to the first request, its payload one stretch."""
    return frame([kind, 1, node, list(told), [len(payload)], None], payload)


def tensor(home: Any, at: Any, dtype: Any, shape: Any, strides: Any, flags: Any = 0) -> list[Any]:
    return ["T", home, at, dtype, shape, strides, flags]


def array(home: Any, at: Any, dtype: Any, shape: Any, strides: Any, flags: Any = 1) -> list[Any]:
    return ["A", home, at, dtype, shape, strides, flags]


def laughs(depth: int) -> Any:
    """Lists of which each holds the one before twice."""
    lists = [["l"]]
    for number in range(depth):
        lists.append(["l", ["r", number], ["r", number]])
    return ["t", *lists]


KNOT = ["t", ["l", *(["l"] for _ in range(12))]]
MODULUS = (1 << 61) - 1

BYTES = {
    "nothing": b"",
    "garbage": b"GET / HTTP/1.1\r\n\r\n" * 10,
    "half a prefix": b"\0\0\0",
    "half a frame": reply(3)[:-2],
    "a giant header": struct.pack("<IQ", 1 << 31, 0),
    "a giant payload": struct.pack("<IQ", 2, 1 << 62),
    "a payload that doesn't come": struct.pack("<IQ", 2, 1 << 20) + b"[]",
    "an empty header": frame(b""),
    "a header that is no JSON": frame(b"[1, 2"),
    "a header that is not ASCII": frame("é".encode("latin-1")),
    "brackets without end": frame(b"[" * 100_000),
    "brackets in brackets": frame(b"[" * 5000 + b"]" * 5000),
    "a million lists": frame(b"[" + b"[]," * 1_000_000 + b"[]]"),
    "a million texts": frame(b"[" + b'"",' * 1_000_000 + b'""]'),
    "an endless text": frame(b'["' + b'\\"' * 1_000_000),
    "a number without end": frame(b"[" + b"9" * 100_000 + b"]"),
    "a dict": frame({}),
    "a list": frame([]),
    "JSON as deep as can be": frame(b"[" * 900 + b"]" * 900),
    "null": frame(None),
    "another kind": reply(3, kind="+"),
    "a kind that is a list": reply(3, kind=[]),
    "too few parts": frame(["=", 1, 3, []]),
    "an answer to no request": frame(["=", 2, 3, [], [], None]),
    "an answer to an earlier request": frame(["=", 0, 3, [], [], None]),
    "an answer to request true": frame(["=", True, 3, [], [], None]),
    "an answer to request 1.0": frame(["=", 1.0, 3, [], [], None]),
    "sizes that are none": frame(["=", 1, 3, [], 7, None]),
    "sizes beyond the payload": frame(["=", 1, 3, [], [5], None], b"abc"),
    "sizes short of the payload": frame(["=", 1, 3, [], [1], None], b"abc"),
    "negative sizes": frame(["=", 1, 3, [], [5, -2], None], b"abc"),
    "sizes that are texts": frame(["=", 1, 3, [], ["3"], None], b"abc"),
    "changes that are none": frame(["=", 1, 3, 7, [], None]),
    "an error of an odd name": reply(["x", "a\0b", ["ValueError"], 1, [], "w"], kind="!"),
    "an error of many words": reply(["x", "E", ["OSError"], 1, [*laughs(60)[1:]], "w"], kind="!"),
    "an error that is none": reply(3, kind="!"),
    "an error without a class": reply(["x", "", ["ValueError"], None, [], "words"], kind="!"),
    "an error of no class": reply(["x", "int", ["int"], None, [], "words"], kind="!"),
    "an error of no words": reply(["x", "ValueError", ["ValueError"], None, [], 3], kind="!"),
    "an error of a number": reply(["x", "E", ["ValueError"], "os.system", [], "w"], kind="!"),
    "an error of a class here": reply(["x", "E", ["ValueError"], -1, [], "w"], kind="!"),
    "a question without its parts": frame(["?", 1]),
    "a call of what was not handed over": frame(
        ["?", 1, "call", ["t", 0, ["t"], ["d"]], [], [], None]
    ),
    "a question for a name here": frame(["?", 1, "value", ["t", "secret"], [], [], None]),
    "an attribute of an object here": frame(["?", 1, "get", ["t", 0, "x"], [], [], None]),
    "an operation that is a list": frame(["?", 1, [], ["t", 0], [], [], None]),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_answer_end_the_connection(forged: Forged, name: str) -> None:
    judge, student = forged
    later(student, BYTES[name])
    with pytest.raises((Malformed, Closed)), judge.until(time.monotonic() + 10):
        judge.value("x")
    assert judge.ended is not None
    with pytest.raises(Closed):
        judge.value("x")


def later(student: socket.socket, data: bytes) -> None:
    """Send more than the socket holds, from a thread."""

    def send() -> None:
        with contextlib.suppress(OSError):
            student.sendall(data)
            student.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()


NODES: dict[str, tuple[Any, bytes]] = {
    "no kind": (["zz", 1], b""),
    "a kind that is a list": ([["l"]], b""),
    "an empty list": ([], b""),
    "a dict": ({"l": 1}, b""),
    "a text that is none": (["u", 0], b"\xff\xfe"),
    "a text in no stretch": (["u", 5], b""),
    "a text in a negative stretch": (["u", -1], b"abc"),
    "a number that is none": (["i", "0xzz"], b""),
    "a number without end": (["i", "0x" + "f" * 100_000], b""),
    "a list as a key": (["d", ["l"], 1], b""),
    "a key without a value": (["d", 1], b""),
    "a list in a set": (["s", ["l"]], b""),
    "depth": (json.loads('["l",' * 70 + '["l"]' + "]" * 70), b""),
    "depth by pointers": (["t", ["l"], *(["l", ["r", n]] for n in range(99))], b""),
    "laughs": (laughs(60), b""),
    "keys of one hash": (["d", *(x for n in range(3000) for x in (n * MODULUS, 0))], b""),
    "keys of one hash that take long to compare": (
        ["d", *(x for n in range(200) for x in (["t", *[n % 7] * 300, n * MODULUS], 0))],
        b"",
    ),
    "a stretch named again and again": (["t", *(["b", 0] for _ in range(100))], b"x" * 1000),
    "a range without end": (["g", 0, 10**15, 1], b""),
    "members of one hash": (["s", *(n * MODULUS for n in range(3000))], b""),
    "a pointer to nothing": (["r", 3], b""),
    "a pointer to itself in a tuple": (["t", ["r", 0]], b""),
    "a pointer to what was not sent": (["q", 7], b""),
    "a pointer that is a text": (["r", "0"], b""),
    "a function of the judge's": (["L", "builtins", "eval"], b""),
    "a module of the judge's": (["M", "os"], b""),
    "an object that was not handed over": (["y", 0], b""),
    "an object without a name": (["o", 1, 1, 7], b""),
    "an object whose handle is a list": (["o", [], 1, "x"], b""),
    "a class that isn't one": (["K", "eval"], b""),
    "numbers' class that isn't one": (["N", "load"], b""),
    "an exception class that isn't one": (["X", "E", ["eval"], 1], b""),
    "a range of no steps": (["g", 1, 2, 0], b""),
    "a torch type that isn't one": (["td", "load"], b""),
    "a device that isn't one": (["tv", "nowhere"], b""),
    "a size of texts": (["tS", "a"], b""),
    "a numpy type that isn't one": (["D", "zz"], b""),
    "a numpy type of objects": (["D", "|O"], b""),
    "a numpy type of records": (["D", "i4,i4"], b""),
    "a number of another size": (["n", "<f8", "00"], b""),
    "a number of objects": (["n", "|O", "0" * 16], b""),
    "a tensor of no type": (tensor(0, 0, "load", [1], None), bytes(4)),
    "a tensor whose type is a list": (tensor(0, 0, [], [1], None), bytes(4)),
    "a tensor beyond its memory": (tensor(0, 0, "float32", [3], None), bytes(8)),
    "a tensor beyond it by its strides": (tensor(0, 0, "float32", [2], [8]), bytes(8)),
    "a tensor that starts beyond it": (tensor(0, 8, "float32", [1], None), bytes(8)),
    "a tensor that starts before it": (tensor(0, -4, "float32", [1], None), bytes(8)),
    "a tensor of negative strides": (tensor(0, 4, "float32", [2], [-4]), bytes(8)),
    "a tensor of odd strides": (tensor(0, 0, "float32", [2], [3]), bytes(8)),
    "a tensor askew": (tensor(0, 1, "float32", [1], [4]), bytes(8)),
    "a tensor of negative sizes": (tensor(0, 0, "float32", [-1, -2], None), bytes(8)),
    "a tensor of giant sizes": (tensor(0, 0, "float32", [1 << 50, 0], None), b""),
    "a tensor of endless numbers": (tensor(0, 0, "float32", [1 << 30], [0]), bytes(4)),
    "tensors of endless numbers": (
        ["l", *(tensor(0, 0, "uint8", [1 << 20], [0]) for _ in range(50))],
        bytes(4),
    ),
    "a tensor of too many axes": (tensor(0, 0, "float32", [1] * 70, None), bytes(4)),
    "a tensor of sizes that are texts": (tensor(0, 0, "float32", ["1"], None), bytes(4)),
    "a tensor of sizes that are true": (tensor(0, 0, "float32", [True], None), bytes(4)),
    "a tensor of a shape that is none": (tensor(0, 0, "float32", 1, None), bytes(4)),
    "a tensor of other strides": (tensor(0, 0, "float32", [1], [4, 4]), bytes(4)),
    "a tensor in no stretch": (tensor(3, 0, "float32", [1], None), bytes(4)),
    "a tensor in memory here": (tensor(-1, 0, "float32", [1], None), bytes(4)),
    "a tensor of whole numbers with a gradient": (tensor(0, 0, "int8", [4], None, 3), bytes(4)),
    "a tensor whose flags are a text": (tensor(0, 0, "int8", [4], None, "3"), bytes(4)),
    "a tensor without its parts": (["T", 0], bytes(4)),
    "an array of objects in bytes": (array(0, 0, "|O8", [1], None), bytes(8)),
    "an array beyond its memory": (array(0, 0, "<f8", [2], None), bytes(8)),
    "an array beyond it by its strides": (array(0, 0, "<f8", [2], [-8]), bytes(16)),
    "an array of giant elements": (array(0, 0, "<U999999999", [1], None), bytes(8)),
    "an array of endless numbers": (array(0, 0, "<i1", [1 << 35], [0]), bytes(8)),
    "an array of objects of another size": (["O", [3], 1, 2], b""),
    "an array of objects of giant size": (["O", [1 << 39], 1, 2], b""),
}


@pytest.mark.parametrize("name", NODES)
def test_a_value_that_cant_be_ends_the_connection(forged: Forged, name: str) -> None:
    judge, student = forged
    node, payload = NODES[name]
    later(student, reply(node, payload))
    with pytest.raises(Malformed), judge.until(time.monotonic() + 10):
        judge.value("x")
    assert isinstance(judge.ended, Malformed)


def test_lists_that_all_hold_each_other_end_the_connection(forged: Forged) -> None:
    judge, student = forged
    rows: list[list[int]] = [[] for _ in range(12)]
    told = [["c", n, ["l", *(["q", k] for k in range(1, 13))]] for n in range(1, 13)]
    student.sendall(frame(["=", 1, None, told, [], None]))
    with pytest.raises(Malformed, match="share each other"):
        judge.request("call", (0, (rows,), {}))


def call_with(judge: Peer, *args: Any) -> Any:
    """A call of a function that the other end claims to have."""
    return judge.request("call", (0, args, {}))


CHANGES = {
    "no change": [7],
    "memory that was not sent": [["m", 4, 0]],
    "memory of another size": [["m", 0, 0]],
    "memory that is a text": [["m", "0", 0]],
    "an object that was not sent": [["c", 9, ["l"]]],
    "a list for a tensor": [["c", 0, ["l"]]],
    "a tensor for a dict": [["c", 1, tensor(0, 0, "float32", [1], None)]],
    "a set for a dict": [["c", 1, ["s"]]],
    "a key without a value": [["c", 1, ["d", 1]]],
    "an array for a tensor": [["c", 0, array(0, 0, "<f4", [1], None)]],
    "a tensor beyond its memory": [["c", 0, tensor(0, 0, "float32", [9], None)]],
    "a tensor beyond the memory here": [["c", 0, tensor(-1, 0, "float32", [9], None)]],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_cant_be_ends_the_connection(forged: Forged, name: str) -> None:
    judge, student = forged
    student.sendall(reply(None, bytes(4), told=CHANGES[name]))
    x = torch.ones(3)
    with pytest.raises(Malformed):
        call_with(judge, x)
    assert x.tolist() == [1, 1, 1]


def test_memory_is_written_before_it_moves_and_never_after(forged: Forged) -> None:
    judge, student = forged
    gone = ["c", 0, tensor(0, 0, "float32", [1], None)]
    told = [gone, ["m", 0, 1]]
    student.sendall(frame(["=", 1, None, told, [4, 12], None], bytes(16)))
    x = torch.ones(3)
    kept = x.view(3)
    call_with(judge, x)
    assert (x.tolist(), kept.tolist()) == ([0], [0, 0, 0])


@pytest.mark.parametrize("make", [lambda: np.frombuffer(b"secret!!", np.int64)])
def test_memory_that_cant_be_written_is_not(forged: Forged, make: Any) -> None:
    judge, student = forged
    student.sendall(reply(None, bytes(8), told=[["m", 0, 0]]))
    with pytest.raises(Malformed, match="can't be written"):
        call_with(judge, a := make())
    assert a.tobytes() == b"secret!!"


LEAKS = [
    tensor(-1, 12, "float32", [3], None),
    tensor(-1, 0, "float32", [15], None),
    tensor(-1, 8, "float32", [3, 2], [24, 4]),
    array(-1, 12, "<f4", [3], None),
]


@pytest.mark.parametrize("node", LEAKS)
def test_a_result_cant_be_what_lies_beside_an_argument(forged: Forged, node: Any) -> None:
    judge, student = forged
    both = torch.arange(18.0).view(3, 6)
    student.sendall(reply(node))
    with pytest.raises(Malformed, match=r"memory that was not sent|beyond the memory"):
        call_with(judge, both[:, :3])


def test_a_view_of_an_argument_is_still_one(forged: Forged) -> None:
    judge, student = forged
    both = torch.arange(18.0).view(3, 6)
    student.sendall(reply(tensor(-1, 4, "float32", [3, 2], [24, 4])))
    assert torch.equal(call_with(judge, both[:, :3]), both[:, 1:3])


@pytest.mark.parametrize("node", [tensor(0, 0, "bool", [3], None), array(0, 0, "|b1", [3], None)])
def test_a_flag_is_true_or_false_and_nothing_else(forged: Forged, node: Any) -> None:
    judge, student = forged
    student.sendall(reply(node, bytes([2, 0, 255])))
    flags = judge.value("x")
    assert bytes(np.asarray(flags).view(np.uint8)) == bytes([1, 0, 1])


def test_questions_without_end_meet_the_deadline(forged: Forged) -> None:
    judge, student = forged
    question = frame(["?", 1, "ask", ["nothing", {}], [], [], None])
    later(student, question * 1_000_000)
    read_on(student)
    started = time.monotonic()
    with pytest.raises(TooLate), judge.until(started + 0.3):
        judge.value("x")
    assert time.monotonic() - started < 2


def read_on(student: socket.socket) -> None:
    def read() -> None:
        with contextlib.suppress(OSError):
            while student.recv(1 << 16):
                pass

    threading.Thread(target=read, daemon=True).start()


def test_a_trickle_meets_the_deadline(forged: Forged) -> None:
    judge, student = forged

    def trickle() -> None:
        with contextlib.suppress(OSError):
            for byte in reply("x" * 1000):
                student.sendall(bytes([byte]))
                time.sleep(0.01)

    threading.Thread(target=trickle, daemon=True).start()
    started = time.monotonic()
    with pytest.raises(TooLate), judge.until(started + 0.2):
        judge.value("x")
    assert time.monotonic() - started < 2


def test_a_student_that_takes_nothing_meets_the_deadline(forged: Forged) -> None:
    judge, _ = forged
    started = time.monotonic()
    with pytest.raises(TooLate, match="did not take"), judge.until(started + 0.2):
        call_with(judge, torch.zeros(4 << 20))
    assert time.monotonic() - started < 2


def test_a_connection_has_a_cap_on_all_that_comes() -> None:
    ours, theirs = socket.socketpair()
    judge = Peer(ours, limits=Limits(received_bytes=1000))
    for number in range(1, 40):
        theirs.sendall(frame(["=", number, "x" * 20, [], [], None]))
    with pytest.raises(Malformed, match="more than 1000 bytes in all"):
        [judge.value("x") for _ in range(39)]
    theirs.close()


def test_an_answer_that_is_no_yes_or_no_is_malformed(forged: Forged) -> None:
    judge, student = forged
    student.sendall(reply(["l", "yes"]))
    with pytest.raises(Malformed, match="neither yes nor no"):
        judge.plain(["x"])


ODD_GIFTS = {
    "neither yes nor no": ["l", ["t", "yes", 3]],
    "without its parts": ["l", ["t", True]],
    "answer to another question": ["l"],
}


@pytest.mark.parametrize(("words", "node"), ODD_GIFTS.items(), ids=ODD_GIFTS)
def test_given_values_that_are_none_are_malformed(forged: Forged, words: str, node: Any) -> None:
    judge, student = forged
    student.sendall(reply(node))
    with pytest.raises(Malformed, match=words):
        judge.given(["x"])
    assert judge.ended is not None
