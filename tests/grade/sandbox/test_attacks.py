"""What student code tries against the grader, its files and other submissions; nothing comes of it.

All of it is run as whoever runs the tests; where that is root, a second time as an ordinary user.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyheads.grade.sandbox import Sandbox, Student, StudentEnded
from tests.grade.sandbox.conftest import MIB, Run, error_of, text_of

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
AGAIN = "MANYHEADS_TESTS_AS_ORDINARY_USER"


def attempt(source: str) -> str:
    """A cell that says what became of an attempt."""
    indented = "\n".join(f"    {line}" for line in source.splitlines())
    return (
        f"try:\n{indented}\nexcept BaseException as e: print(type(e).__name__)\nelse: print('done')"
    )


SYSCALL = "import ctypes, os\nif ctypes.CDLL(None, use_errno=True).{} == -1:\n    raise OSError"
FILES = "FileNotFoundError PermissionError NotADirectoryError OSError"
REFUSED = {
    "course files": (f"import os; os.listdir({str(ROOT / 'source')!r})", FILES),
    "course root": (f"open({str(ROOT / 'nbgrader_config.py')!r})", FILES),
    "this test": (f"open({__file__!r})", FILES),
    "other temporary files": (f"open({tempfile.gettempdir() + '/manyheads-secret'!r})", FILES),
    "accounts": ("open('/etc/passwd')", FILES),
    "root's home": ("import os; os.listdir('/root/.ssh')", FILES),
    "references": ("import manyheads.check.merge", "ModuleNotFoundError"),
    "causes": ("from manyheads.check.run import check_function", "ModuleNotFoundError"),
    "judge": ("import manyheads.grade.judge", "ModuleNotFoundError"),
    "lessons": ("import manyheads.course", "ModuleNotFoundError"),
    "init's environment": ("open('/proc/1/environ').read()", FILES),
    "all other processes": (
        "import os\n"
        "seen = [one for one in os.listdir('/proc') if one.isdigit()]\n"
        "if seen == [os.readlink('/proc/self')]: raise ProcessLookupError",
        "ProcessLookupError",
    ),
    "root of another process": ("import os; os.listdir('/proc/1/root')", FILES),
    "handles of another process": ("import os; os.readlink('/proc/1/fd/0')", FILES),
    "network": (
        "import socket; socket.create_connection(('192.0.2.1', 80), 3)",
        "OSError PermissionError",
    ),
    "name service": ("import socket; socket.gethostbyname('example.org')", "gaierror"),
    "virtual machine sockets": ("import socket; socket.socket(40, 1)", "PermissionError"),
    "raw sockets": (
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        "PermissionError",
    ),
    "packets": ("import socket; socket.socket(socket.AF_PACKET)", "PermissionError"),
    "installed torch": ("import torch; open(torch.__file__, 'a')", "OSError PermissionError"),
    "installed packages": (
        "import torch, pathlib; pathlib.Path(torch.__file__).parents[1].joinpath('x.pth').touch()",
        "OSError PermissionError",
    ),
    "system": ("open('/usr/bin/x', 'w')", "OSError PermissionError"),
    "root folder": ("open('/x', 'w')", "OSError PermissionError"),
    "our library": ("open('/sandbox/lib/pandas.py', 'w')", "OSError PermissionError"),
    "devices": ("open('/dev/x', 'w')", "OSError PermissionError"),
    "device file": ("import os; os.mknod('/tmp/x', 0o60600, os.makedev(8, 0))", "PermissionError"),
    "kernel settings": (
        "open('/proc/sys/kernel/hostname', 'w').write('x')",
        "OSError PermissionError",
    ),
    "template's score for the memory killer": (
        "open('/proc/2/oom_score_adj', 'w').write('1000')",
        "PermissionError FileNotFoundError",
    ),
    "memfd": ("import os; os.memfd_create('x')", "PermissionError"),
    "user namespace": (SYSCALL.format("unshare(0x10000000)"), "OSError"),
    "mount namespace": (SYSCALL.format("unshare(0x20000)"), "OSError"),
    "clone": (SYSCALL.format("syscall(56, 0x10000000 | 17, 0, 0, 0, 0)"), "OSError"),
    "clone3": (SYSCALL.format("syscall(435, 0, 0)"), "OSError"),
    "other namespaces": (
        "import ctypes, os\nfd = os.open('/proc/self/ns/pid', os.O_RDONLY)\n"
        + SYSCALL.format("setns(fd, 0)"),
        "OSError PermissionError",
    ),
    "mount": (SYSCALL.format("mount(b'none', b'/tmp', b'tmpfs', 0, None)"), "OSError"),
    "bind": (SYSCALL.format("mount(b'/', b'/tmp', None, 4096, None)"), "OSError"),
    "umount": (SYSCALL.format("umount2(b'/tmp', 2)"), "OSError"),
    "chroot": ("import os; os.chroot('/tmp')", "PermissionError"),
    "ptrace": (SYSCALL.format("ptrace(16, 1, 0, 0)"), "OSError"),
    "shared memory of the system": (SYSCALL.format("shmget(1, 4096, 0o1600)"), "OSError"),
    "keys": (SYSCALL.format("syscall(250, 0, -3, 0)"), "OSError"),
    "bpf": (SYSCALL.format("syscall(321, 0, 0, 0)"), "OSError"),
    "io_uring": (SYSCALL.format("syscall(425, 1, 0)"), "OSError"),
    "become root": ("import os; os.setuid(0)", "PermissionError OSError"),
    "groups": ("import os; os.setgroups([0])", "PermissionError"),
    "more files at once": (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (99999, 99999))",
        "ValueError",
    ),
    "more memory": (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "ValueError",
    ),
    "more processes": (
        "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))",
        "ValueError",
    ),
    "core dumps": (
        "import resource; resource.setrlimit(resource.RLIMIT_CORE, (1, 1))",
        "ValueError",
    ),
    "kill the template": ("import os; os.kill(3, 9)", "ProcessLookupError"),
    "priority": ("import os; os.nice(-5)", "PermissionError"),
    "large file": (
        "open('/tmp/x', 'wb').truncate(2**30)",
        "OSError",
    ),
}


@pytest.mark.parametrize(("source", "errors"), REFUSED.values(), ids=REFUSED)
def test_attempt_is_refused(run: Run, source: str, errors: str) -> None:
    said = text_of(run(attempt(source))).strip()
    assert said in errors.split(), said


@pytest.fixture
def listening() -> Iterator[tuple[int, str]]:
    """A server of this machine: its port, and an abstract address."""
    name = f"\0manyheads-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name)
        unix.listen()
        yield tcp.getsockname()[1], name


def test_servers_of_this_machine_are_out_of_reach(run: Run, listening: tuple[int, str]) -> None:
    port, name = listening
    tcp = f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)"
    assert text_of(run(attempt(tcp))) == "ConnectionRefusedError\n"
    unix = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})"
    assert text_of(run(attempt(unix))) == "ConnectionRefusedError\n"


def test_everybody_killed_is_the_killers_own(sandbox: Sandbox) -> None:
    with sandbox.start() as other, sandbox.start() as student:
        student.run_cell("import os\ntry: os.kill(-1, 9)\nexcept OSError: pass", draw=False)
        student.run_cell("os.kill(1, 9)", draw=False)
        assert text_of(other.run_cell("'alive'", draw=False)) == "'alive'"


FORK_BOMB = (
    "import os, time\n"
    "made = 0\n"
    "try:\n"
    "    while made < 1000:\n"
    "        if os.fork() == 0: time.sleep(100); os._exit(0)\n"
    "        made += 1\n"
    "except OSError: pass\n"
    "print(made)"
)
THREAD_BOMB = (
    "import threading, time\n"
    "made = 0\n"
    "try:\n"
    "    while made < 1000:\n"
    "        threading.Thread(target=time.sleep, args=[100], daemon=True).start(); made += 1\n"
    "except RuntimeError: pass\n"
    "print(made)"
)


@pytest.mark.parametrize("source", [FORK_BOMB, THREAD_BOMB], ids=["processes", "threads"])
def test_bomb_is_limited_and_others_go_on(sandbox: Sandbox, source: str) -> None:
    with sandbox.start() as student:
        assert 10 < int(text_of(student.run_cell(source, draw=False))) < 64
        with sandbox.start() as other:
            assert text_of(other.run_cell("!echo runs", draw=False)) == "runs\n"


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/home/student", "."])  # noqa: S108
def test_files_fill_their_own_room_only(sandbox: Sandbox, folder: str) -> None:
    fill = (
        "import os\n"
        "written = 0\n"
        "try:\n"
        "    for number in range(1000):\n"
        f"        with open(f'{folder}/{{number}}', 'wb') as file:\n"
        "            written += file.write(b'x' * 2**22)\n"
        "except OSError: pass\n"
        "print(written)"
    )
    with sandbox.start() as student:
        assert int(text_of(student.run_cell(fill, draw=False))) <= 32 * MIB
    with sandbox.start() as other:
        assert text_of(other.run_cell("open('x', 'w').write('fits')", draw=False)) == "4"


def test_many_small_files_are_limited(run: Run) -> None:
    source = "import os\nfor n in range(100_000): os.close(os.open(f'/tmp/{n}', os.O_CREAT))"
    assert error_of(run(source)) == "OSError"


LEFT_BEHIND = """
import os, pathlib
for folder in ('.', '~', '/tmp', '/dev/shm', '~/.ipython/profile_default/startup'):
    folder = pathlib.Path(folder).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ('sitecustomize.py', 'torch.py', 'pandas.py', 'x.pth', '00.py'):
        (folder / name).write_text("raise SystemError('left behind')")
