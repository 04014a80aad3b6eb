"""Runs reductions in a process of their own, one at a time, which can be ended at any moment."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from stepscope.embeddings.reducing_messages import Method, Said, Task
from stepscope.model.errors import BadInput, NeedsExtra
from stepscope.model.process_messages import receive, send

COMMAND = (sys.executable, "-m", "stepscope.embeddings.reducing_process")
_LIBRARIES: dict[Method, tuple[str, str]] = {"tsne": ("openTSNE", "t-SNE"), "umap": ("umap", "UMAP")}
_LOOK_SECONDS = 0.2

Told = Callable[[Said, "NDArray[np.float32] | None"], None]


def missing(method: Method) -> str | None:
    """Why a method cannot be used, as a sentence that says what to install; None when it can."""
    module, name = _LIBRARIES[method]
    if importlib.util.find_spec(module) is not None:
        return None
    return f'{name} needs optional packages: run pip install "stepscope[projector]" and restart.'


class Reducer:
    """Keeps the process for the next task. Safe from any thread: tasks wait for one another."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def reduce(
        self,
        task: Task,
        values: NDArray[np.float32],
        labels: NDArray[np.int32] | None,
        start: NDArray[np.float32] | None,
        tell: Told,
        check: Callable[[], None],
    ) -> NDArray[np.float32]:
        """The positions of a task. `tell` hears of progress; `check` is called often, and when either raises the work is ended.

        Raises NeedsExtra, or BadInput when the library refuses.
        """
        if (reason := missing(task.method)) is not None:
            raise NeedsExtra(reason, "needs_extra")
        while not self._turn.acquire(timeout=_LOOK_SECONDS):
            tell(Said("running", words="Waiting for another reduction"), None)
        try:
            parts = [values, *(array for array in (labels, start) if array is not None)]
            return self._ask(task, b"".join(part.tobytes() for part in parts), tell, check)
        except BaseException:
            self._end()  # it may be in the middle of anything
            raise
        finally:
            self._turn.release()

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def _ask(self, task: Task, numbers: bytes, tell: Told, check: Callable[[], None]) -> NDArray[np.float32]:
        process = self._started()
        into, out = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        heard: queue.SimpleQueue[tuple[Said, bytes] | None] = queue.SimpleQueue()

        def listen() -> None:
            with contextlib.suppress(OSError, ValueError):
                while (received := receive(out, Said)) is not None:
                    said = received[0]
                    heard.put((said, received[1]))
                    if said.state != "running":
                        return
            heard.put(None)

        threading.Thread(target=listen, name="stepscope-reducer", daemon=True).start()
        with contextlib.suppress(BrokenPipeError):
            send(into, task, numbers)
        while True:
            check()
            try:
                received = heard.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if received is None:
                raise BadInput("The reduction ended unexpectedly, perhaps out of memory; try fewer points.", "reduction_failed")
            said, data = received
            if said.state == "failed":
                raise BadInput(f"The reduction failed: {said.words}", "reduction_failed")
            positions = np.frombuffer(data, np.float32).reshape(task.points, task.components) if data else None
            if said.state == "done" and positions is not None:
                return positions
            tell(said, positions)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            # Threads that wait for one another by spinning take the processor from the server and from themselves.
            waiting = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            self._process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=nowhere, env=waiting, start_new_session=True)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
