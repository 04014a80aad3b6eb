"""The queue of jobs: a few worker threads, fair between owners, bounded in what waits and in what is kept."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from stepscope.jobs.job import FINISHED, Cancelled, Job, State
from stepscope.model.errors import NotThere, StepscopeError, TooMuch

log = logging.getLogger("stepscope.jobs")

WORKERS = 4
BACKGROUND = 2
"""Of the workers: those that may do work nobody is waiting for. The others stay free for urgent jobs."""
MOST_QUEUED = 200
MOST_QUEUED_OF_ONE = 100
KEPT = 64
"""Finished jobs with their results; the one asked for longest ago goes first."""
KEEP_SECONDS = 600.0
"""A finished job that nobody has asked for within this time goes."""
ERROR_SECONDS = 10.0
"""An error that nobody was told of is reported to whoever asks within this time; after that, asking tries again."""

Result = TypeVar("Result")
_AnyJob = Job[Any]


class JobQueue:
    """Runs jobs. Safe from any thread. Threads start with the first job."""

    def __init__(
        self, workers: int = WORKERS, background: int = BACKGROUND, kept: int = KEPT, keep_seconds: float = KEEP_SECONDS
    ) -> None:
        self._workers = workers
        self._background = background
        self._kept = kept
        self._keep_seconds = keep_seconds
        self._condition = threading.Condition()
        self._jobs: dict[str, _AnyJob] = {}
        self._keys: dict[Hashable, _AnyJob] = {}
        self._threads: list[threading.Thread] = []
        self._served: dict[str, int] = {}
        self._turns = 0
        self._closed = False
        self._listeners: list[Callable[[], None]] = []

    def submit(
        self,
        key: Hashable,
        title: str,
        work: Callable[[Job[Result]], Result],
        *,
        owner: str = "",
        lease: float | None = None,
        urgent: bool | None = None,
        listed: bool | None = None,
        keep: bool = True,
        result_at: str = "",
    ) -> Job[Result]:
        """The job that does this work: a new one, or the one that has the same key. None as key shares nothing.

        With a lease (seconds), work that nobody asks for or waits for within it stops at its next checkpoint. `urgent` work goes before
        the rest, and `listed` work is in the list of jobs; leased work is urgent and not listed unless said otherwise, since whoever
        waits shows it. Without `keep` the result is told once and forgotten, as tiles are. `result_at` is the path below /api/v1 that
        gives the result, with {id} for the job's id.
        Raises TooMuch when too many jobs are waiting.
        """
        with self._condition:
            self._tidy()
            known = self._keys.get(key) if key is not None else None
            if known is not None and known.joinable(ERROR_SECONDS):
                known.ask()
                known.owners.add(owner)
                return known
            self._check_room(owner)
            listed = lease is None if listed is None else listed
            urgent = lease is not None if urgent is None else urgent
            job = Job(
                title,
                work,
                owner,
                key=key,
                lease=lease,
                urgent=urgent,
                listed=listed,
                keep=keep,
                result_at=result_at,
                condition=self._condition,
                changed=self._announce,
            )
            self._jobs[job.id] = job
            if key is not None:
                self._keys[key] = job
            self._start_thread()
            self._condition.notify_all()
        self._announce()
        return job

    def find(self, job_id: str, owner: str) -> _AnyJob:
        """The job of that id. Raises NotThere, also when it is somebody else's."""
        with self._condition:
            self._tidy()
            job = self._jobs.get(job_id)
            if job is None or owner not in job.owners:
                raise NotThere("No job has this id; it may have finished long ago.", "unknown_job")
            job.ask()
            return job

    def listed(self, owner: str) -> list[_AnyJob]:
        """The jobs that this owner should see, oldest first."""
        with self._condition:
            self._tidy()
            return [job for job in self._jobs.values() if job.listed and owner in job.owners]

    def cancel(self, job_id: str, owner: str) -> _AnyJob:
        """Cancels a job, or leaves it to the others who asked for it too. Raises NotThere."""
        job = self.find(job_id, owner)
        with self._condition:
            if len(job.owners) > 1:
                job.owners.discard(owner)
            elif job.state not in FINISHED:
                self._stop(job)
        self._announce()
        return job

    def listen(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` from any thread whenever a job changes; returns what ends that."""
        self._listeners.append(changed)
        return lambda: self._listeners.remove(changed)

    def close(self) -> None:
        """Cancels everything and lets results go; the queue takes no more jobs."""
        with self._condition:
            self._closed = True
            for job in list(self._jobs.values()):
                if job.state not in FINISHED:
                    self._stop(job)
            results = [result for job in list(self._jobs.values()) if job.state in FINISHED for result in self._forget(job)]
            self._condition.notify_all()
        _close(results)

    # --- under the lock ---

    def _check_room(self, owner: str) -> None:
        queued = [job for job in self._jobs.values() if job.state is State.QUEUED]
        if self._closed:
            raise TooMuch("The server is stopping; try again when it runs.", "stopping")
        if len(queued) >= MOST_QUEUED or sum(owner in job.owners for job in queued) >= MOST_QUEUED_OF_ONE:
            raise TooMuch("Too many jobs are waiting; try again when some have finished.", "too_many_jobs")

    def _stop(self, job: _AnyJob) -> None:
        job.stop()
        if job.state is State.QUEUED:
            job.finish(State.CANCELLED, [])

    def _start_thread(self) -> None:
        running = sum(job.state is State.RUNNING for job in self._jobs.values())
        queued = sum(job.state is State.QUEUED for job in self._jobs.values())
        if len(self._threads) < min(self._workers, running + queued):
            thread = threading.Thread(target=self._serve, name=f"stepscope-job-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _next(self) -> _AnyJob | None:
        """Urgent work first; then the owner with the fewest jobs at work, who was served longest ago."""
        self._tidy()
        running = [job for job in self._jobs.values() if job.state is State.RUNNING]
        queued = [job for job in self._jobs.values() if job.state is State.QUEUED]
        if sum(not job.urgent for job in running) >= self._background:
            queued = [job for job in queued if job.urgent]
        if not queued:
            return None

        def turn(job: _AnyJob) -> tuple[bool, int, int]:
            at_work = min(sum(owner in other.owners for other in running) for owner in job.owners)
            return not job.urgent, at_work, min(self._served.get(owner, 0) for owner in job.owners)

        job = min(queued, key=turn)
        self._turns += 1
        waiting = {owner for other in queued for owner in other.owners}
        self._served = {owner: turn for owner, turn in self._served.items() if owner in waiting}
        self._served.update(dict.fromkeys(job.owners, self._turns))
        return job

    def _tidy(self) -> None:
        """Ends queued jobs that nobody wants any more, and forgets finished ones that are old or too many."""
        for job in self._jobs.values():
            if job.state is State.QUEUED and job.lapsed:
                self._stop(job)
        finished = sorted((job for job in self._jobs.values() if job.state in FINISHED), key=lambda job: job.idle_for)
        passing = [job for job in finished if job.passing and not job.listed]
        for place, job in enumerate(passing):
            if place >= self._kept or job.forgotten(ERROR_SECONDS):
                self._forget(job)  # its result is not closed: whoever was told has it
        kept = [job for job in finished if job not in passing]
        old = [job for place, job in enumerate(kept) if place >= self._kept or job.idle_for > self._keep_seconds]
        _close([result for job in old for result in self._forget(job)])

    def _forget(self, job: _AnyJob) -> list[Any]:
        del self._jobs[job.id]
        if self._keys.get(job.key) is job:
            del self._keys[job.key]
        return job.kept()

    # --- in the workers ---

    def _serve(self) -> None:
        while True:
            with self._condition:
                job = self._next()
                while job is None:
                    if self._closed:
                        return
                    # While results are kept somebody has to wake up and let them go.
                    self._condition.wait(self._keep_seconds / 2 if self._jobs else None)
                    job = self._next()
                job.state = State.RUNNING
            self._announce()
            self._run(job)
            self._announce()

    def _run(self, job: _AnyJob) -> None:
        result: list[Any] = []
        error: Exception | None = None
        try:
            job.checkpoint()
            result = [job.run()]
            state = State.DONE
        except Cancelled:
            state = State.CANCELLED
        except Exception as problem:  # reported to those who wait
            state, error = State.FAILED, problem
            if not isinstance(problem, StepscopeError):
                log.exception("The job %r failed.", job.title)
        with self._condition:
            unwanted: list[Any] = []
            if job.stopping and state is State.DONE:  # cancelled after its last checkpoint
                state, result, unwanted = State.CANCELLED, [], result
            job.finish(state, result, error)
            if self._closed:
                unwanted += self._forget(job)
        _close(unwanted)

    def _announce(self) -> None:
        for changed in list(self._listeners):
            changed()


def _close(results: list[Any]) -> None:
    """Lets go of results that have to be closed, such as a file on disk."""
    for result in results:
        close = getattr(result, "close", None)
        if callable(close):
            try:
                close()
            except Exception:
                log.exception("The result of a job could not be closed.")
