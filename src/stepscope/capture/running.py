"""The capture that records in this process now: there is at most one, and spans go to it; without one, to the flight recorder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from stepscope.capture.profilers.profiler import Profiler

_NOT_RECORDED = nullcontext()
_now: Profiler | None = None
_where = ""
_recorder: Recorder | None = None


class Marks(Protocol):
    """What makes the marks of steps, spans and operations."""

    def step(self, number: int) -> AbstractContextManager[object]:
        """Marks the block as a step."""
        ...

    def span(self, name: str) -> AbstractContextManager[object]:
        """Marks the block by name."""
        ...

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        """Marks the block as an operation with these inputs."""
        ...


class Recorder(Protocol):
    """Keeps the last seconds all the time."""

    @property
    def marks(self) -> Marks:
        """Where marks go while no capture records."""
        ...

    def ask(self, reason: str) -> None:
        """Has the last seconds saved soon."""
        ...


def claim(profiler: Profiler, where: str) -> None:
    """Takes the process for one capture. Raises RuntimeError while another has it."""
    global _now, _where
    if _now is not None:
        raise RuntimeError(f"A profile is already being captured for {_where}. Stop it before you start another.")
    _now, _where = profiler, where


def release(profiler: Profiler) -> None:
    """Gives the process free, if this capture has it."""
    global _now
    if _now is profiler:
        _now = None


def is_recording() -> bool:
    """Whether a capture records now."""
    return _now is not None


def takes_marks() -> bool:
    """Whether a capture or the flight recorder takes marks of steps now."""
    return _now is not None or _recorder is not None


def set_recorder(recorder: Recorder | None) -> None:
    """The flight recorder of this process. Raises RuntimeError when there is one already."""
    global _recorder
    if recorder is not None and _recorder is not None:
        raise RuntimeError("A flight recorder is already running in this process. Stop it before you start another.")
    _recorder = recorder


def ask_recorder(reason: str) -> None:
    """Has the flight recorder, if there is one, save the last seconds."""
    if _recorder is not None:
        _recorder.ask(reason)


def _taker() -> Marks | None:
    return _now if _now is not None or _recorder is None else _recorder.marks


def op(name: str, inputs: Sequence[object] = ()) -> AbstractContextManager[object]:
    """Marks a block as an operation, for code that no framework records: `with stepscope.op("my_op", inputs=[x]): …`.

    It is listed with its time, and with shapes and types of its inputs, as any other operation of the profile is.
    """
    taker = _taker()
    return _NOT_RECORDED if taker is None else taker.op(name, inputs)


def step(number: int) -> AbstractContextManager[object]:
    """Marks a block as a step of whatever records it; without a capture, it costs a call."""
    taker = _taker()
    return _NOT_RECORDED if taker is None else taker.step(number)


def span(name: str) -> AbstractContextManager[object]:
    """Marks a block in the profile that is being captured, in the framework's own trace; without one, it costs a call.

    The block belongs to the thread that runs it: `with stepscope.span("augment"): …`.
    """
    taker = _taker()
    return _NOT_RECORDED if taker is None else taker.span(name)
