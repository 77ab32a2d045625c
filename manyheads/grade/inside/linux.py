"""The Linux calls that Python's standard library has no name for."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

CLONE_NEWNS = 0x20000
CLONE_NEWIPC = 0x8000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 2, 4, 8, 32, 4096, 16384
PR_SET_DUMPABLE, PR_CAPBSET_DROP = 4, 24
PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 22, 36, 38
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)
if hasattr(_libc, "prctl"):  # its values are a word each; an int would be passed as half of one
    _libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags` for fresh ones."""
    _call("unshare", flags)


def setns(fd: int, kind: int) -> None:
    """Enter the namespace that `fd` refers to."""
    _call("setns", fd, kind)


def prctl(option: int, *values: int) -> None:
    """Change a property of this process; a value may be an address."""
    _call("prctl", option, *(*values, 0, 0, 0, 0)[:4])


def mount_tmpfs(target: str, size: int, inodes: int) -> None:
    """Mount an empty memory file system of at most `size` bytes and `inodes` files."""
    options = f"size={size},nr_inodes={inodes},mode=0755".encode()
    _call("mount", b"tmpfs", target.encode(), b"tmpfs", MS_NOSUID | MS_NODEV, options)


def bind(source: str, target: str) -> None:
    """Show the folder `source` at `target` as well."""
    _call("mount", source.encode(), target.encode(), None, MS_BIND | MS_REC, None)


def hide_other_processes() -> None:
    """Let /proc show no process that the one who looks may not examine."""
    flags = MS_REMOUNT | MS_NOSUID | MS_NODEV | MS_NOEXEC
    _call("mount", None, b"/proc", None, flags, b"hidepid=2")


def map_to_self(uid: int, gid: int, outer_uid: int, outer_gid: int) -> None:
    """Say which ids of the parent user namespace the new one has: one user, one group."""
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"{uid} {outer_uid} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"{gid} {outer_gid} 1", encoding="utf-8")


def madvise(address: int, size: int, advice: int) -> bool:
    """Tell the kernel how some memory is used; whether it could follow."""
    where, length = ctypes.c_void_p(address), ctypes.c_size_t(size)
    return bool(_libc.madvise(where, length, advice) == 0)


def drop_capabilities() -> None:
    """Give up every privilege, and the way to get one back by executing a file."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="utf-8"))
    for capability in range(last + 1):
        prctl(PR_CAPBSET_DROP, capability)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
