"""What runs in a worker process: one grader, one submission at a time."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import TYPE_CHECKING

from manyheads.errors import ManyheadsError
from manyheads.grade.garbage import collect_seldom
from manyheads.grade.pool.cpus import Kept
from manyheads.grade.pool.job import Job, PageJob, PageResult, Result, WorkerSettings
from manyheads.grade.quick_imports import quick_imports

if TYPE_CHECKING:
    from manyheads.grade.pool.grading import Grader

PAGE_SECONDS = 120  # for one student's feedback on one lesson; it takes half of one
SLACK = 60  # seconds beyond a submission's own limit, for reading, judging and writing
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_settings: WorkerSettings | None = None
_cpus: SimpleQueue[int] | None = None
_kept: Kept | None = None
_grader: Grader | None = None


def start(settings: WorkerSettings, lifeline: Connection, cpus: SimpleQueue[int]) -> None:
    """Called once in each new worker; it ends when the other end of `lifeline` is closed.

    When it begins to grade it takes one of the `cpus` for itself, if there are any.
    """
    global _settings, _cpus
    _settings, _cpus = settings, cpus
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # one core a worker
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    with contextlib.suppress(OSError, EOFError):
        lifeline.recv_bytes()
    os._exit(1)


def grader() -> Grader:
    """The process's grader, made when it is first asked for."""
    global _grader
    if _grader is None:
        with quick_imports():
            from manyheads.grade.pool.grading import Grader

        if _settings is None:
            raise RuntimeError("a worker was given work before its settings")
        _grader = Grader(_settings)
        atexit.register(_end)
    return _grader


def _end() -> None:
    """Called when there is no more work: let go of the sandbox, and of nothing else, slowly."""
    if _grader is not None:
        _grader.close()
    os._exit(0)


def warm_up() -> None:
    """Load everything that grading needs."""
    grader().warm_up()
    collect_seldom()


def grade(job: Job) -> Result:
    """Grade one submission; whatever is wrong with it is in the result.

    Raises SandboxError when no sandbox can be had.
    """
    one = grader()
    _settle_down()
    with _watched(one.settings.submission_seconds + SLACK):
        result = one.grade(job)
    if _kept is not None and _kept.let_go_if_crowded():
        one.follow()
    return result


def _settle_down() -> None:
    """Keep to one CPU from now on; while everything was loaded, all of them were of use."""
    global _cpus, _kept
    if _cpus is not None and not _cpus.empty():
        _kept = Kept(_cpus.get())
    _cpus = None


def write_page(job: PageJob) -> PageResult:
    """Write one student's feedback; what is wrong with it is in the result."""
    with quick_imports():
        from manyheads.grade.pages import PageWriter

    with _watched(PAGE_SECONDS):
        try:
            PageWriter.of(job.course).write(job.lesson, job.student)
        except ManyheadsError as error:
            return PageResult(job.lesson, job.student, str(error))
        except Exception as error:  # a fault of ours
            words = f"{type(error).__name__}: {error}. Please report this fault of the program"
            return PageResult(job.lesson, job.student, f"the page was not written: {words}")
    return PageResult(job.lesson, job.student)


@contextlib.contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """Ends this process if what is inside hangs, be it in C code that never lets go."""
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
