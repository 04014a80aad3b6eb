"""SystemMonitor: a thread that logs how the machine is used, each time with the step that training has reached."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, SupportsFloat, SupportsInt

from stepscope.capture.probe import SHORTEST_SECONDS, Probe
from stepscope.capture.system_probes import Probes, all_probes
from stepscope.writer import SummaryWriter

_LONGEST_CLOSE_SECONDS = 2.0

_log = logging.getLogger("stepscope.capture")
_open: weakref.WeakSet[SystemMonitor] = weakref.WeakSet()

StepSource = Callable[[], SupportsInt]
EpochSource = Callable[[], SupportsFloat]


class SystemMonitor:
    """Logs the use of processors, memory, disks, network and GPUs under `system/`, from now on until it is closed.

    It takes nothing of the training thread's time, and never raises into training: a source that fails is left out, with
    one warning. It is closed with the writer. A forked child does not go on with it.
    """

    def __init__(
        self,
        writer: SummaryWriter | str | os.PathLike[str],
        every: float = 5.0,
        *,
        step: StepSource | None = None,
        epoch: EpochSource | None = None,
        probes: Callable[[], Sequence[Probe]] | None = None,
    ) -> None:
        """Starts logging to the writer, or to a file of its own in the folder that is given instead, every so many seconds.

        A sample's step is what `step` returns; without it, the highest step that the writer has been given, or, for a
        folder, the sample's number. What `epoch` returns is logged along as `system/epoch`.
        `probes` makes the sources, by default all of stepscope.capture.
        """
        if not every >= SHORTEST_SECONDS:
            raise ValueError(f"Give every as a number of seconds, at least {SHORTEST_SECONDS}; {every} is none.")
        _check_target(writer)
        self._own_writer = not isinstance(writer, SummaryWriter)
        self._writer = writer if isinstance(writer, SummaryWriter) else SummaryWriter(writer)
        self._every = float(every)
        self._step = step
        self._epoch = epoch
        self._make_probes = probes or (lambda: all_probes(self._writer.log_dir))
        self._samples = 0
        self._sampled_at = float("-inf")
        self._stop = threading.Event()
        self._abandoned = False
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="stepscope-system", daemon=True)
        self._thread.start()
        _open.add(self)
        if not self._own_writer:
            self._writer.attach(self)

    def close(self) -> None:
        """Takes a last sample and ends; a driver that does not answer is waited for for two seconds."""
        if self._process != os.getpid():  # The thread, and the writer's file, are the parent's.
            return
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join(_LONGEST_CLOSE_SECONDS)
        self._abandoned = True
        _open.discard(self)
        if self._own_writer:
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _run(self) -> None:
        probes = Probes([])
        try:
            probes = Probes(self._make_probes())
            due = time.monotonic()
            self._sample(probes)
            self._log_facts(probes)
            while not self._stop.is_set():
                due = max(due + self._every, time.monotonic())
                self._stop.wait(due - time.monotonic())
                self._sample(probes)
        except Exception as error:  # noqa: BLE001 (training goes on without system metrics)
            _log.warning("System metrics end here: %s: %s", type(error).__name__, error)
        finally:
            probes.close()

    def _sample(self, probes: Probes) -> None:
        now = time.monotonic()
        if now - self._sampled_at < SHORTEST_SECONDS:
            return
        self._sampled_at = now
        wall_time = time.time()
        readings = probes.read(now)
        if self._epoch is not None:
            readings.append(("epoch", float(self._epoch())))
        step = self._current_step()
        if self._abandoned:  # Nobody waits for this sample any more, and logging it would open the writer again.
            return
        for tag, value in readings:
            self._writer.add_scalar(f"system/{tag}", value, step, wall_time)
        self._samples += 1

    def _current_step(self) -> int:
        if self._step is not None:
            return int(self._step())
        return self._samples if self._own_writer else self._writer.current_step or 0

    def _log_facts(self, probes: Probes) -> None:
        rows = "".join(f"| {_cell(name)} | {_cell(value)} |\n" for name, value in probes.facts())
        if rows and not self._abandoned:
            self._writer.add_text("system/hardware", f"| What | Value |\n| --- | --- |\n{rows}")


def _check_target(writer: object) -> None:
    if not isinstance(writer, SummaryWriter | str | os.PathLike):
        raise TypeError(f"Give SystemMonitor a stepscope.SummaryWriter or a folder, not {type(writer).__name__}.")


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


def _close_all() -> None:
    """Before the writer's own hook, because that was there earlier."""
    for monitor in list(_open):
        monitor.close()


atexit.register(_close_all)
