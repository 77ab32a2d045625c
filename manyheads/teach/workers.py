"""Run many jobs on all cores, each with a time limit that holds even for a job that hangs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any

# A fresh interpreter: forking one that has loaded torch can hang, and Windows can't fork at all.
_PROCESSES = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Lost:
    """In place of a job's result: why there is none."""

    why: str


class Worker:
    """A process that runs jobs one at a time, and is replaced when a job hangs or ends it."""

    def __init__(self, function: Callable[[Any], Any], limit: float) -> None:
        self._function, self._limit = function, limit
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, job: Any) -> Any:
        """The function's result for `job`, or Lost after `limit` seconds or if the process ended.

        Raises RuntimeError with the traceback of an error that the function let out.
        """
        pipe = self._pipe or self._start()
        pipe.send(job)
        why = f"did not end within {self._limit:g} seconds"
        if pipe.poll(self._limit):
            try:
                failure, result = pipe.recv()
            except EOFError:
                why = "ended the process that ran it"
            else:
                if failure:
                    raise RuntimeError(failure)
                return result
        self.close()
        return Lost(why)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None and self._pipe is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process = self._pipe = None

    def _start(self) -> Connection:
        self._pipe, theirs = _PROCESSES.Pipe()
        arguments = (self._function, theirs)
        self._process = _PROCESSES.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()  # ready; the time for its imports is nobody's
        return self._pipe


def _serve(function: Callable[[Any], Any], pipe: Connection) -> None:
    """What the process does: take a job, send (traceback or "", result)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    pipe.send("ready")
    with suppress(EOFError, BrokenPipeError):
        while True:
            job = pipe.recv()
            try:
                answer = ("", function(job))
            except Exception:
                answer = (traceback.format_exc(), None)
            pipe.send(answer)


def run_all(
    function: Callable[[Any], Any],
    jobs: Sequence[Any],
    limit: float,
    finished: Callable[[int], None] = lambda _: None,
) -> list[Any]:
    """`function(job)` for every job, in their order; Lost for one that took over `limit` seconds.

    `function`, jobs and results travel between processes, so they must be picklable. `finished` is
    told how many jobs are done, after each. Raises RuntimeError with the traceback of an error
    that `function` let out.

    >>> run_all(len, ["heads", ""], limit=60)
    [5, 0]
    """
    workers = [Worker(function, limit) for _ in range(min(len(jobs), os.cpu_count() or 1))]
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)
    threads = ThreadPoolExecutor(max(len(workers), 1))
    try:
        futures = [threads.submit(_run_on_free, free, job) for job in jobs]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            finished(done)
        return [future.result() for future in futures]
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.close()


def _run_on_free(free: SimpleQueue[Worker], job: Any) -> Any:
    worker = free.get()
    try:
        return worker.run(job)
    finally:
        free.put(worker)
