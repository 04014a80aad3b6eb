"""The capture that records in this process now: there is at most one, and spans go to it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from stepscope.capture.profilers.profiler import Profiler

_NOT_RECORDED = nullcontext()
_now: Profiler | None = None
_where = ""


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


def op(name: str, inputs: Sequence[object] = ()) -> AbstractContextManager[object]:
    """Marks a block as an operation, for code that no framework records: `with stepscope.op("my_op", inputs=[x]): …`.

    It is listed with its time, and with shapes and types of its inputs, as any other operation of the profile is.
    """
    profiler = _now
    return _NOT_RECORDED if profiler is None else profiler.op(name, inputs)


def step(number: int) -> AbstractContextManager[object]:
    """Marks a block as a step of whatever records it; without a capture, it costs a call."""
    profiler = _now
    return _NOT_RECORDED if profiler is None else profiler.step(number)


def span(name: str) -> AbstractContextManager[object]:
    """Marks a block in the profile that is being captured, in the framework's own trace; without one, it costs a call.

    The block belongs to the thread that runs it: `with stepscope.span("augment"): …`.
    """
    profiler = _now
    return _NOT_RECORDED if profiler is None else profiler.span(name)
