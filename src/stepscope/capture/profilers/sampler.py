"""Samples the Python stacks of all threads from a thread of its own, and makes spans of what stays on the stack."""

from __future__ import annotations

import os
import sys
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import NamedTuple

INTERVAL_SECONDS = 0.01
MOST_SAMPLES = 500_000
"""Of all threads together: more than an hour of one thread."""
_DEEPEST = 128
_LATE = 5
"""Intervals that a sample may be late, on a busy machine or behind a call that keeps the interpreter's lock."""
_OWN_THREADS = "stepscope-"
_CAPTURE_FILES = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OWN_FILES = tuple(os.path.join(os.path.dirname(os.path.dirname(_CAPTURE_FILES)), room) + os.sep for room in ("capture", "writer"))
_CARRIERS = frozenset({"captured", "__iter__", "_marked"})
"""Functions of the capture that call the program's: a decorated one, and those that fetch the next batch."""
WAIT = "<built-in wait>"
"""Stands on the stack, as a function does, of a thread that waits: for a lock, a file, the interpreter or a time to come."""
_RUNS = 0.1
"""Share of the time since its last sample that a thread must have run, or it waited."""
Stack = tuple[CodeType | str, ...]
"""Outermost function first."""


class Sample(NamedTuple):
    """What one thread did at one moment, by time.perf_counter_ns."""

    at: int
    stack: Stack


class SampledSpan(NamedTuple):
    """A function that was on the stack of consecutive samples."""

    name: str
    start: int
    end: int


class _Seen(NamedTuple):
    """A thread at a sample: its processor time until then, and where it was."""

    at: int
    ran: int | None
    frame: int
    instruction: int


class Sampler:
    """Takes a sample every 10 ms between start and stop; the interpreter's lock is held for it, a few µs per thread."""

    def __init__(
        self, interval: float = INTERVAL_SECONDS, *, most: int | None = None, after_each: Callable[[], object] | None = None
    ) -> None:
        """Starts nothing yet. Keeps the newest `most` samples of each thread, or all up to a limit; calls `after_each` of them."""
        self._interval = interval
        self._most = most
        self._after_each = after_each
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._taken = 0
        self._seen: dict[int, _Seen] = {}
        self.samples: dict[int, deque[Sample]] = {}
        """By the native id of the thread."""

    def start(self) -> None:
        """Begins; what was taken before is forgotten."""
        self.samples, self._seen, self._taken = {}, {}, 0
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name=f"{_OWN_THREADS}sampler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Returns when no further sample is taken."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def spans(self, thread: int, cuts: Iterable[int] = ()) -> list[SampledSpan]:
        """Functions of one thread as nested spans. None goes across a cut, so that they nest into spans that begin and end there."""
        return list(spans_of(list(self.samples.get(thread, ())), sorted(set(cuts)), round(_LATE * self._interval * 1e9)))

    def _run(self) -> None:
        due = time.perf_counter()
        while not self._stop.is_set() and (self._most is not None or self._taken < MOST_SAMPLES):
            sys.setprofile(None)  # A profiler that records the functions of all threads would record, and slow down, this one.
            self._sample()
            if self._after_each is not None:
                self._after_each()
            due = max(due + self._interval, time.perf_counter())
            self._stop.wait(due - time.perf_counter())

    def _sample(self) -> None:
        threads = {thread.ident: thread for thread in threading.enumerate()}
        at = time.perf_counter_ns()
        for ident, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
            thread = threads.get(ident)
            if thread is not None and thread.name.startswith(_OWN_THREADS):
                continue
            stack = _stack_of(frame)
            if not stack:
                continue
            native = None if thread is None else thread.native_id
            number = ident if native is None else native
            if number not in self.samples:
                self.samples[number] = deque(maxlen=self._most)
            self.samples[number].append(
                Sample(
                    at, (*stack, WAIT) if self._waited(number, _Seen(at, processor_time(native), id(frame), frame.f_lasti)) else stack
                )
            )
            self._taken += 1
        if self._most is not None:
            self._forget(at - round(self._most * self._interval * 1e9))

    def _waited(self, number: int, seen: _Seen) -> bool:
        """Whether a thread hardly ran since its last sample, or, where the system does not tell, stood at the same instruction."""
        last = self._seen.get(number)
        self._seen[number] = seen
        if last is None:
            return False
        if last.ran is None or seen.ran is None:
            return last[2:] == seen[2:]
        return seen.ran - last.ran < _RUNS * (seen.at - last.at)

    def _forget(self, before: int) -> None:
        """Threads that have ended: programs start new ones without end."""
        for number in [number for number, taken in self.samples.items() if taken[-1].at < before]:
            del self.samples[number]
            self._seen.pop(number, None)


