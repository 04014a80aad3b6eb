"""Samples of worker processes, such as those of a DataLoader, in the profile of the process that started them.

A worker that is forked while a capture is open samples itself by a thread, which sleeps while nothing records. A worker that is
spawned begins with `stepscope.sample_worker`. They meet in a folder: the file `record` names the recording that runs, and each worker
leaves its samples there when it ends. All processes of a machine share the clock of time.perf_counter_ns.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing import util
from typing import Any

from stepscope.capture.profilers.added_tracks import AddedSpan, AddedTrack, with_tracks
from stepscope.capture.profilers.profiler import Addition, Profiler
from stepscope.capture.profilers.python_samples import sampled_tracks
from stepscope.capture.profilers.python_trace import Clock
from stepscope.capture.profilers.sampler import Sampler
from stepscope.capture.profilers.wrapped import Wrapped

VARIABLE = "STEPSCOPE_WORKERS"
_LOOK_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 2.0
_MOST_BYTES = 1 << 28
_RECORD, _BEGUN, _WRITTEN = "record", ".begun", ".json"
_log = logging.getLogger("stepscope.capture")


class Meeting:
    """The folder in which the workers of this process leave their samples; it is there as long as a capture is open."""

    def __init__(self) -> None:
        """Workers that start from here on are sampled."""
        self.folder = tempfile.mkdtemp(prefix="stepscope-workers-")
        os.environ[VARIABLE] = self.folder
        # Runs in children that multiprocessing forks, and in no other; it is forgotten with this object.
        util.register_after_fork(self, lambda meeting: _Worker(meeting.folder).start())  # pyright: ignore[reportUnknownMemberType]

    def close(self) -> None:
        """Workers stop to look for recordings."""
        if os.environ.get(VARIABLE) == self.folder:
            del os.environ[VARIABLE]
        shutil.rmtree(self.folder, ignore_errors=True)


_meeting: Meeting | None = None
_open = 0


def open_meeting() -> None:
    """Has workers that start from here on sampled while something records; to be closed as often."""
    global _meeting, _open
    _open += 1
    if _meeting is None:
        _meeting = Meeting()


def close_meeting() -> None:
    """Ends it with the last capture that is open."""
    global _meeting, _open
    _open -= 1
    if _open == 0 and _meeting is not None:
        _meeting.close()
        _meeting = None


def sample_worker(worker: int = 0) -> None:
    """Begins to sample this worker process for the profile of the process that spawned it: DataLoader(worker_init_fn=…)."""
    del worker
    folder = os.environ.get(VARIABLE, "")
    if folder and not any(thread.name == _Worker.NAME for thread in threading.enumerate()):
        _Worker(folder).start()


class WithWorkers(Wrapped):
    """A profiler whose files have the Python functions of worker processes."""

    def __init__(self, profiler: Profiler) -> None:
        """Starts nothing yet."""
        super().__init__(profiler)
        self._clock = Clock(0, 0)
        self._record = self._token = ""

    def begin(self) -> None:
        """Workers see the file within 50 ms."""
        self._clock = Clock.now()
        if _meeting is None:
            return
        self._token = str(self._clock.zero_ns)
        self._record = os.path.join(_meeting.folder, _RECORD)
        with open(self._record, "w", encoding="utf-8") as file:
            file.write(self._token)

    def end(self) -> Addition | None:
        """Workers see that the file is gone, and write what they have; who saves the profile waits for them."""
        if not self._record:
            return None
        with contextlib.suppress(OSError):
            os.unlink(self._record)
        folder, token, clock = os.path.dirname(self._record), self._token, self._clock
        self._record = ""

        def tracks() -> list[AddedTrack]:
            _wait_for_workers(folder, token)
            return [track for path in _written(folder, token) for track in _read(path)]

        return lambda file: with_tracks(file, tracks(), clock)


class _Worker(threading.Thread):
    """Looks for recordings and samples its process while there is one."""

    NAME = "stepscope-worker-sampler"

    def __init__(self, folder: str) -> None:
        super().__init__(name=self.NAME, daemon=True)
        self._folder = folder
        self._sampler: Sampler | None = None
        self._token = ""
        self._guard = threading.Lock()
        util.Finalize(self, self._write, exitpriority=10)  # A worker that ends while it is recorded leaves what it has.

    def run(self) -> None:
        while os.path.isdir(self._folder):
            token = self._wanted()
            if token != self._token:
                self._write()
                if token:
                    self._begin(token)
            time.sleep(_LOOK_SECONDS)

    def _wanted(self) -> str:
        try:
            with open(os.path.join(self._folder, _RECORD), encoding="utf-8") as file:
                return file.read(32)
        except OSError:
            return ""

    def _begin(self, token: str) -> None:
        with contextlib.suppress(OSError):
            open(self._path(token, _BEGUN), "w").close()
        self._token, self._sampler = token, Sampler()
        self._sampler.start()

    def _write(self) -> None:
        with self._guard:
            sampler, token, self._sampler, self._token = self._sampler, self._token, None, ""
            if sampler is None:
                return
            sampler.stop()
            found = [(track.name, track.thread, track.spans) for track in sampled_tracks(sampler, f"worker {os.getpid()}: ")]
            part = self._path(token, ".part")
            try:
                with open(part, "w", encoding="utf-8") as file:
                    json.dump(found, file)
                os.replace(part, self._path(token, _WRITTEN))
            except OSError as error:
                _log.warning("A worker could not leave its samples: %s", error)

    def _path(self, token: str, ending: str) -> str:
        return os.path.join(self._folder, f"{token}.{os.getpid()}{ending}")


def _wait_for_workers(folder: str, token: str) -> None:
    """Until those that began and still live have written."""
    until = time.monotonic() + _LONGEST_WAIT_SECONDS
    while time.monotonic() < until:
        try:
            names = set(os.listdir(folder))
        except OSError:
            return
        begun = {name.removesuffix(_BEGUN) for name in names if name.startswith(f"{token}.") and name.endswith(_BEGUN)}
        if not any(f"{name}{_WRITTEN}" not in names and _is_alive(name.rpartition(".")[2]) for name in begun):
            return
        time.sleep(0.01)


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except OSError:
        return False
    return True


def _written(folder: str, token: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.startswith(f"{token}.") and name.endswith(_WRITTEN)]


def _read(path: str) -> Iterator[AddedTrack]:
    if os.path.getsize(path) > _MOST_BYTES:
        _log.warning("The samples of a worker are left out: they have more than %d MiB.", _MOST_BYTES >> 20)
        return
    with open(path, encoding="utf-8") as file:
        found: list[tuple[str, int, list[list[Any]]]] = json.load(file)
    for name, thread, spans in found:
        yield AddedTrack("samples", name, thread, thread, [AddedSpan(*span) for span in spans])
