"""Steps that took much longer than usual, kept as a small trace that opens like any profile."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import deque

from stepscope.capture import ranks
from stepscope.capture.session_folder import session_folder

MOST_KEPT = 1_000
"""Slow steps of one loop that are kept; further ones are in the series alone."""
_WINDOW = 101
_ASK_EVERY = 32
"""Sorting the window takes as long as everything else of a step."""
_LEAST = 16
_NAME = "slow_steps"
WAIT = "enumerate(DataLoader)#stepscope.steps.__next__"
"""Named as PyTorch's profiler names the wait for a batch."""
_END = b"\n]}"
_log = logging.getLogger("stepscope.capture")


class SlowSteps:
    """Knows the usual time of a step, and writes those that take `factor` times as long, each with its phases."""

    def __init__(self, log_dir: str, factor: float) -> None:
        """Touches nothing before there is a slow step."""
        self._log_dir = log_dir
        self._factor = factor
        self._recent: deque[float] = deque(maxlen=_WINDOW)
        self._seen = 0
        self._limit = float("inf")
        self._kept = 0
        self._wall_ns, self._zero_ns = time.time_ns(), time.perf_counter_ns()
        self._started = time.time()
        self._waiting: deque[list[dict[str, object]]] = deque()
        self._writer: threading.Thread | None = None
        self._path = ""
        self._guard = threading.Lock()

    def is_slow(self, seconds: float) -> bool:
        """Whether a step is; the first 16 of a loop are not judged."""
        slow = seconds > self._limit
        self._recent.append(seconds)
        self._seen += 1
        if self._seen % _ASK_EVERY == 0 or self._seen == _LEAST:
            self._limit = self._factor * sorted(self._recent)[len(self._recent) // 2]
        return slow

    def keep(self, step: int, times: tuple[int, int, int], rows: list[tuple[str, int, int]]) -> None:
        """Has a thread write the step: when it began, had its batch and ended, and its phases, by time.perf_counter_ns."""
        began, ready, ended = times
        if self._kept >= MOST_KEPT:
            return
        self._kept += 1
        place = {"pid": os.getpid(), "tid": threading.get_native_id()}
        spans = [(f"ProfilerStep#{step}", began, ended), (WAIT, began, ready), *rows]
        self._waiting.append(
            [
                {
                    "ph": "X",
                    "cat": "user_annotation",
                    "name": name,
                    "ts": (start - self._zero_ns) / 1e3,
                    "dur": (end - start) / 1e3,
                    **place,
                }
                for name, start, end in spans
            ]
        )
        if self._writer is None or not self._writer.is_alive():
            self._writer = threading.Thread(target=self._write_all, name="stepscope-slow-steps", daemon=True)
            self._writer.start()

    def flush(self) -> None:
        """Returns when what was kept is in the file."""
        if self._writer is not None:
            self._writer.join()
        self._write_all()

    def _write_all(self) -> None:
        with self._guard:
            while self._waiting:
                try:
                    self._append(self._waiting.popleft())
                except OSError as error:
                    self._kept = MOST_KEPT
                    self._waiting.clear()
                    _log.warning("Slow steps are no longer kept: %s", error)

    def _append(self, events: list[dict[str, object]]) -> None:
        """The file is whole after every step: what closes it is written over."""
        text = ",\n".join(json.dumps(event) for event in events).encode()
        if not self._path:
            folder = session_folder(os.path.join(self._log_dir, "plugins", "profile"), self._started, _NAME)
            self._path = os.path.join(folder, f"{ranks.worker_name()}.trace.json")
            with open(self._path, "wb") as file:
                file.write(self._head() + text + _END)
            return
        with open(self._path, "r+b") as file:
            file.seek(-len(_END), os.SEEK_END)
            file.write(b",\n" + text + _END)

    def _head(self) -> bytes:
        facts: dict[str, object] = {"schemaVersion": 1, "baseTimeNanoseconds": self._wall_ns, "program": "stepscope.steps"}
        if ranks.world_size() > 1:
            facts["distributedInfo"] = {"rank": ranks.rank(), "world_size": ranks.world_size()}
        return json.dumps(facts).removesuffix("}").encode() + b', "traceEvents": [\n'
