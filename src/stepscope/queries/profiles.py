"""Sessions of profiles, and what is made of them: read and analysed in the background, kept, and given up when nobody waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from stepscope.model.errors import NotThere, StepscopeError
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Attribute, Note, Profile
from stepscope.model.session import ProfileFile, ProfileSession
from stepscope.queries.hyperparameters import hyperparameters
from stepscope.queries.step_times import StepTimes, step_times
from stepscope.store.library import Library, RunRecord
from stepscope.store.profiles import ReadAttributes

LEASE_SECONDS = 4.0
"""Work that nobody has asked for within this time stops before its next file: the page was closed, or the user cancelled."""
RESULTS = 32
"""How many results are kept; the profiles behind them have a memory of their own."""
READERS = 2

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a session is looked at: the text that names it, and what takes that part of the opened session."""

    text: str
    take: Callable[[Opened], Opened]


@dataclass(frozen=True, slots=True)
class SessionOfRun:
    """A session and the run it belongs to; with a choice, only a part of what is recorded."""

    run: RunRecord
    session: ProfileSession
    choice: Choice | None = None

    def only(self, worker: str) -> SessionOfRun:
        """The session with one worker's file alone. Raises NotThere."""
        files = tuple(file for file in self.session.files if file.worker == worker)
        if not files:
            raise NotThere(f"The session {self.session.name} has no worker {worker}; fetch the sessions again.", "unknown_worker")
        return SessionOfRun(self.run, replace(self.session, files=files))

    @property
    def stamp(self) -> Hashable:
        """What changes when any of the files does."""
        return (self.session.id, tuple(file.identity for file in self.session.files), self.choice.text if self.choice else "")


@dataclass(frozen=True, slots=True)
class Opened:
    """The profiles of a session in the order of its files, and the files that could not be read with the reason."""

    files: tuple[ProfileFile, ...]
    profiles: tuple[Profile, ...]
    broken: tuple[tuple[ProfileFile, str], ...]
    read_attributes: ReadAttributes | None = None
    read_programs: Callable[[ProfileFile], tuple[list[HloProgram], list[Note]]] | None = None
    step_times: StepTimes | None = None  # as the run has logged them
    event_files: tuple[str, ...] = ()  # of the run

    def programs(self, place: int) -> list[HloProgram]:
        """Compiled programs of one of the files, as far as they can be read."""
        return self.read_programs(self.files[place])[0] if self.read_programs is not None and self.profiles[place].programs else []

    def hyperparameters(self) -> dict[str, str]:
        """As the run has logged them; empty when it has not."""
        return hyperparameters(self.event_files)


@dataclass(frozen=True, slots=True)
class Reading:
    """How far reading has come; `analysing` when every file has been read."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int
    analysing: bool
    seconds: float


@dataclass(slots=True)
class _Job:
    """Work under way. The fields are written by one thread each; a reader may see them a moment old."""

    wanted: SessionOfRun
    began: float
    asked: float
    done: list[ProfileFile] = field(default_factory=list[ProfileFile])
    analysing: bool = False
    future: Future[Any] = field(default_factory=Future[Any])

    def progress(self) -> Reading:
        """As told to those who wait."""
        files = self.wanted.session.files
        sizes = sum(file.size for file in self.done), sum(file.size for file in files)
        return Reading(len(self.done), len(files), *sizes, self.analysing, time.monotonic() - self.began)


class _AbandonedError(Exception):
    """Nobody waits any more."""


class ProfileReader:
    """Everything that can be asked of the profiles of one library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._jobs: dict[Hashable, _Job] = {}
        self._pool: ThreadPoolExecutor | None = None

    def sessions(self) -> list[SessionOfRun]:
        """Every session, newest first; one that records only memory has the files of that."""
        runs = self._library.snapshot.runs
        found = [
            _with_steps(run, session) if session.has_steps else SessionOfRun(run, session) for run in runs for session in run.profiles
        ]
        return sorted(found, key=lambda one: (-one.session.time, one.run.name, one.session.name))

    def find(self, session_id: str) -> SessionOfRun:
        """The files of the session of that id that record time. Raises NotThere."""
        found = self.find_all(session_id)
        if not found.session.has_steps:
            raise NotThere(f"The session {found.session.name} has memory data but no times; open its memory view.", "no_steps")
        return _with_steps(found.run, found.session)

    def find_all(self, session_id: str) -> SessionOfRun:
        """The session of that id with all its files. Raises NotThere."""
        for run in self._library.snapshot.runs:
            for session in run.profiles:
                if session.id == session_id:
                    return SessionOfRun(run, session)
        raise NotThere("No profile has this id; fetch the sessions again.", "unknown_session")

    def ask(self, what: str, wanted: SessionOfRun, make: Callable[[Opened], Result], wait: float) -> Result | Reading:
        """What `make` makes of the session, or how far it has come after waiting; asking again goes on waiting.

        `what` names the result, so that it is made once. Raises what reading or making raised.
        """
        key = (what, wanted.stamp, self._library.profiles.kinds_stamp)
        with self._lock:
            job = self._jobs.pop(key, None)
            if job is None or _abandoned(job):
                now = time.monotonic()
                job = _Job(wanted, now, now)
                self._pool = self._pool or ThreadPoolExecutor(READERS, thread_name_prefix="stepscope-profile")
                job.future = self._pool.submit(self._work, job, make)
            self._jobs[key] = job  # the last one is the one used last
            job.asked = time.monotonic()
            for old in [key for key, one in self._jobs.items() if one.future.done()][: max(0, len(self._jobs) - RESULTS)]:
                del self._jobs[old]
        try:
            return job.future.result(wait)
        except (NotYet, _AbandonedError):
            return job.progress()

    def span(self, wanted: SessionOfRun, row: int, wait: float) -> tuple[Profile, dict[str, Attribute]] | Reading:
        """The profile of the session's first file with the attributes of one of its spans, or how far reading has come.

        Only that the file has been read is kept as a result: whoever looks at many spans pushes no other result out.
        """
        file = wanted.session.files[0]
        found = self.ask("read", wanted, _nothing, wait)
        if isinstance(found, Reading):
            return found
        return self._library.profiles.profile(file), self._library.profiles.attributes(file, row)

    def _work(self, job: _Job, make: Callable[[Opened], Result]) -> Result:
        profiles: list[Profile] = []
        broken: list[tuple[ProfileFile, str]] = []
        problem: StepscopeError | None = None
        for file in job.wanted.session.files:
            if time.monotonic() - job.asked > LEASE_SECONDS:
                raise _AbandonedError
            try:
                profiles.append(self._library.profiles.profile(file))
            except StepscopeError as error:
                problem = error
                broken.append((file, error.message))
            job.done.append(file)
        if not profiles and problem is not None:
            raise problem
        job.analysing = True
        bad = {file.path for file, _ in broken}
        read = tuple(file for file in job.wanted.session.files if file.path not in bad)
        times = step_times(self._library, job.wanted.run)
        kept = self._library.profiles
        events = tuple(file.path for file in job.wanted.run.files)
        opened = Opened(read, tuple(profiles), tuple(broken), kept.read_attributes, kept.programs, times, events)
        return make(job.wanted.choice.take(opened) if job.wanted.choice else opened)


def _nothing(_: Opened) -> None:
    return None


def _with_steps(run: RunRecord, session: ProfileSession) -> SessionOfRun:
    """Without memory profiles that lie in the same folder."""
    return SessionOfRun(run, replace(session, files=tuple(file for file in session.files if file.has_steps)))


def _abandoned(job: _Job) -> bool:
    return job.future.done() and isinstance(job.future.exception(), _AbandonedError)