def processor_time(thread: int | None) -> int | None:
    """Nanoseconds that a thread of this process ran, by its native id; none when that is not known or the system is not Linux."""
    if thread is None or sys.platform != "linux":
        return None
    try:
        return time.clock_gettime_ns(~thread << 3 | 6)  # how Linux numbers the clock of a thread; see clock_getres(2)
    except OSError:
        return None


def spans_of(samples: list[Sample], cuts: list[int], longest: int) -> Iterator[SampledSpan]:
    """A sample stands for the time to halfway to its neighbours, and for no more than `longest` on each side.

    Where that goes across cuts, only the piece in which it was taken has all of the stack, and the others have the innermost function.
    """
    open_spans: list[tuple[CodeType | str, int]] = []
    end = 0
    for start, until, stack in _pieces(samples, cuts, longest):
        kept = 0
        if start == end and not _is_cut(cuts, start):
            while kept < min(len(open_spans), len(stack)) and open_spans[kept][0] is stack[kept]:
                kept += 1
        while len(open_spans) > kept:
            code, began = open_spans.pop()
            yield SampledSpan(name_of(code), began, end)
        open_spans += [(code, start) for code in stack[kept:]]
        end = until
    while open_spans:
        code, began = open_spans.pop()
        yield SampledSpan(name_of(code), began, end)


def name_of(code: CodeType | str) -> str:
    """As PyTorch's profiler names Python functions: the file's last two parts, the first line and the function."""
    if isinstance(code, str):
        return code
    folder, file = os.path.split(code.co_filename)
    return f"{os.path.join(os.path.basename(folder), file)}({code.co_firstlineno}): {code.co_qualname}"


def _pieces(samples: list[Sample], cuts: list[int], longest: int) -> Iterator[tuple[int, int, Stack]]:
    for place, (at, stack) in enumerate(samples):
        before = (at - samples[place - 1].at) // 2 if place else longest
        after = (samples[place + 1].at - at + 1) // 2 if place + 1 < len(samples) else longest
        start, end = at - min(before, longest), at + min(after, longest)
        place = bisect_right(cuts, start)
        while start < end:
            until = min(cuts[place], end) if place < len(cuts) else end
            yield start, until, stack if start <= at < until else stack[-1:]
            start, place = until, place + 1


def _is_cut(cuts: list[int], moment: int) -> bool:
    place = bisect_right(cuts, moment)
    return place > 0 and cuts[place - 1] == moment


def _stack_of(frame: FrameType | None) -> tuple[CodeType, ...]:
    """Of a recursion without end the innermost functions."""
    found: list[CodeType] = []
    while frame is not None and len(found) < _DEEPEST:
        found.append(frame.f_code)
        frame = frame.f_back
    found.reverse()
    return without_own(found)


def without_own(stack: list[CodeType]) -> tuple[CodeType, ...]:
    """Without what the capture itself does, as a stack that ends where it is called; nothing of a thread of ours."""
    if stack and stack[0].co_filename.startswith(_OWN_FILES):
        return ()
    own = (place for place, code in enumerate(stack) if code.co_filename.startswith(_CAPTURE_FILES) and code.co_name not in _CARRIERS)
    return tuple(stack[: next(own, len(stack))])
