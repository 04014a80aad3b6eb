"""stepscope.profile: captures chosen steps of a training with the profiler of the framework that it uses."""

from __future__ import annotations

import atexit
import functools
import inspect
import logging
import os
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from stepscope.capture import ranks, running
from stepscope.capture.process_memory import MemoryInUse, memory_in_use
from stepscope.capture.profilers.choice import Framework, checked_framework, framework_in_use, samples_python
from stepscope.capture.profilers.profiler import Options
from stepscope.capture.profilers.system_counters import prepare_counters
from stepscope.capture.profilers.worker_samples import close_meeting, open_meeting
from stepscope.capture.size_text import bytes_of
from stepscope.capture.size_text import text_of as size_text
from stepscope.capture.step_choice import StepChoice, Steps, step_choice, text_of
from stepscope.capture.step_recording import Recording
from stepscope.capture.unprofiled_steps import UnprofiledSteps
from stepscope.writer.folders import checked_folder, fixed

_log = logging.getLogger("stepscope.capture")
_open: weakref.WeakSet[Capture] = weakref.WeakSet()
_MEMORY_SHARE = 8
"""A framework's profile can be this many times larger on disk than its events in memory."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


def profile(
    logdir: str | os.PathLike[str],
    *,
    steps: Steps | None = None,
    epochs: Steps | None = None,
    name: str = "",
    framework: str | None = None,
    shapes: bool = True,
    memory: bool = False,
    stacks: bool = False,
    python: bool | None = None,
    allocations: bool = False,
    system: bool = True,
    budget: str | int = "200MB",
) -> Capture:
    """Captures a profile into the run's folder: as a context manager, a decorator, or with `start` and `stop`.

    steps are those to capture, as "10-20", "1,10,100", a list, or a function such as torch.profiler.schedule returns; each range is a
    session of its own. The loop marks its steps: `with p.step(n): …`. Without steps, everything between start and stop is captured.
    epochs are those in which steps are captured, marked by `with p.epoch(n): …`; steps then count from 0 in each.
    framework is "torch", "tensorflow", "jax" or "python", by default the one that is loaded.
    shapes, memory and stacks add input shapes, allocations and Python call stacks, where the framework's profiler leaves them out.
    python samples the Python functions of all threads, and of worker processes, 100 times a second; by default where no framework's
    profiler records. allocations writes the host memory that Python holds in the end, by allocation site, and slows Python down.
    system samples the use of processors, memory, disks and GPUs ten times a second, as counters of the profile.
    budget ends a capture early when more steps would make it larger. Raises ValueError for what cannot be meant.
    """
    return Capture(
        fixed(checked_folder(logdir, "logdir")),
        None if steps is None else step_choice(steps),
        None if epochs is None else step_choice(epochs, "epochs"),
        ranks.plain_name(name),
        checked_framework(framework),
        Options(shapes=shapes, memory=memory, stacks=stacks, python=python, allocations=allocations, system=system),
        bytes_of(budget, "budget"),
    )


class Capture:
    """Profiles the chosen steps of one loop. Used by the thread that trains.

    Before a range of chosen steps, one more is recorded and thrown away: a profiler's first step is slow, and its size says how many
    steps fit into the budget. Trouble with a profiler in the midst of training is one warning, never an exception.
    """

    def __init__(
        self,
        logdir: str,
        steps: StepChoice | None,
        epochs: StepChoice | None,
        name: str,
        framework: Framework | None,
        options: Options,
        budget: int,
    ) -> None:
        """Use stepscope.profile, which checks what it is given."""
        self.logdir = logdir
        self._steps = steps
        self._epochs = epochs
        self._name = name
        self._framework: Framework | None = framework
        self._options = options
        self._budget = budget
        self._unprofiled = UnprofiledSteps(logdir)
        self._chooses = steps is not None or epochs is not None
        self._active = False
        self._has_meeting = False
        self._given_up = False
        self._recording: Recording | None = None
        self._warming = False
        self._step_bytes = 0.0
        self._spent = False
        """Whether the budget has ended this range of steps, or this block."""
        self._block_bytes = 0
        """Of the sessions that a block has been saved in so far."""
        self._memory = MemoryInUse(0, 0)
        self._steps_in = 0
        self._epoch: int | None = None
        self._next = 0
        self._asked_of, self._is_next_wanted = -1, False
        """The step that was asked of last, and whether it is wanted: each is asked of once, since schedules may be slow."""
        self._first: int | None = None
        self._last: int | None = None
        self._ran = 0
        self._saved: list[Recording] = []

    @property
    def sessions(self) -> list[str]:
        """Folders of the sessions that are saved."""
        return [recording.folder for recording in self._saved if recording.folder is not None]

    @property
    def problem(self) -> str | None:
        """Why a session could not be saved."""
        return next((recording.problem for recording in self._saved if recording.problem is not None), None)

    def start(self) -> Self:
        """Begins to count steps; without chosen steps, begins to capture. Raises RuntimeError while another capture records."""
        if self._active:
            raise RuntimeError("This profile has been started already. Call stop() before you start it again.")
        framework = self._framework or framework_in_use()
        if self._options.system:
            prepare_counters()
        self._has_meeting = samples_python(framework, self._options)
        if self._has_meeting:
            open_meeting()
        try:
            if not self._chooses:
                self._spent, self._block_bytes = False, 0
                self._begin_recording(None)
        except BaseException:
            self._close_meeting()
            raise
        self._active = True
        _open.add(self)
        return self

    def stop(self) -> None:
        """Ends, and returns when every session is saved; says which chosen steps never came."""
        self._stop(None)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Saves what was captured also when the block has failed."""
        self._stop(error)

    def __call__(self, function: Callable[Given, Result]) -> Callable[Given, Result]:
        """As a decorator: with chosen steps each call is a step, without them each call is captured as a session."""
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError("Decorate a plain function: the body of a coroutine or generator runs after the call.")

        @functools.wraps(function)
        def captured(*arguments: Given.args, **named: Given.kwargs) -> Result:
            if not self._chooses:
                with self:
                    return function(*arguments, **named)
            if not self._active:
                self.start()
            with self.step():
                return function(*arguments, **named)

        return captured

    def step(self, number: int | None = None) -> AbstractContextManager[object]:
        """Marks the block as a step. Without a number, it is the one after the last, beginning with 0."""
        if not self._active:
            raise RuntimeError("Start the profile before you mark steps: use it in a with statement, or call start().")
        return _Step(self, self._next if number is None else number)

    def epoch(self, number: int) -> AbstractContextManager[object]:
        """Marks the block as an epoch; with `epochs=`, steps are captured only in the chosen ones and count from 0 in each."""
        return _Epoch(self, number)

    def begin_epoch(self, number: int) -> None:
        """What a callback calls before an epoch."""
        self._epoch, self._asked_of = number, -1
        if self._epochs is not None:
            self._next = 0

    def end_epoch(self) -> None:
        """What a callback calls after an epoch: a session does not go on into the next one."""
        if self._epochs is not None:
            self._end_recording()
        self._epoch, self._asked_of = None, -1

    def begin_step(self, number: int) -> AbstractContextManager[object] | None:
        """What a callback calls before a step; returns the mark to enter, and None while nothing records."""
        self._next = number + 1
        self._first = number if self._first is None else min(self._first, number)
        self._last = number if self._last is None else max(self._last, number)
        self._ran += 1
        wanted = self._chooses and (self._is_next_wanted if number == self._asked_of else self._wants(number))
        if self._chooses and not wanted:
            self._spent = False
            self._end_recording()
        if self._chooses and self._recording is None and not self._given_up and not self._spent:
            if wanted:
                self._attempt(lambda: self._begin_recording(number))
            elif self._step_bytes == 0 and self._wants(number + 1):
                self._warming = True
                self._attempt(lambda: self._begin_recording(number))
        if self._recording is not None:
            return self._recording.step(number)
        return running.step(number) if running.takes_marks() else None  # of a capture from outside, or of the flight recorder

    def end_step(self, number: int, seconds: float) -> None:
        """What a callback calls after a step, with its time."""
        if self._recording is None:
            if not running.is_recording():
                self._unprofiled.add(number, seconds)
            return
        self._steps_in += 1
        if not self._chooses:
            self._limit_block()
            return
        if self._warming:
            self._end_warming()
            return
        self._asked_of, self._is_next_wanted = number + 1, self._wants(number + 1)
        if not self._is_next_wanted:
            self._end_recording()
        elif (self._steps_in + 1) * self._step_bytes > self._budget:
            self._end_recording(by_budget=lambda _: True)

    def _limit_block(self) -> None:
        """What a block takes is known where the profiler can tell, and else when it is saved.

        A framework's profiler keeps its events in memory, where they take less than in a file, but not that much less: once the process
        has grown by an eighth of the budget, the block is saved and goes on in another session. Then the sizes of its steps are known.
        """
        recording = self._recording
        if recording is None:
            return
        if recording.size is not None:
            self._step_bytes, self._block_bytes = recording.size() / self._steps_in, 0
        elif self._step_bytes == 0:
            if memory_in_use().grown_since(self._memory) >= self._budget // _MEMORY_SHARE:
                self._end_recording(by_budget=self._is_block_spent)
                if not self._spent:
                    self._attempt(lambda: self._begin_recording(None))
            return
        if self._block_bytes + (self._steps_in + 1) * self._step_bytes > self._budget:
            self._end_recording(by_budget=lambda _: True)

    def _is_block_spent(self, recorded: int) -> bool:
        self._block_bytes += recorded
        return self._block_bytes + 2 * recorded / max(self._steps_in, 1) > self._budget

    def _wants(self, number: int) -> bool:
        if self._epochs is not None and (self._epoch is None or not self._epochs.wants(self._epoch)):
            return False
        return self._steps is None or self._steps.wants(number)

    def _begin_recording(self, number: int | None) -> None:
        framework = self._framework or framework_in_use()
        recording = Recording(framework, self._options, self.logdir, self._session_name(number))
        if not self._chooses:
            self._memory = memory_in_use()
        recording.start()
        self._recording, self._steps_in = recording, 0
        self._unprofiled.capture_begins()

    def _session_name(self, number: int | None) -> str:
        epoch = "" if self._epoch is None or number is None else f"epoch{self._epoch}"
        step = "" if number is None else f"step{number}"
        return "_".join(part for part in (self._name, epoch, step) if part)

    def _end_warming(self) -> None:
        self._warming = False
        recording, self._recording = self._recording, None
        if recording is not None:
            self._attempt(recording.stop)
            recording.discard()
            self._step_bytes = float(max(recording.bytes, 1))

    def _end_recording(self, *warnings: str, by_budget: Callable[[int], bool] = lambda _: False) -> None:
        """Saves what was recorded, with the warnings in it; `by_budget` is asked with its size whether the budget ends here."""
        recording, self._recording = self._recording, None
        if recording is None:
            return
        if self._warming:
            self._warming = False
            self._attempt(recording.stop)
            recording.discard()
            return
        if not self._attempt(recording.stop):
            return
        self._saved.append(recording)
        if by_budget(recording.bytes):
            self._spent = True
            warnings = (*warnings, self._budget_text())
        for warning in warnings:
            _log.warning("%s", warning)
        recording.keep(warnings)
        self._step_bytes = max(self._step_bytes, recording.bytes / max(self._steps_in, 1))
        self._unprofiled.capture_ended()

    def _budget_text(self) -> str:
        steps = f"{self._steps_in} step{'' if self._steps_in == 1 else 's'}"
        return f"The capture ended after {steps}, because more would exceed its budget of {size_text(self._budget)}."

    def _close_meeting(self) -> None:
        if self._has_meeting:
            self._has_meeting = False
            close_meeting()

    def _attempt(self, action: Callable[[], object]) -> bool:
        """Whether it went well: a profile is worth less than the training that it is of."""
        try:
            action()
            return True
        except Exception as error:  # noqa: BLE001 (frameworks raise errors of their own)
            self._warming = False
            self._given_up = True
            _log.warning("Profiling stopped: %s: %s", type(error).__name__, error)
            return False

    def _stop(self, error: BaseException | None) -> None:
        if not self._active:
            return
        self._active = False
        _open.discard(self)
        ended_early = [f"The program failed with {type(error).__name__} during the capture."] if error is not None else []
        self._end_recording(*ended_early)
        for recording in self._saved:
            recording.wait()
        self._close_meeting()
        self._unprofiled.close(error is None)
        missed = self._steps.missed(self._first, self._last) if self._steps is not None and self._epochs is None else []
        if missed:
            _log.warning("%s ran, steps %s were asked for.", _steps_text(self._ran, self._first, self._last), text_of(missed))
        if self._epochs is not None and not self._saved:
            _log.warning("Nothing was captured: none of the chosen epochs, %s, had a chosen step.", text_of(self._epochs.ranges))


class _Step:
    """One step of the loop: asks the capture what to do before it, and tells it what it took."""

    __slots__ = ("_capture", "_mark", "_number", "_started")

    def __init__(self, capture: Capture, number: int) -> None:
        self._capture = capture
        self._number = number

    def __enter__(self) -> None:
        self._mark = self._capture.begin_step(self._number)
        if self._mark is not None:
            self._mark.__enter__()
        self._started = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        seconds = time.perf_counter() - self._started
        if self._mark is not None:
            self._mark.__exit__(kind, error, trace)
        self._capture.end_step(self._number, seconds)


class _Epoch:
    """One epoch of the loop; steps count from 0 in it."""

    def __init__(self, capture: Capture, number: int) -> None:
        self._capture = capture
        self._number = number

    def __enter__(self) -> None:
        self._capture.begin_epoch(self._number)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._capture.end_epoch()


def _steps_text(ran: int, first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return "0 steps"
    return f"{ran:,} step{'' if ran == 1 else 's'} ({first}–{last})"


def _close_all() -> None:
    """A program that ends without stop() still gets its profile."""
    for capture in list(_open):
        capture.stop()


atexit.register(_close_all)
