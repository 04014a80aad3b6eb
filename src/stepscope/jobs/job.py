"""One piece of long work: its state, how far it is, its result, and how it is told to stop."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from stepscope.model.errors import StepscopeError

Result = TypeVar("Result")


class State(StrEnum):
    """Where a job is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """By its owner, or because its lease ran out: nobody asked for it any more."""


FINISHED = frozenset({State.DONE, State.FAILED, State.CANCELLED})


class Cancelled(StepscopeError):
    """The job was cancelled. Work must let it pass."""

    status = 409


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is, as last reported."""

    done: int = 0
    total: int | None = None
    """None when it is not known."""
    unit: str = ""
    """What is counted, in the plural: rows, files, bytes."""
    words: str = ""
    """What is being done now."""
    detail: object = None
    """What the feature's own route needs beside this; never shown in the list of jobs."""


class Job(Generic[Result]):
    """Made by a JobQueue, which alone changes its state.

    `work` gets the job and calls `checkpoint` or `report` often: that is where a cancelled job stops.
    """

    def __init__(
        self,
        title: str,
        work: Callable[[Job[Result]], Result],
        owner: str,
        *,
        key: Hashable,
        lease: float | None,
        urgent: bool,
        listed: bool,
        keep: bool,
        result_at: str,
        condition: threading.Condition,
        changed: Callable[[], None],
    ) -> None:
        self.id = secrets.token_hex(8)
        self.title = title
        self.key = key
        self.owners = {owner}
        self.lease = lease
        self.urgent = urgent
        self.listed = listed
        self.keep = keep
        self.result_at = result_at.format(id=self.id)
        self.created = time.time()
        self.finished: float | None = None
        self.state = State.QUEUED
        self.progress = Progress()
        self._work: Callable[[Job[Result]], Result] | None = work
        self._condition = condition
        self._changed = changed
        self._asked = time.monotonic()
        self._waiting = 0
        self._watchers: list[Callable[[], None]] = []
        self._stopping = False
        self._result: list[Result] = []
        self._error: Exception | None = None
        self._told = False

    def checkpoint(self) -> None:
        """Called by the work between two steps. Raises Cancelled when it should stop."""
        with self._condition:
            if self._stopping or self.lapsed:
                self._stopping = True  # from now on a new asker gets a new job
                raise _cancelled()

    def report(self, done: int, total: int | None = None, unit: str = "", words: str = "", detail: object = None) -> None:
        """Says how far the work is. Raises Cancelled when it should stop."""
        self.checkpoint()
        self.progress = Progress(done, total, unit, words, detail)
        self._changed()

    def wait(self, seconds: float) -> bool:
        """Waits until the job has finished, at most that long, and says whether it has. Renews the lease."""
        with self._condition:
            self._waiting += 1
            try:
                self._condition.wait_for(lambda: self.state in FINISHED, max(0.0, seconds))
            finally:
                self._waiting -= 1
                self._asked = time.monotonic()
            return self.state in FINISHED

    def watch(self, finished: Callable[[], None]) -> Callable[[], None]:
        """Waits without a thread: calls `finished` when the job has, and renews the lease until the returned function is called."""
        with self._condition:
            self._waiting += 1
            self._watchers.append(finished)
            if self.state in FINISHED:
                finished()

        def leave() -> None:
            with self._condition:
                self._waiting -= 1
                self._watchers.remove(finished)
                self._asked = time.monotonic()

        return leave

    def result(self) -> Result:
        """The result of a job that is done. Raises what the work raised, or Cancelled; a job still at work raises RuntimeError."""
        with self._condition:
            self._told = self.state in FINISHED
            if self.state is State.DONE:
                return self._result[0]
            if self.state is State.CANCELLED:
                raise _cancelled()
            if self._error is None:
                raise RuntimeError(f"{self.title} is {self.state}")
            raise self._error

    @property
    def over(self) -> bool:
        """Whether the job has finished, one way or another."""
        return self.state in FINISHED

    @property
    def error(self) -> Exception | None:
        """What a failed job raised."""
        return self._error

    def joinable(self, error_seconds: float) -> bool:
        """Whether another asker for the same key shares this job."""
        if self.passing:
            return not self.forgotten(error_seconds)
        return self.state is not State.CANCELLED and not self._stopping

    @property
    def passing(self) -> bool:
        """Whether what came of it is told once and not kept: an error, or a result that is one of very many."""
        return self.state is State.FAILED or (self.state is State.DONE and not self.keep)

    def forgotten(self, seconds: float) -> bool:
        """Whether what passes has been told, or is that old."""
        return self.passing and not self._waiting and (self._told or self.idle_for > seconds)

    @property
    def stopping(self) -> bool:
        """Whether the work has been told to stop."""
        return self._stopping

    @property
    def lapsed(self) -> bool:
        """Whether the lease ran out: nobody is waiting, and nobody has asked within the lease's time."""
        return self.lease is not None and not self._waiting and self.idle_for > self.lease

    @property
    def idle_for(self) -> float:
        """Seconds since somebody last asked."""
        return 0.0 if self._waiting else time.monotonic() - self._asked

    # --- for the queue alone, which holds the lock ---

    def ask(self) -> None:
        """Renews the lease."""
        self._asked = time.monotonic()

    def stop(self) -> None:
        """Makes the next checkpoint raise."""
        self._stopping = True

    def run(self) -> Result:
        """Does the work; not under the lock."""
        work, self._work = self._work, None  # what the work refers to is not kept as long as the job
        if work is None:
            raise RuntimeError(f"{self.title} has run already")
        return work(self)

    def finish(self, state: State, result: list[Result], error: Exception | None = None) -> None:
        """Ends the job and wakes those who wait for it."""
        self.state, self._result, self._error = state, result, error
        self._work = None
        self.finished = time.time()
        self._told = self._waiting > 0
        self._asked = time.monotonic()
        self._condition.notify_all()
        for finished in self._watchers:
            finished()

    def kept(self) -> list[Result]:
        """The result, when there is one."""
        return self._result


def _cancelled() -> Cancelled:
    return Cancelled("This job was cancelled; start it again if you still need it.", "cancelled")
