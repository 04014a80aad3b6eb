"""Sessions of a library and every answer about them: read and analysed once, in the background where somebody waits for a page."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from stepscope.analyses.ranges.text import parse_range
from stepscope.jobs.job import Cancelled, Job
from stepscope.jobs.queue import JobQueue
from stepscope.model.errors import BadInput, NotThere, StepscopeError
from stepscope.model.profile import Note, Profile
from stepscope.model.session import ProfileFile, ProfileSession
from stepscope.queries.run_logs import RunLogs
from stepscope.session import kept_answers
from stepscope.session.kept_answers import KeptAnswers
from stepscope.session.opened import BrokenFile, OpenedSession
from stepscope.session.part import A, AnyPart, Files, Part, W, Wanted
from stepscope.session.several import SeveralPart
from stepscope.store.kept import Kept
from stepscope.store.library import Library, RunRecord
from stepscope.store.profiles import check_unchanged, memory_of
from stepscope.store.user_files import device_file, file_state

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

LEASE_SECONDS = 4.0
"""Work that nobody has asked for within this time stops before its next file: the page was closed, or the user cancelled."""
MOST_MEMORY_FILES = 16
"""Of a session whose files record memory alone."""
MOST_FILES = 1_024
"""Of a session that are analysed together: each takes about 10 ms of analyses and the memory of its spans."""
ANSWERS = 64
"""How many answers are kept in memory."""
SESSION_MEMORY = 2 << 30
"""Bytes of profiles whose analyses are kept."""

FIRST_PIECES = 3
"""Small answers of a session that was slow to open that are kept on disk: the next visit begins with the same."""

_LARGE = 16 << 20
_MOST_AT_ONCE = 4

OnFile = Callable[[ProfileFile], None]
"""Called after each file that was read; what it raises ends the reading."""


@dataclass(frozen=True, slots=True)
class SessionOfRun:
    """A session and the run it belongs to."""

    run: RunRecord
    session: ProfileSession
    sampled: bool = False
    """Whether files that record counters alone are read too."""
    left_out: int = 0
    """How many files beyond the limit are not analysed with the others."""

    def only(self, worker: str) -> SessionOfRun:
        """The session with one worker's file, or one rank of a file that contains several. Raises NotThere."""
        files = tuple(found for file in self.session.files if (found := file.called(worker)) is not None)
        if not files:
            raise NotThere(f"Session {self.session.name} has no worker {worker}; reload the list of sessions.", "unknown_worker")
        return self._with(files)

    def timed(self) -> SessionOfRun:
        """Without memory profiles that lie in the same folder. Raises NotThere when nothing else is there."""
        if not self.session.has_steps:
            raise NotThere(f"Session {self.session.name} records memory, not time; open its Memory part.", "no_steps")
        return self._with(tuple(file for file in self.session.files if file.has_steps))

    def with_memory(self, worker: str) -> SessionOfRun:
        """A worker's file, or all of them if none is named, and the files that record only memory. Raises NotThere."""
        only_memory = tuple(file for file in self.session.files if not file.has_steps)
        if not worker or len(only_memory) == len(self.session.files):
            return self.only(worker) if worker else self
        return self._with((*self.timed().only(worker).session.files, *only_memory[:MOST_MEMORY_FILES]))

    @property
    def usual_worker(self) -> str:
        """The worker to look at when none is named: the first whose file nothing speaks against."""
        files = self.session.files
        return next((file for file in files if file.problem is None), files[0]).worker

    @property
    def stamp(self) -> Hashable:
        """What changes when any of the files does."""
        return (self.session.id, tuple(file.identity for file in self.session.files), self.sampled)

    def bounded(self) -> SessionOfRun:
        """With as many files as are analysed together."""
        more = len(self.session.files) - MOST_FILES
        return self if more <= 0 else replace(self._with(self.session.files[:MOST_FILES]), left_out=more)

    def _with(self, files: tuple[ProfileFile, ...]) -> SessionOfRun:
        return replace(self, session=replace(self.session, files=files))