os.environ['LEFT'] = 'behind'
import torch, builtins, sys
torch.equal = lambda *_: True
builtins.LEFT = sys.modules['pandas'] = 'behind'
"""
LOOK_AROUND = """
import os, builtins, torch, sys
found = [(path, name) for top in ('.', '~', '/tmp', '/dev/shm') for path, _, names in
         os.walk(os.path.expanduser(top)) for name in names
         if not path.startswith((sys.prefix, sys.base_prefix))]  # an environment may lie in /tmp
assert not found, found
assert 'LEFT' not in os.environ and not hasattr(builtins, 'LEFT') and 'pandas' not in sys.modules
assert not torch.equal(torch.zeros(1), torch.ones(1))
"""


def test_nothing_is_left_for_the_next_submission(sandbox: Sandbox) -> None:
    with sandbox.start() as student:
        assert not student.run_cell(LEFT_BEHIND, draw=False).failed
    with sandbox.start() as other:
        result = other.run_cell(LOOK_AROUND, draw=False)
        assert not result.failed, result


def test_two_submissions_side_by_side_do_not_meet(sandbox: Sandbox) -> None:
    with sandbox.start() as first, sandbox.start() as second:
        first.run_cell("open('/tmp/x', 'w').write('secret'); SECRET = 'mine'", draw=False)
        first.run_cell("import os; print(os.readlink('/proc/self'))", draw=False)
        pid = text_of(first.run_cell("print(os.readlink('/proc/self'))", draw=False)).strip()
        assert error_of(second.run_cell("open('/tmp/x')", draw=False)) == "FileNotFoundError"
        for part in ("environ", "mem", "maps", "cwd/x", "root/tmp/x", "fd/1"):
            said = text_of(
                second.run_cell(attempt(f"open('/proc/{pid}/{part}').read(1)"), draw=False)
            )
            assert said.strip() == "FileNotFoundError", part


def test_handles_of_a_process_are_its_own_few(run: Run) -> None:
    source = "import os\nfor fd in sorted(os.listdir('/proc/self/fd'), key=int): print(fd)"
    assert len(text_of(run(source)).split()) <= 8
    assert text_of(run("!ls /proc/self/fd | wc -l")) == "4\n"  # 0, 1, 2 and the folder itself


def test_symbolic_link_leads_nowhere(run: Run) -> None:
    source = "import os; os.symlink('/etc/passwd', 'x'); open('x').read()"
    assert error_of(run(source)) == "FileNotFoundError"


def test_stop_of_the_namespaces_init_changes_nothing(sandbox: Sandbox, student: Student) -> None:
    source = (
        "import os\n"
        "for one in (9, 15, 19, 2, 1):\n"
        "    try: os.kill(1, one)\n"
        "    except OSError: pass"
    )
    student.run_cell(source, draw=False)
    started = time.monotonic()
    student.close()
    assert time.monotonic() - started < 2


def test_endless_thread_does_not_hold_the_end_up(sandbox: Sandbox) -> None:
    source = "import threading\ndef f():\n    while True: pass\nthreading.Thread(target=f).start()"
    started = time.monotonic()
    with sandbox.start() as student:
        student.run_cell(source, draw=False)
    assert time.monotonic() - started < 3


def test_grader_in_threads_is_not_confused(sandbox: Sandbox) -> None:
    """Another thread of the grader's may be at work while a process is started and ended."""
    done = threading.Event()
    thread = threading.Thread(target=lambda: [sum(range(1000)) for _ in iter(done.is_set, True)])
    thread.start()
    try:
        with sandbox.start() as student, pytest.raises(StudentEnded):
            student.run_cell("import os; os._exit(0)", draw=False)
    finally:
        done.set()
        thread.join()


