"""How a student's process ends before its time, and what goes on nevertheless."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from manyheads.grade.sandbox import Sandbox, Student, StudentEnded, processes
from manyheads.grade.wire import Closed, TooLate
from tests.grade.alive import alive
from tests.grade.sandbox.conftest import error_of, limits, text_of

pytestmark = pytest.mark.slow

ENDLESS = {
    "loop": "while True: pass",
    "loop that swallows everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    ),
    "in C": "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
    "sleep": "import time; time.sleep(10**6)",
    "signals ignored": (
        "import signal\n"
        "for one in range(1, 32):\n"
        "    try: signal.signal(one, signal.SIG_IGN)\n"
        "    except OSError: pass\n"
        "while True: pass"
    ),
    "waits for a child": "import subprocess; subprocess.run(['sleep', '1000'])",
    "full pipe": "import os; a, b = os.pipe()\nwhile True: os.write(b, b'x' * 4096)",
    "deadlock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "event loop": "import asyncio; await asyncio.Event().wait()",
    "in a repr": "class A:\n    def __repr__(self):\n        while True: pass\nA()",
}
DEADLY = [
    ("import os; os._exit(0)", "the process exited"),
    ("import os; os._exit(1)", "the process exited"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "the process exited"),
    ("import os; os.kill(0, 9)", "the process exited"),
    ("import ctypes; ctypes.string_at(0)", "the process crashed (segmentation fault)"),
    ("import os; os.abort()", "the process crashed (abort)"),
    ("import os; os.execv('/bin/true', ['true'])", "the process exited"),
]


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS)
def test_cell_without_end_is_stopped_within_a_second(student: Student, source: str) -> None:
    started = time.monotonic()
    with pytest.raises(
        StudentEnded, match=r"^this cell ran longer than 0.5 s and was stopped$"
    ) as e:
        student.run_cell(source, draw=True, seconds=0.5)
    assert e.value.kind == "time"
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize(("source", "words"), DEADLY, ids=[source[:40] for source, _ in DEADLY])
def test_process_that_ends_says_how(student: Student, source: str, words: str) -> None:
    with pytest.raises(StudentEnded) as ended:
        student.run_cell(source, draw=True)
    assert (ended.value.kind, ended.value.reason) == ("exit", words)


def test_exit_is_told_at_once_where_a_child_lives_on(student: Student) -> None:
    source = "import os, time\nif os.fork() == 0: time.sleep(100)\nos._exit(0)"
    started = time.monotonic()
    with pytest.raises(StudentEnded, match="the process exited"):
        student.run_cell(source, draw=False)
    assert time.monotonic() - started < 5


def test_ended_process_stays_ended(student: Student) -> None:
    for _ in range(2):
        with pytest.raises(StudentEnded, match="the process exited"):
            student.run_cell("import os; os._exit(0)", draw=False)
    with pytest.raises(StudentEnded, match="the process exited"):
        student.exam()


def test_process_that_ends_between_cells_is_told_at_the_next(student: Student) -> None:
    source = "import os, threading; threading.Timer(0.1, os._exit, [0]).start()"
    student.run_cell(source, draw=False)
    time.sleep(0.5)
    with pytest.raises(StudentEnded, match="the process exited"):
        student.run_cell("1", draw=False)


def test_next_process_is_not_affected(sandbox: Sandbox) -> None:
    with sandbox.start() as first, pytest.raises(StudentEnded):
        first.run_cell("import os; os._exit(0)", draw=False)
    with sandbox.start() as second:
        assert text_of(second.run_cell("'fresh'", draw=False)) == "'fresh'"


def test_memory_of_one_process_is_limited(student: Student) -> None:
    result = student.run_cell("x = bytearray(2 * 2**30)", draw=False)
    assert error_of(result) == "MemoryError"
    assert text_of(student.run_cell("'still here'", draw=False)) == "'still here'"


def test_torch_meets_the_same_limit(student: Student) -> None:
    result = student.run_cell("import torch; torch.zeros(2**30)", draw=False)
    assert error_of(result) == "RuntimeError"


MANY_CHILDREN = (
    "import os, time\n"
    "for _ in range(8):\n"
    "    if os.fork() == 0:\n"
    "        x = bytearray(b'x') * (200 * 2**20); time.sleep(100); os._exit(0)\n"
    "time.sleep(100)"
)
SHARED = (
    "import mmap, os, time\n"
    "for _ in range(8):\n"
    "    if os.fork() == 0:\n"
    "        m = mmap.mmap(-1, 200 * 2**20)\n"
    "        for i in range(0, len(m), 4096): m[i] = 1\n"
    "        time.sleep(100); os._exit(0)\n"
    "time.sleep(100)"
)


@pytest.mark.parametrize("source", [MANY_CHILDREN, SHARED], ids=["private", "shared"])
def test_memory_of_many_processes_is_limited_together(student: Student, source: str) -> None:
    with pytest.raises(StudentEnded, match=r"memory limit \(512 MiB\)") as ended:
        student.run_cell(source, draw=False, seconds=15)
    assert ended.value.kind == "memory"


def test_pages_that_copies_share_count_once(student: Student) -> None:
    student.run_cell("x = bytearray(b'x') * (300 * 2**20)", draw=False)
    with student.exam(), student.exam():
        assert not student.run_cell("import time; time.sleep(1)", draw=False).failed


def test_time_of_a_whole_submission_is_limited() -> None:
    words = "the whole notebook ran longer than 1 s"
    with (
        Sandbox(limits(submission_seconds=1)) as sandbox,
        sandbox.start() as student,
        pytest.raises(StudentEnded, match=words),
    ):
        student.run_cell("import time; time.sleep(30)", draw=False)


def test_watch_sees_too_many_processes_where_the_kernel_does_not_count(sandbox: Sandbox) -> None:
    with sandbox.start() as student:
        source = "import os, time\nfor _ in range(100):\n    if os.fork() == 0: time.sleep(100)"
        result = student.run_cell(source, draw=False)
        assert error_of(result) == "BlockingIOError"


EACH_HANDLE = "import os\nfor fd in range(3, 256):\n    try: {}\n    except OSError: pass"


def test_exam_is_to_be_had_where_all_processes_are_used_up(student: Student) -> None:
    source = (
        "import os, time\n"
        "def f(): return 1\n"
        "try:\n"
        "    while True:\n"
        "        if os.fork() == 0: time.sleep(100); os._exit(0)\n"
        "except OSError: pass"
    )
    student.run_cell(source, draw=False)
    with student.exam() as exam:
        assert exam.peer.value("f")() == 1


GARBAGE = [
    EACH_HANDLE.format("os.write(fd, b'\\xff' * 64)"),
    EACH_HANDLE.format("os.close(fd)"),
    "type(get_ipython()).run = lambda *_: {'outputs': 'none'}",
    "type(get_ipython()).run = lambda *_: 1 / 0",
    "type(get_ipython()).run = lambda *_: 'x' * 30_000_000",
]


@pytest.mark.parametrize("source", GARBAGE, ids=["written", "closed", "forged", "raised", "giant"])
def test_what_is_no_answer_ends_the_process_and_harms_nobody(sandbox: Sandbox, source: str) -> None:
    def twice(student: Student) -> None:
        for _ in range(2):
            student.run_cell(source, draw=False, seconds=5)

    with sandbox.start() as student, pytest.raises(StudentEnded):
        twice(student)
    with sandbox.start() as other:
        assert text_of(other.run_cell("1", draw=False)) == "1"


def test_exam_sees_the_process_as_it_was_and_leaves_it_so(student: Student) -> None:
    student.run_cell("kept = []\ndef f(x): kept.append(x); return len(kept)", draw=False)
    with student.exam() as exam:
        f = exam.peer.value("f")
        assert [f("secret"), f("secret")] == [1, 2]
    assert text_of(student.run_cell("kept", draw=False)) == "[]"


def test_exam_outlives_the_process(student: Student) -> None:
    student.run_cell("def f(x): return x + 1", draw=False)
    exam = student.exam()
    with pytest.raises(StudentEnded):
        student.run_cell("while True: pass", draw=False, seconds=0.2)
    assert exam.peer.value("f")(1) == 2


def test_many_exams_stand_side_by_side(student: Student) -> None:
    exams = []
    for number in range(30):
        student.run_cell(f"def f(): return {number}", draw=False)
        exams.append(student.exam())
    assert [exam.peer.value("f")() for exam in exams] == list(range(30))


def test_exam_that_exits_is_told_and_the_process_goes_on(student: Student) -> None:
    student.run_cell("import os\ndef f(): os._exit(0)", draw=False)
    with student.exam() as exam:
        with pytest.raises(Closed) as closed:
            exam.peer.value("f")()
        assert exam.ended(closed.value).kind == "exit"
    assert text_of(student.run_cell("1", draw=False)) == "1"


def test_exam_that_hangs_is_ended(student: Student) -> None:
    student.run_cell("def f():\n    while True: pass", draw=False)
    with student.exam() as exam:
        with pytest.raises(TooLate) as late, exam.peer.until(time.monotonic() + 0.3):
            exam.peer.value("f")()
        assert exam.ended(late.value).kind == "time"
        pid = exam._member.pid
        wait_until(lambda: not alive([pid]))


def test_exam_may_run_cells(student: Student) -> None:
    student.run_cell("x = 1", draw=False)
    with student.exam() as exam:
        assert text_of(exam.run_cell("x += 1; print(x); x", draw=False)) == "2\n2"
    assert text_of(student.run_cell("x", draw=False)) == "1"


def test_closing_twice_is_closing(sandbox: Sandbox) -> None:
    student = sandbox.start()
    exam = student.exam()
    for thing in (exam, exam, student, student, exam):
        thing.close()
    with pytest.raises(StudentEnded, match="the process was closed"):
        student.run_cell("1", draw=False)


def wait_until(condition: object, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


DAEMON = (
    "import os, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        while True: time.sleep(0.1)\n"
    "    os._exit(0)\n"
    "exec('def f():\\n  while True: pass')"
)


@pytest.mark.parametrize("ended", [False, True], ids=["living", "dead"])
def test_nothing_is_left_of_a_closed_process(sandbox: Sandbox, ended: bool) -> None:
    with sandbox.start() as student:
        student.run_cell(DAEMON, draw=False)
        student.exam()
        held = sandbox._students[student]
        assert held.init is not None
        roots = [held.main.pid, held.init.pid]
        pids = [pid for root in roots for pid in processes.family(root)]
        assert len(pids) >= 4  # itself, its namespace's init, the daemon, the exam
        if ended:
            with pytest.raises(StudentEnded):
                student.run_cell("import os; os._exit(0)", draw=False)
    assert not alive(pids)


WORKER = f"""
import sys, threading
from manyheads.grade.sandbox import Limits, Sandbox
sandbox = Sandbox(isolated=sys.argv[1] == "True")
student = sandbox.start()
student.run_cell({DAEMON!r}, draw=False)
exam = student.exam()
threading.Thread(target=exam.peer.value("f")).start()
print("ready", flush=True)
student.run_cell("while True: pass", draw=False, seconds=100)
"""


@pytest.mark.parametrize("isolated", [True, False])
def test_killed_worker_leaves_no_process(sandbox: Sandbox, isolated: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(isolated)], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        time.sleep(0.5)
        pids = processes.family(worker.pid)[1:]
        assert len(pids) >= 4
        os.kill(worker.pid, signal.SIGKILL)
    wait_until(lambda: not alive(pids))
