"""The filter of system calls, followed step by step."""

from __future__ import annotations

import struct

import pytest

from manyheads.grade.inside import seccomp

EPERM, ENOSYS = seccomp.ERRNO | 1, seccomp.ERRNO | 38
READ = {"x86_64": 0, "aarch64": 63}
OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}


def verdict(
    machine: str, number: int, argument: int = 0, arch: int | None = None, second: int = 0
) -> int:
    """What the filter returns for a system call, as the kernel would find it."""
    found, _ = seccomp.ARCHITECTURES[machine]
    data = struct.pack("=IIQQQ", number, found if arch is None else arch, 0, argument, second)
    steps = list(struct.iter_unpack("HBBI", seccomp.program(machine)))
    position = held = 0
    while True:
        code, then, otherwise, k = steps[position]
        position += 1
        if code == seccomp.RETURN:
            return int(k)
        if code == seccomp.LOAD:
            held = struct.unpack_from("=I", data, k)[0]
        elif code == seccomp.AND:
            held &= k
        else:
            holds = held == k if code == seccomp.JUMP_EQUAL else held > k
            position += then if holds else otherwise


@pytest.fixture(params=sorted(seccomp.ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def column(machine: str) -> int:
    return seccomp.ARCHITECTURES[machine][1]


def test_each_call_of_the_list_is_refused(machine: str) -> None:
    numbers = [pair[column(machine)] for pair in seccomp.REFUSED.values()]
    assert {verdict(machine, number) for number in numbers if number is not None} == {EPERM}


@pytest.mark.parametrize("command", seccomp.LOCKING)
def test_a_lock_is_taken_in_name_only(machine: str, command: int) -> None:
    flock, fcntl = (numbers[column(machine)] for numbers in (seccomp.FLOCK, seccomp.FCNTL))
    assert verdict(machine, flock, second=2) == seccomp.DONE
    assert verdict(machine, fcntl, second=command) == seccomp.DONE


@pytest.mark.parametrize("command", seccomp.WATCHING)
def test_watching_a_file_is_refused(machine: str, command: int) -> None:
    assert verdict(machine, seccomp.FCNTL[column(machine)], second=command) == EPERM


@pytest.mark.parametrize("command", [0, 1, 2, 3, 4, 5, 36, 1030, 1031])
def test_other_questions_about_a_file_are_allowed(machine: str, command: int) -> None:
    assert verdict(machine, seccomp.FCNTL[column(machine)], second=command) == seccomp.ALLOW


def test_reading_is_allowed(machine: str) -> None:
    assert verdict(machine, READ[machine]) == seccomp.ALLOW


def test_other_architectures_calls_end_the_process(machine: str) -> None:
    other = seccomp.ARCHITECTURES[OTHER[machine]][0]
    assert verdict(machine, READ[machine], arch=other) == seccomp.KILL


def test_x32_numbers_are_refused() -> None:
    assert verdict("x86_64", 0x40000000 | 101) == EPERM


@pytest.mark.parametrize(
    ("flags", "allowed"), [(17, True), (0x3D0F00, True), (0x10000000 | 17, False), (0x80, False)]
)
def test_clone_makes_processes_and_threads_but_no_namespaces(
    machine: str, flags: int, allowed: bool
) -> None:
    expected = seccomp.ALLOW if allowed else EPERM
    assert verdict(machine, seccomp.CLONE[column(machine)], flags) == expected


def test_clone3_seems_not_to_exist(machine: str) -> None:
    assert verdict(machine, seccomp.CLONE3[column(machine)]) == ENOSYS


@pytest.mark.parametrize(
    ("family", "allowed"), [(1, True), (2, True), (10, True), (16, True), (17, False), (40, False)]
)
def test_sockets_that_no_network_namespace_holds_are_refused(
    machine: str, family: int, allowed: bool
) -> None:
    expected = seccomp.ALLOW if allowed else EPERM
    assert verdict(machine, seccomp.SOCKET[column(machine)], family) == expected