PASSABLE = """
mkdir -p "$1/python" && mount --bind "$2" "$1/python" && mount -t tmpfs -o mode=755 tmpfs /root &&
mkdir -p "$2" && mount --bind "$1/python" "$2" || exit 9
shift 2
exec setpriv --reuid 12345 --regid 12345 --clear-groups "$@"
"""


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder that everybody may use; pytest's own are root's."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="these tests ran as an ordinary user already")
@pytest.mark.skipif(AGAIN in os.environ, reason="once is enough")
@pytest.mark.timeout(600)
def test_all_of_it_again_as_an_ordinary_user(theirs: Path) -> None:
    """Root's home may be closed, and Python lie in it: opened in a mount namespace of its own."""
    for program in ("unshare", "setpriv", "mount"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing")
    base = sys.base_prefix if sys.base_prefix.startswith("/root/") else str(theirs)
    shell = ["unshare", "--mount", "--propagation", "private", "sh", "-c", PASSABLE, "sh"]
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-x"]
    folder = str(Path(__file__).parent)
    run = subprocess.run(
        [*shell, str(theirs), base, *tests, f"--basetemp={theirs}/t", folder],
        cwd=ROOT,
        env={**os.environ, AGAIN: "1", "HOME": str(theirs), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert " passed" in run.stdout
    assert "1 skipped" in run.stdout  # this test
