"""Work for the tests of the crew, in a module of its own because worker processes import it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

from manyheads.grade.pool.job import WorkerSettings

NO_LESSONS = WorkerSettings({}, 30, 300)


def light_workers(settings: WorkerSettings, workers: int) -> Executor:
    """Worker processes that load nothing."""
    assert settings is NO_LESSONS
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


def double(job: str) -> str:
    """What most jobs are; some end their process, always or the first time, some raise."""
    kind, _, rest = job.partition(" ")
    if kind == "exits":
        os._exit(3)
    if kind == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "raises":
        raise ValueError(rest)
    if kind == "sleeps":
        time.sleep(float(rest))
    if kind == "once" and not Path(rest).exists():
        Path(rest).touch()
        os._exit(3)
    return job + job
