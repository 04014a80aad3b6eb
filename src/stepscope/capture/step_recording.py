"""One stretch of recorded steps: starts a profiler, stops it, and has a thread save what it wrote."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager

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
        self._logdir = logdir
        self._name = name
        self._started = 0.0
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

    def step(self, number: int) -> AbstractContextManager[object]:
        """Marks a step."""
        return self._profiler.step(number)

    def stop(self, warnings: Iterable[str] = (), *, keep: bool = True) -> None:
        """Ends, and saves in a thread; `wait` waits for it. Raises what the framework raises."""
        scratch = tempfile.mkdtemp(prefix="stepscope-profile-")
        try:
            files = self._profiler.stop(scratch)
            self.bytes = sum(os.path.getsize(file.path) for file in files)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        finally:
            running.release(self._profiler)
        if not keep:
            shutil.rmtree(scratch, ignore_errors=True)
            return
        saver = threading.Thread(target=self._save, args=(scratch, files, tuple(warnings)), name="stepscope-profile")
        try:
            saver.start()
            self._saver = saver
        except RuntimeError:  # At the end of the process there is no thread to be had.
            self._save(scratch, files, tuple(warnings))

    def wait(self) -> None:
        """Returns when the files are in the session's folder, or cannot be."""
        if self._saver is not None:
            self._saver.join()

    def _save(self, scratch: str, files: list[Recorded], warnings: tuple[str, ...]) -> None:
        try:
            self.folder = save(self._logdir, self._started, self._name, files, warnings)
            shutil.rmtree(scratch, ignore_errors=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            self.problem = f"Could not save the profile in {self._logdir}: {reason}. It is kept in {scratch}."
            _log.warning("%s", self.problem)
