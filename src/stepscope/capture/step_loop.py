"""stepscope.steps: times every step of a loop, by phase, as series and as a trace of the slow ones."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from stepscope.capture import ranks, running
from stepscope.capture.environment import capture_from_environment
from stepscope.capture.profile import Capture, profile
from stepscope.capture.slow_steps import WAIT, SlowSteps
from stepscope.writer import SummaryWriter

Batch = TypeVar("Batch")
MOST_PHASES = 64
SLOW = 2.0
ALARM_STEPS = 3
MOST_ALARMS = 3

_NO_LOOP = nullcontext()


class _Place:
    """How far the loops over one writer have come, and what lives longer than each of them. It is closed with the writer."""

    def __init__(self, log_dir: str = "", slow: float = SLOW) -> None:
        self.step = 0
        self.epoch = 0
        self.slow = SlowSteps(log_dir, slow) if log_dir else None
        self.alarms = MOST_ALARMS
        self.alarmed = range(0)
        self.capture = capture_from_environment(log_dir) if log_dir else None
        if self.capture is not None:
            self.capture.start()

    def watch(self, log_dir: str) -> None:
        """Has the steps after a slow one captured, unless others are."""
        if self.capture is None:
            self.capture = profile(log_dir, steps=lambda step: step in self.alarmed, name="slow").start()

    def alarm(self, step: int) -> None:
        """The step after a slow one warms the profiler up."""
        if self.alarms and step >= self.alarmed.stop:
            self.alarms -= 1
            self.alarmed = range(step + 2, step + 2 + ALARM_STEPS)

    def close(self) -> None:
        """Saves what is left."""
        if self.capture is not None:
            self.capture.stop()
        if self.slow is not None:
            self.slow.flush()


_places: weakref.WeakKeyDictionary[SummaryWriter, dict[str, _Place]] = weakref.WeakKeyDictionary()
_current: Steps[Any] | None = None


def _place_of(writer: SummaryWriter | None, name: str, slow: float) -> _Place:
    if writer is None:
        return _Place()
    places = _places.setdefault(writer, {})
    if name not in places:
        places[name] = _Place(writer.log_dir, slow)
        writer.attach(places[name])
    return places[name]


def steps(
    batches: Iterable[Batch],
    *,
    writer: SummaryWriter | None = None,
    name: str = "step_time",
    start: int | None = None,
    profile: Capture | None = None,
    slow: float = SLOW,
    capture_slow: bool = False,
) -> Steps[Batch]:
    """Iterates over batches and logs, for every step, the wait for its batch, each `phase` of it, and the rest, in seconds.

    The series are <name>/total, <name>/input, <name>/<phase> and <name>/other; total is the sum of the others. At the end of the
    batches, epoch_seconds and epoch_examples_per_second are logged. Steps are numbered from `start`, or from where the last loop
    over the same writer ended.
    profile is a capture that marks its steps along; without one, STEPSCOPE_PROFILE may ask for it.
    A step that takes `slow` times the usual one is kept as a trace; with capture_slow, the steps after it are profiled, at most three
    times.
    """
    if not slow > 1:
        raise ValueError(f"Give slow as a factor above 1, such as 2, not as {slow!r}.")
    return Steps(batches, writer, name, start, profile, slow, capture_slow)


def phase(name: str) -> AbstractContextManager[object]:
    """Times the block as a phase of the current step of stepscope.steps: `with stepscope.phase("forward"): …`.

    A phase may come several times in a step; its times are added. Of nested phases the outer has the time of both.
    """
    loop = _current
    return _NO_LOOP if loop is None else loop.phase(name)


class Steps(Generic[Batch]):
    """One loop over batches; each iteration over it is an epoch. Used by one thread."""

    def __init__(
        self,
        batches: Iterable[Batch],
        writer: SummaryWriter | None,
        name: str,
        start: int | None,
        capture: Capture | None,
        slow: float,
        capture_slow: bool,
    ) -> None:
        """Use stepscope.steps."""
        self._batches = batches
        self._writer = writer
        self._place = _place_of(writer, name, slow)
        if writer is not None and capture_slow and capture is None:
            self._place.watch(writer.log_dir)
        if start is not None:
            self._place.step = start
        rank = ranks.rank()
        self._prefix = f"{name}/" if rank == 0 else f"rank{rank}/{name}/"
        self._epoch_prefix = "epoch_" if rank == 0 else f"rank{rank}/epoch_"
        self._phases: dict[str, _Phase] = {}
        self._tags = self._tags_now()
        self.rows: list[tuple[str, int, int]] = []
        """Name, start and end of each phase of this step."""
        self.depth = 0
        self._capture = capture or self._place.capture
        self._mark_stack = ExitStack()
        self._put = None if writer is None else writer.put_scalars

    def phase(self, name: str) -> AbstractContextManager[object]:
        """Times the block as a phase of the current step."""
        found = self._phases.get(name)
        if found is None:
            if len(self._phases) >= MOST_PHASES:
                raise ValueError(f"Use at most {MOST_PHASES} names of phases; {name!r} is one more. Put numbers into the step instead.")
            found = self._phases[name] = _Phase(self, name)
            self._tags = self._tags_now()
        return found

    def _tags_now(self) -> tuple[str, ...]:
        return tuple(f"{self._prefix}{part}" for part in ("total", "input", "other", *self._phases))

    def __len__(self) -> int:
        return len(cast("Any", self._batches))

    def __iter__(self) -> Iterator[Batch]:
        """Goes through the batches once."""
        global _current
        clock, place, length = time.perf_counter_ns, self._place, _length(self._batches)
        batches = iter(self._batches)
        first, examples, began_epoch = place.step, 0, clock()
        before, _current = _current, self
        try:
            while True:
                step = place.step
                mark = self._mark(step) if length is None or step - first < length else None
                began = clock()
                try:
                    batch = next(batches) if mark is None else self._marked(mark, batches)
                except StopIteration:
                    break
                ready = clock()
                if hasattr(batch, "__len__"):
                    examples += _examples(batch)
                yield batch
                ended = clock()
                if mark is not None:
                    mark.close()
                self._log(step, began, ready, ended, mark is not None)
                place.step = step + 1
        finally:
            _current = before
            self._mark_stack.close()
            self._log_epoch(place.step - first, examples, (clock() - began_epoch) / 1e9)

    def _mark(self, step: int) -> ExitStack | None:
        """Begins to mark a step where something records it; a capture from outside, as of serve_profiler, included."""
        if self._capture is None and not running.takes_marks():
            return None
        self._mark_stack.enter_context(running.step(step) if self._capture is None else self._capture.step(step))
        return self._mark_stack

    def _marked(self, mark: ExitStack, batches: Iterator[Batch]) -> Batch:
        """The next batch, with the wait for it in the profile."""
        try:
            with running.span(WAIT):
                return next(batches)
        except StopIteration:
            mark.close()
            raise

    def _log(self, step: int, began: int, ready: int, ended: int, marked: bool) -> None:
        """A step that a profiler slows down is not slow by itself."""
        total, waited = (ended - began) / 1e9, (ready - began) / 1e9
        rest, values = total - waited, [total, waited, 0.0]
        for phase in self._phases.values():
            seconds = phase.take()
            values.append(seconds)
            rest -= seconds
        values[2] = rest if rest > 0 else 0.0
        place = self._place
        if place.slow is not None and self._put is not None:
            self._put(self._tags, values, step, time.time())
            if place.slow.is_slow(total) and not (marked and running.is_recording()):
                place.slow.keep(step, (began, ready, ended), self.rows)
                place.alarm(step)
                running.ask_recorder(f"slow_step{step}")
        self.rows.clear()

    def _log_epoch(self, count: int, examples: int, seconds: float) -> None:
        place, writer = self._place, self._writer
        if writer is None or count == 0:
            return
        now = time.time()
        tags, values = [f"{self._epoch_prefix}seconds"], [seconds]
        if examples:
            tags.append(f"{self._epoch_prefix}examples_per_second")
            values.append(examples / max(seconds, 1e-9))
        writer.put_scalars(tuple(tags), values, place.epoch, now)
        writer.put_scalars((self._epoch_prefix.rstrip("_"),), [float(place.epoch)], place.step - 1, now)
        place.epoch += 1


class _Phase:
    """One name of a phase: the same object is entered in every step."""

    __slots__ = ("_loop", "_name", "_span", "_started", "_total")

    def __init__(self, loop: Steps[Any], name: str) -> None:
        self._loop = loop
        self._name = name
        self._span: AbstractContextManager[object] | None = None
        self._started = 0
        self._total = 0

    def __enter__(self) -> None:
        self._loop.depth += 1
        if running.takes_marks():
            self._span = running.span(self._name)
            self._span.__enter__()
        self._started = time.perf_counter_ns()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        ended = time.perf_counter_ns()
        loop = self._loop
        loop.depth -= 1
        loop.rows.append((self._name, self._started, ended))
        if loop.depth == 0:
            self._total += ended - self._started
        if self._span is not None:
            self._span.__exit__(kind, error, trace)
            self._span = None

    def take(self) -> float:
        """Its seconds in this step; the next one starts from none."""
        total, self._total = self._total, 0
        return total / 1e9


def _length(batches: object) -> int | None:
    try:
        return len(cast("Any", batches))
    except (TypeError, NotImplementedError):
        return None


def _examples(batch: object) -> int:
    """The size of the first array in the batch along its first dimension; 0 when there is none."""
    while not hasattr(batch, "shape"):
        if isinstance(batch, dict):
            batch = next(iter(cast("dict[object, object]", batch).values()), None)
        elif isinstance(batch, list | tuple) and batch:
            batch = cast("list[object]", batch)[0]
        else:
            return 0
    shape = cast("Any", batch).shape
    return int(shape[0]) if len(shape) else 0
