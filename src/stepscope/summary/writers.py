"""Writers that can be a thread's default, as tf.summary's can: one for event files, and one that does nothing."""

from __future__ import annotations

import logging
import os
import weakref
from collections import deque
from sys import modules
from types import TracebackType
from typing import Any, cast

from stepscope.writer import SummaryWriter as EventWriter
from stepscope.writer.compiled import compiler, plain
from stepscope.writer.recording import DefaultWriter, adopt, calls, condition_at, share

_SUFFIX = ".v2"
_FLUSH_MILLIS = 120_000
_MAX_QUEUE = 10

_log = logging.getLogger("stepscope.summary")
_forgotten: deque[EventWriter] = deque()
"""Writers whose owner is gone. The next call that makes one closes them, as where that is noticed may be anywhere."""
_warned = False


class SummaryWriter:
    """What create_file_writer and create_noop_writer return."""

    def as_default(self, step: object = None) -> Default:
        """A context in which this thread's summaries go to this writer, at that step where they are given none."""
        raise NotImplementedError

    def set_as_default(self, step: object = None) -> None:
        """Sends this thread's summaries to this writer from now on."""
        self.as_default(step).__enter__()

    def init(self) -> None:
        """There for TensorFlow's sake: a writer is ready when it is made."""

    def flush(self) -> None:
        """Returns when all that was logged is in the file."""

    def close(self) -> None:
        """Writes all that was logged, and ends."""


class Default:
    """The context of as_default."""

    def __init__(self, owner: SummaryWriter, writer: DefaultWriter | None, step: object) -> None:
        """A writer of none leaves the thread's one in force."""
        self._owner = owner
        self._writer = writer
        self._step = step
        self._before: list[tuple[DefaultWriter | None, bool, object]] = []

    def __enter__(self) -> SummaryWriter:
        self._before.append((calls.writer, calls.quiet, calls.step))
        if self._writer is None:
            calls.quiet = True
        else:
            calls.writer = self._writer
            share()
        if self._step is not None:
            calls.step = self._step
        return self._owner

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        calls.writer, calls.quiet, before = self._before.pop()
        if self._step is not None:
            calls.step = before


class _FileWriter(SummaryWriter):
    """Writes to an event file, and ends with the last reference to it."""

    def __init__(self, events: EventWriter) -> None:
        self._events = events
        self.put_scalar = events.put_scalar
        self.put_event = events.put_event
        self._closed = False
        self._end = weakref.finalize(self, _forgotten.append, events)
        self._end.atexit = False

    @plain
    def as_default(self, step: object = None) -> Default:
        if self._closed:
            raise RuntimeError("Make a new writer with create_file_writer: this one is closed.")
        return Default(self, self, step)

    @plain
    def set_as_default(self, step: object = None) -> None:
        super().set_as_default(step)

    @plain
    def flush(self) -> None:
        if self._closed:
            return
        tracing = compiler()
        if tracing is not None:
            tracing.call_back(self._events.flush, (), True)
            return
        self._events.flush()

    @plain
    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._end.detach()
        self._events.close()


class _NoopWriter(SummaryWriter):
    """Writes nothing; a writer that was the thread's default before stays so, as TensorFlow has it."""

    @plain
    def as_default(self, step: object = None) -> Default:
        del step
        return Default(self, None, None)


@plain
def create_file_writer(
    logdir: str | os.PathLike[str] | object,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """A writer to an event file in logdir. The last three arguments are there for TensorFlow's sake, and change nothing."""
    del name, experimental_trackable, experimental_mesh
    _close_forgotten()
    _stay_in_place()
    events = EventWriter(
        _folder(logdir),
        max_queue=_MAX_QUEUE if max_queue is None else int(max_queue),
        flush_secs=(_FLUSH_MILLIS if flush_millis is None else int(flush_millis)) / 1000,
        filename_suffix=_SUFFIX if filename_suffix is None else filename_suffix,
    )
    return _FileWriter(events)


@plain
def create_noop_writer() -> SummaryWriter:
    """A writer that does nothing, for code that wants one."""
    return _NoopWriter()


@plain
def flush(writer: SummaryWriter | object = None, name: str | None = None) -> None:
    """Returns when all that was logged to the writer, or else to the thread's one, is in its file."""
    del name
    if writer is not None:
        if not isinstance(writer, SummaryWriter):
            raise ValueError(f"Give flush a writer of create_file_writer, not {type(writer).__name__}.")
        writer.flush()
    elif calls.writer is not None:
        calls.writer.flush()


@plain
def should_record_summaries() -> object:
    """Whether a call would record now: a truth value, and inside compiled code, under record_if, one of the framework."""
    return False if calls.writer is None else condition_at(None)


def default_writer() -> DefaultWriter | None:
    """Where this thread's summaries go."""
    tensorflow: Any = modules.get("tensorflow")
    if calls.writer is None and not calls.quiet and tensorflow is not None and tensorflow.distribute.has_strategy():
        return adopt()
    return calls.writer


def missing_writer() -> bool:
    """Says, once in a process, that what is logged goes nowhere."""
    global _warned
    if not _warned and not calls.quiet:
        _warned = True
        _log.warning(
            "Nothing is recorded, as this thread has no default writer: put the calls into"
            ' `with stepscope.summary.create_file_writer("logs").as_default():`.'
        )
    return False


def _close_forgotten() -> None:
    while _forgotten:
        _forgotten.popleft().close_later()


def _stay_in_place() -> None:
    """Where a program set `tf.summary` to this package, `import tensorflow.summary` gives it too, as Keras' TensorBoard callback asks.

    Otherwise that import loads TensorFlow's own module and puts it back, and all later calls miss the writer made here.
    """
    tensorflow, ours = modules.get("tensorflow"), modules["stepscope.summary"]
    if tensorflow is not None and getattr(tensorflow, "summary", None) is ours:
        modules["tensorflow.summary"] = ours


def _folder(logdir: object) -> str:
    """The folder's name, which may also be a path, bytes or a tensor of one string."""
    if logdir is None:
        raise ValueError("Give create_file_writer the folder to write to, not None.")
    numpy = getattr(logdir, "numpy", None)
    plain_name = logdir if numpy is None else numpy()
    if not isinstance(plain_name, str | bytes | os.PathLike):
        raise TypeError(f"Give create_file_writer the folder as a string or a path, not as {type(logdir).__name__}.")
    return os.fsdecode(cast("str | bytes", plain_name))
