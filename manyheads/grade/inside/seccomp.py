"""The system calls that no lesson needs and that a student's process may not make.

Namespaces already take away files, network and other processes. This filter closes what they
leave open: new namespaces and mounts, reading another process's memory, memory that no limit
counts (memfd, System V), sockets that are not kept apart by a network namespace (vsock), and the
kernel's less-travelled doors. Submissions share the system's files, so one could signal to another
by a lock on one of them, or by reading one that the other watches: watching is refused, and locks
are taken in name only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from functools import cache

from manyheads.grade.inside import linux

# Numbers by architecture: (x86_64, aarch64); None where it does not exist.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "fanotify_init": (300, 262),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}
CLONE, CLONE3, SOCKET = (56, 220), (435, 435), (41, 198)
FLOCK, FCNTL = (73, 32), (72, 25)
LOCKING = (6, 7, 37, 38)  # F_SETLK, F_SETLKW and the same of open file descriptions
WATCHING = (1024, 1026)  # F_SETLEASE, F_NOTIFY
ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
NAMESPACE_FLAGS = 0x7E020080  # CLONE_NEW*: mount, cgroup, uts, ipc, user, pid, net, time
FAMILIES = (1, 2, 10, 16)  # unix, inet and inet6 (a network without a way out), netlink

LOAD, JUMP_EQUAL, JUMP_ABOVE, AND, RETURN = 0x20, 0x15, 0x25, 0x54, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, ARCH, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24  # offsets in struct seccomp_data
DONE = ERRNO  # with no error: the call returns 0 and has done nothing


def _step(code: int, k: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, k)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


@cache
def program(machine: str) -> bytes:
    """The filter as BPF instructions for `machine`; empty where the numbers are not known.

    >>> len(program("x86_64")) > 8 and program("riscv64") == b""
    True
    """
    if machine not in ARCHITECTURES:
        return b""
    arch, column = ARCHITECTURES[machine]
    refuse = _step(RETURN, ERRNO | errno.EPERM)
    steps = [_step(LOAD, ARCH), _step(JUMP_EQUAL, arch, 1, 0), _step(RETURN, KILL)]
    steps.append(_step(LOAD, NUMBER))
    if machine == "x86_64":  # the x32 numbers are the same calls by another name
        steps += [_step(JUMP_ABOVE, 0x3FFFFFFF, 0, 1), refuse]
    for numbers in REFUSED.values():
        number = numbers[column]
        if number is not None:
            steps += [_step(JUMP_EQUAL, number, 0, 1), refuse]
    steps += _locks(column)
    # clone3 hides its flags in memory; without it the C library uses clone, whose flags show.
    steps += [_step(JUMP_EQUAL, CLONE3[column], 0, 1), _step(RETURN, ERRNO | errno.ENOSYS)]
    steps += [
        _step(JUMP_EQUAL, CLONE[column], 0, 4),
        _step(LOAD, FIRST_ARGUMENT),
        _step(AND, NAMESPACE_FLAGS),
        _step(JUMP_EQUAL, 0, 0, len(FAMILIES) + 4),  # to the end: refuse
        _step(RETURN, ALLOW),
        _step(JUMP_EQUAL, SOCKET[column], 1, 0),
        _step(RETURN, ALLOW),
        _step(LOAD, FIRST_ARGUMENT),
        *(_step(JUMP_EQUAL, family, len(FAMILIES) - i, 0) for i, family in enumerate(FAMILIES)),
        refuse,
        _step(RETURN, ALLOW),
    ]
    return b"".join(steps)


def _locks(column: int) -> list[bytes]:
    """Steps for calls that lock or watch a file; the call's number is loaded, and stays so."""
    asked = [(command, DONE) for command in LOCKING]
    asked += [(command, ERRNO | errno.EPERM) for command in WATCHING]
    answers = [
        step for k, told in asked for step in (_step(JUMP_EQUAL, k, 0, 1), _step(RETURN, told))
    ]
    return [
        *(_step(JUMP_EQUAL, FLOCK[column], 0, 1), _step(RETURN, DONE)),
        *(_step(JUMP_EQUAL, FCNTL[column], 0, len(answers) + 2), _step(LOAD, SECOND_ARGUMENT)),
        *answers,
        _step(RETURN, ALLOW),
    ]


def install() -> None:
    """Bind this process and its descendants to the filter; needs no_new_privs. Raises OSError."""
    steps = program(os.uname().machine)
    if not steps:
        return
    filter_ = _Program(len(steps) // 8, steps)
    linux.prctl(linux.PR_SET_SECCOMP, linux.SECCOMP_MODE_FILTER, ctypes.addressof(filter_))
