"""The worker processes of a run: started at once, replaced when they die, ended with the run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from typing import TypeVar

from manyheads.errors import GradingError
from manyheads.grade.pool import worker
from manyheads.grade.pool.cpus import shared_out
from manyheads.grade.pool.job import WorkerSettings

AHEAD = 2  # jobs handed out for each worker: one runs, one waits
MOST_DEATHS = 6  # in a row, without any result between them: then it may not be the submissions
Work = TypeVar("Work")
Done = TypeVar("Done")


class LocalWorkers(ProcessPoolExecutor):
    """Worker processes on this machine, which end when this process does, however it ends."""

    def __init__(self, settings: WorkerSettings, workers: int) -> None:
        """Start them; they load what they need while the caller does other things."""
        context = multiprocessing.get_context("spawn")  # a fork would inherit locks and threads
        reading, self._writing = context.Pipe(duplex=False)
        cpus = context.SimpleQueue()
        for cpu in shared_out(workers):
            cpus.put(cpu)
        super().__init__(workers, context, worker.start, (settings, reading, cpus))
        for _ in range(workers):
            self.submit(worker.warm_up)

    def cut(self) -> None:
        """End the workers at once, whatever they are doing."""
        self._writing.close()


class Crew:
    """Workers behind an executor; a context manager.

    The executor is made by `executors`, called with the settings and the number of workers, so that
    another kind of `concurrent.futures.Executor` can take the place of processes on this machine.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        workers: int,
        executors: Callable[[WorkerSettings, int], Executor] = LocalWorkers,
        probe: Callable[[], object] = worker.warm_up,
    ) -> None:
        """Start the workers; `probe` is what each of them can do, whatever was handed in."""
        self.workers = workers
        self._settings = settings
        self._make, self._probe = executors, probe
        self._deaths = 0
        self._executor = executors(settings, workers)

    def __enter__(self) -> Crew:
        """The crew itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """End the workers, in the middle of their work if an exception ends the run."""
        if kind is not None and isinstance(self._executor, LocalWorkers):
            self._executor.cut()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def run(
        self,
        work: Callable[[Work], Done],
        jobs: Iterator[Work],
        died: Callable[[Work], Done],
    ) -> Iterator[Done]:
        """Do `work` on each of the jobs; results come as they are ready, each exactly once.

        A job whose worker died is tried once more by itself; if that dies too, `died(job)` is its
        result. An exception that `work` raises ends the run. Raises GradingError when workers die
        even without a submission.
        """
        pending: dict[Future[Done], Work] = {}
        while self._fill(pending, work, jobs):
            wait(pending, return_when=FIRST_COMPLETED)
            results, suspects = _collect(pending)
            yield from results
            if not suspects:
                self._deaths = 0 if results else self._deaths
                continue
            wait(pending)  # all of them end with the executor
            results, others = _collect(pending)
            yield from results
            self._restart()
            for job in (*suspects, *others):
                yield self._alone(work, job, died)

    def _fill(
        self,
        pending: dict[Future[Done], Work],
        work: Callable[[Work], Done],
        jobs: Iterator[Work],
    ) -> bool:
        """Hand out jobs, a few more than there are workers; whether any is under way."""
        while len(pending) < AHEAD * self.workers:
            try:
                job = next(jobs)
            except StopIteration:
                break
            pending[self._submit(work, job)] = job
        return bool(pending)

    def _submit(self, work: Callable[[Work], Done], job: Work) -> Future[Done]:
        try:
            return self._executor.submit(work, job)
        except BrokenExecutor as error:
            broken: Future[Done] = Future()
            broken.set_exception(error)
            return broken

    def _alone(self, work: Callable[[Work], Done], job: Work, died: Callable[[Work], Done]) -> Done:
        """One more try, with nothing else under way."""
        try:
            result = self._submit(work, job).result()
        except BrokenExecutor:
            self._restart()
            return died(job)
        self._deaths = 0
        return result

    def _restart(self) -> None:
        self._deaths += 1
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make(self._settings, self.workers)
        if self._deaths > MOST_DEATHS:
            self._see_whose_fault_it_is()

    def _see_whose_fault_it_is(self) -> None:
        """Many submissions may be deadly, one after the other; then a worker without one lives."""
        try:
            self._executor.submit(self._probe).result()
        except BrokenExecutor:
            raise GradingError(
                f"The grading processes ended {self._deaths} times in a row, whatever they were "
                "given. Most often the machine has too little memory: try --workers 1, and see "
                "what `manyheads doctor` finds."
            ) from None
        self._deaths = 0


def _collect(pending: dict[Future[Done], Work]) -> tuple[list[Done], list[Work]]:
    """Take out what is done: results, and the jobs whose worker died."""
    results, suspects = [], []
    for future in [future for future in pending if future.done()]:
        job = pending.pop(future)
        try:
            results.append(future.result())
        except BrokenExecutor:
            suspects.append(job)
    return results, suspects