@dataclass(frozen=True, slots=True)
class Reading:
    """How far reading has come; `analysing` when every file has been read."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int
    analysing: bool
    seconds: float


class SessionReader:
    """Everything that can be asked of the profiles of one library. Safe from any thread."""

    def __init__(
        self,
        library: Library,
        kept: KeptAnswers | None = None,
        logs: Callable[[SessionOfRun], RunLogs] | None = None,
        jobs: JobQueue | None = None,
    ) -> None:
        self._library = library
        self._logs = logs or self._logs_here
        self._kept = kept
        self._jobs = jobs or JobQueue()
        self._opened: Kept[OpenedSession] = Kept(SESSION_MEMORY)
        self._sessions: Kept[AnalysedSession] = Kept(SESSION_MEMORY)
        self._answers: Kept[Any] = Kept(ANSWERS)

    def sessions(self) -> list[SessionOfRun]:
        """Every session, newest first; one that records only memory has the files of that."""
        runs = self._library.snapshot.runs
        found = [SessionOfRun(run, session) for run in runs for session in run.profiles]
        found = [one.timed() if one.session.has_steps else one for one in found]
        return sorted(found, key=lambda one: (-one.session.time, one.run.name, one.session.name))

    def find(self, session_id: str) -> SessionOfRun:
        """The session of that id with all its files. Raises NotThere."""
        for run in self._library.snapshot.runs:
            for session in run.profiles:
                if session.id == session_id:
                    return SessionOfRun(run, session)
        raise NotThere("There is no profile with this id; reload the list of sessions.", "unknown_session")

    def answer(self, part: Part[W, A], found: SessionOfRun, wanted: W, on_file: OnFile | None = None) -> A:
        """What a part says about a session, made now in this thread unless it is kept. Raises what reading or making raised."""
        chosen = _files_of(part, found, wanted)
        if part.passing:
            return self._answer(part, chosen, wanted, on_file)
        key = (part.id, wanted, *self._inputs(part, chosen))
        return self._answers.get(key, lambda: (self._answer(part, chosen, wanted, on_file), 1))

    def ask(self, part: Part[W, A], found: SessionOfRun, wanted: W, wait: float) -> A | Reading:
        """The same, made in the background: the answer, or how far it has come after waiting; asking again goes on waiting."""
        chosen = _files_of(part, found, wanted)
        job = self._jobs.submit(
            ("profile", part.id, wanted, *self._inputs(part, chosen)),
            f"{part.title} of {found.session.name}",
            lambda job: self.answer(part, found, wanted, _counting(job, chosen.session.files)),
            lease=LEASE_SECONDS,
            keep=not part.passing,
        )
        return self._waited(job, chosen.session.files, wait)

    def ask_open(self, part: Part[W, A], found: SessionOfRun, wanted: W, wait: float) -> A | Reading:
        """The same for one of many small answers: made at once when the session is in memory, which is opened for those that follow."""
        chosen = _files_of(part, found, wanted)
        if (session := self._sessions.look(self._key(chosen, wanted))) is not None:
            made = part.make(session, wanted)
            self._keep_first(part, chosen, wanted, session, made)
            return made
        answer = self.ask(part, found, wanted, wait)
        if not isinstance(answer, Reading):  # it was on the disk
            title = f"Opening {found.session.name}"
            self._jobs.submit(
                ("profile open", *self._key(chosen, wanted)), title, lambda _: self._opening(chosen, wanted), lease=LEASE_SECONDS
            )
        return answer

    def _opening(self, chosen: SessionOfRun, wanted: Wanted) -> None:
        with suppress(StepscopeError):  # whoever asks next is told
            _first_pieces(self.analysed(chosen, wanted), 0)  # the first ones are on the disk

    def _keep_first(self, part: Part[W, A], chosen: SessionOfRun, wanted: W, session: AnalysedSession, made: A) -> None:
        """Keeps the first pieces on disk, in the background: whoever waits for them does not wait for that."""
        if self._kept is None or not part.kept or session.read_seconds < kept_answers.WORTH_SECONDS:
            return
        if next(_first_pieces(session), None) is None:
            return
        kept, question, files = self._kept, self._question(part, chosen, wanted), self._depends_on(chosen)

        def keep(_: Job[None]) -> None:
            with suppress(NotThere):
                kept.keep(question, files, made, lambda: _check_all(chosen))

        self._jobs.submit(None, f"Keeping {part.title}", keep, urgent=False, listed=False, keep=False)

    def ask_several(self, part: SeveralPart[W, A], found: Sequence[SessionOfRun], wanted: W, wait: float) -> A | Reading:
        """What a part says about several sessions, made in the background; all of them are read for it."""
        choices = part.choices(wanted, len(found))
        chosen = [_one_with_memory(one) if part.files is Files.MEMORY else one.timed().bounded() for one in found]
        files = list(dict.fromkeys(file for one in chosen for file in one.session.files))
        inputs = [(self._stamp(one), self._logs(one).stamp if part.reads_logs else None) for one in chosen]

        def work(job: Job[Any]) -> A:
            on_file = _counting(job, files)
            sessions: list[AnalysedSession] = []
            problems: list[StepscopeError] = []
            for one, choice in zip(chosen, choices, strict=True):
                try:
                    sessions.append(self.analysed(one, choice, on_file))
                except StepscopeError as error:
                    problems.append(error)
            if problems and not (part.skips_unreadable and sessions):
                raise problems[0]
            return part.make(sessions, wanted)

        title = f"{part.title} of {count_of_sessions(len(found))}"
        return self._waited(self._jobs.submit(("profile", part.id, wanted, *inputs), title, work, lease=LEASE_SECONDS), files, wait)

    def analysed(self, found: SessionOfRun, wanted: Wanted, on_file: OnFile | None = None) -> AnalysedSession:
        """The session with the steps and the range that are wanted; what was made of it before is still there.

        Raises BadInput for what is no range before anything is read.
        """
        if wanted.range:
            parse_range(wanted.range)
        found = found.bounded()

        def make() -> tuple[AnalysedSession, int]:
            from stepscope.session.analysed import AnalysedSession  # the analyses, which an answer from the disk does not need

            opened = self._open(found, on_file)
            return AnalysedSession(opened, wanted.steps, wanted.range), sum(map(memory_of, opened.profiles))

        return self._sessions.get(self._key(found, wanted), make)

    def _key(self, found: SessionOfRun, wanted: Wanted) -> tuple[Hashable, ...]:
        return (*self._stamp(found), wanted.steps, wanted.range)

    def _waited(self, job: Job[A], files: Sequence[ProfileFile], wait: float) -> A | Reading:
        if not job.wait(wait):
            return _reading(job, files)
        try:
            return job.result()
        except Cancelled:  # nobody had asked for a while; asking again starts anew
            return _reading(job, files)

    def _answer(self, part: Part[W, A], chosen: SessionOfRun, wanted: W, on_file: OnFile | None) -> A:
        def make() -> A:
            session = self.analysed(chosen, wanted, on_file)
            return msgspec.structs.replace(part.make(session, wanted), range=session.range_text)

        if self._kept is None or not part.kept:
            return make()
        return self._kept.answer(self._question(part, chosen, wanted), self._depends_on(chosen), part.answer, make)

    def _question(self, part: AnyPart, chosen: SessionOfRun, wanted: Wanted) -> str:
        """What an answer on the disk is the answer to, but for the files."""
        return repr((part.id, msgspec.json.encode(wanted), self._library.profiles.kinds_stamp, self._logged(part, chosen)))

    @staticmethod
    def _depends_on(chosen: SessionOfRun) -> list[str]:
        return [*(file.path for file in chosen.session.files), device_file()]

    def _open(self, found: SessionOfRun, on_file: OnFile | None) -> OpenedSession:
        def make() -> tuple[OpenedSession, int]:
            began = time.perf_counter()
            opened = self._read(found, on_file or _nothing)
            opened = replace(opened, seconds=time.perf_counter() - began)
            return opened, sum(map(memory_of, opened.profiles))

        return self._opened.get(self._stamp(found), make)

    def _read(self, found: SessionOfRun, on_file: OnFile) -> OpenedSession:
        """Reads the files, several at a time where they are small. Files that cannot be read are named; if none can, raises why."""

        stopped = threading.Event()

        def read_one(file: ProfileFile) -> list[tuple[ProfileFile, Profile]] | StepscopeError:
            if stopped.is_set():  # another thread's file ended the reading, whose error is the one that is raised
                return NotThere("Reading was stopped.", "stopped")
            try:
                found = self._library.profiles.each_rank(file)
            except StepscopeError as error:
                found = error
            try:
                on_file(file)
            except BaseException:
                stopped.set()
                raise
            return found

        files = found.session.files
        with ThreadPoolExecutor(_at_once(files)) as threads:
            results = list(zip(files, threads.map(read_one, files), strict=True))
        problems = [(file, one) for file, one in results if isinstance(one, StepscopeError)]
        profiles = [pair for _, one in results if not isinstance(one, StepscopeError) for pair in one]
        if not profiles:
            raise problems[0][1]
        profiles = _noting(sorted(_with_times(profiles, found), key=lambda pair: pair[1].rank), found.left_out)
        kept = self._library.profiles
        return OpenedSession(
            id=found.session.id,
            name=found.session.name,
            time=found.session.time,
            files=tuple(file for file, _ in profiles),
            profiles=tuple(profile for _, profile in profiles),
            broken=tuple(BrokenFile(file.worker, error.message) for file, error in problems),
            attributes=kept.read_attributes,
            check=check_unchanged,
            read_programs=kept.programs,
            read_plans=kept.plans,
            logs=lambda: self._logs(found),
            stamp=self._stamp(found),
        )

    def _logs_here(self, found: SessionOfRun) -> RunLogs:
        return RunLogs(self._library, found.run, found.session.id)

    def _inputs(self, part: AnyPart, chosen: SessionOfRun) -> tuple[Hashable, ...]:
        return (*self._stamp(chosen), self._logged(part, chosen))

    def _stamp(self, found: SessionOfRun) -> tuple[Hashable, ...]:
        """Every input of an analysis but its choices: the files, and the tables that users edit."""
        return (found.stamp, self._library.profiles.kinds_stamp, file_state(device_file()))

    def _logged(self, part: AnyPart, chosen: SessionOfRun) -> Hashable:
        return self._logs(chosen).stamp if part.reads_logs else None


def _first_pieces(session: AnalysedSession, count: int = FIRST_PIECES) -> Iterator[int]:
    """One for each piece that is still to be kept; the count is what it was when first asked."""
    return session.once("first pieces", lambda: iter(range(count)))


def _check_all(chosen: SessionOfRun) -> None:
    for file in chosen.session.files:
        check_unchanged(file)


def _one_with_memory(found: SessionOfRun) -> SessionOfRun:
    """One worker of a session, and its files that record memory alone."""
    return found.with_memory(found.timed().usual_worker if found.session.has_steps else "")


def count_of_sessions(count: int) -> str:
    """`2 profiles`."""
    return f"{count} profile{'' if count == 1 else 's'}"


def _counting(job: Job[Any], files: Sequence[ProfileFile]) -> OnFile:
    """Reports each file that was read, and stops when nobody waits any more."""
    done = read = 0
    several = threading.Lock()  # files are read in several threads

    def on_file(file: ProfileFile) -> None:
        nonlocal done, read
        with several:
            done, read = done + 1, read + file.size
            job.report(done, len(files), "files", detail=read)

    return on_file


def _reading(job: Job[Any], files: Sequence[ProfileFile]) -> Reading:
    done, read = job.progress.done, job.progress.detail
    total = sum(file.size for file in files)
    return Reading(done, len(files), read if isinstance(read, int) else 0, total, done == len(files), time.time() - job.created)


def _files_of(part: AnyPart, found: SessionOfRun, wanted: Wanted) -> SessionOfRun:
    """The files that a part reads for what is wanted. Raises NotThere."""
    if part.files is Files.MEMORY:
        return found.with_memory(wanted.worker).bounded()
    timed = replace(found.timed(), sampled=part.files is Files.SAMPLED)
    worker = wanted.worker or (timed.usual_worker if part.files is Files.ONE else "")
    return (timed.only(worker) if worker else timed).bounded()


def _noting(profiles: list[tuple[ProfileFile, Profile]], left_out: int) -> list[tuple[ProfileFile, Profile]]:
    """The first profile says how many files of the session are left out."""
    if not left_out:
        return profiles
    text = (
        f"The session has {MOST_FILES + left_out:,} files; only the first {MOST_FILES:,} are analysed together."
        " Open the others one by one."
    )
    (file, first), *others = profiles
    return [(file, replace(first, notes=[*first.notes, Note("warning", "too_many_files", text)])), *others]


def _with_times(profiles: list[tuple[ProfileFile, Profile]], found: SessionOfRun) -> list[tuple[ProfileFile, Profile]]:
    """Without recordings of time in which nothing is left. Raises BadInput when that is all there is."""
    usable = [
        (file, one) for file, one in profiles if len(one.spans) or not file.has_steps or (found.sampled and len(one.counters.time))
    ]
    if usable:
        return usable
    if any(profile.cut_short for _, profile in profiles):
        raise BadInput(f"{found.session.name} is truncated and contains no timed events; copy it again or capture again.", "cut_short")
    raise BadInput(f"{found.session.name} records no time of operations or kernels; open a profile of a training step.", "no_spans")


def _at_once(files: Sequence[ProfileFile]) -> int:
    """How many files are read at a time. A large one is read alone: memory is bounded by it, and its format uses all cores anyway."""
    small = all(file.size <= _LARGE for file in files)
    return max(1, min(len(files), os.cpu_count() or 1, _MOST_AT_ONCE)) if small else 1


def _nothing(_: ProfileFile) -> None:
    return None
