"""One stretch of recorded steps: starts a profiler, stops it, and has a thread save what it wrote."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable

from stepscope.capture import running
from stepscope.capture.profilers.choice import Framework, make_profiler
from stepscope.capture.profilers.profiler import Options, Recorded
from stepscope.capture.session_folder import save

_log = logging.getLogger("stepscope.capture")


class Recording:
    """Records from `start` to `stop`. While it does, no other capture can begin in this process."""

    def __init__(self, framework: Framework, options: Options, logdir: str, name: str) -> None:
        """Touches nothing yet."""
        self._profiler = make_profiler(framework, options)
        self.step = self._profiler.step
        self.size: Callable[[], int] | None = getattr(self._profiler, "size", None)
        """Bytes of what is recorded so far, where the profiler can tell."""
        self._logdir = logdir
        self._name = name
        self._started = 0.0
        self._scratch = ""
        self._files: list[Recorded] = []
        self._saver: threading.Thread | None = None
        self.folder: str | None = None
        """The session's folder, once it is saved."""
        self.problem: str | None = None
        """Why nothing was saved."""
        self.bytes = 0
        """What the profiler has written, before compression."""

    def start(self) -> None:
        """Raises RuntimeError while another capture records, and what the framework raises."""
        running.claim(self._profiler, self._logdir)
        self._started = time.time()
        try:
            self._profiler.start()
        except BaseException:
            running.release(self._profiler)
            raise

    def stop(self) -> None:
        """Ends; what was recorded is to be kept or discarded. Raises what the framework raises."""
        self._scratch = tempfile.mkdtemp(prefix="stepscope-profile-")
        try:
            self._files = self._profiler.stop(self._scratch)
            self.bytes = sum(os.path.getsize(file.path) for file in self._files)
        except BaseException:
            self.discard()
            raise
        finally:
            running.release(self._profiler)

    def discard(self) -> None:
        """Forgets what was recorded."""
        shutil.rmtree(self._scratch, ignore_errors=True)

    def keep(self, warnings: Iterable[str] = ()) -> None:
        """Saves what was recorded, in a thread; `wait` waits for it."""
        saver = threading.Thread(target=self._save, args=(tuple(warnings),), name="stepscope-profile")
        try:
            saver.start()
            self._saver = saver
        except RuntimeError:  # At the end of the process there is no thread to be had.
            self._save(tuple(warnings))

    def wait(self) -> None:
        """Returns when the files are in the session's folder, or cannot be."""
        if self._saver is not None:
            self._saver.join()

    def _save(self, warnings: tuple[str, ...]) -> None:
        try:
            self.folder = save(self._logdir, self._started, self._name, self._files, warnings)
            self.discard()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            self.problem = f"Could not save the profile in {self._logdir}: {reason}. It is kept in {self._scratch}."
            _log.warning("%s", self.problem)
