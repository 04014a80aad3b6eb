"""Logging inside compiled code: finds the framework that traces the calling code, and goes through that framework's callback.

Frameworks are looked for among what the program has loaded, and never imported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from copy import copy
from sys import modules
from types import CodeType
from typing import Any, Protocol, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])
Shape = tuple[int | None, ...]

_CONSTANTS = (bool, int, float, str, bytes, type(None))
_log = logging.getLogger("stepscope.writer")
_plain_codes: list[CodeType] = []

# Both are asked at every call, and looking them up costs more than that. While a framework is still being loaded they are missing.
_tensorflow_runs: Callable[[], bool] | None = None
_jax_runs: Callable[[], bool] | None = None


class Compiler(Protocol):
    """A framework that traces the calling code now, and runs what it has made of it later."""

    def shape_of(self, value: object) -> Shape | None:
        """The shape of a value, with None for sizes that are not known yet; None when nothing is."""
        ...

    def is_known(self, values: tuple[object, ...]) -> bool:
        """Whether a call with these values stands beside the code that is built, as in a loop around a session: it is made now."""
        ...

    def call_back(self, function: Callable[..., object], values: tuple[object, ...], condition: object) -> object:
        """Calls the function with the values, as NumPy arrays, each time that the compiled code runs and the condition holds."""
        ...


UNCONVERTED: dict[str, object] = {"do_not_convert": True}
"""As the attribute `autograph_info__` of a function: TensorFlow's AutoGraph calls it as it is."""


def plain(function: Function) -> Function:
    """Keeps the compilers of TensorFlow and torch from translating a function: it has to be called as it is."""
    marked: Any = function
    marked.autograph_info__ = UNCONVERTED
    marked._torchdynamo_disable = True  # torch.compile does not inline it,
    marked._torchdynamo_disable_msg = "it logs"
    _plain_codes.append(marked.__code__)  # and keep_from_torch sees to it that it is not compiled on its own, either.
    return function


def keep_from_torch() -> None:
    """What torch.compiler.disable would do, which can only be used where torch is imported."""
    frames: Any = getattr(getattr(modules.get("torch._C"), "_dynamo", None), "eval_frame", None)
    if frames is None or not all(hasattr(frames, name) for name in ("set_code_exec_strategy", "_FrameExecStrategy", "_FrameAction")):
        return  # Of another version: it translates these functions for nothing, and calls them all the same.
    skip = frames._FrameAction.SKIP
    codes = _plain_codes[:]
    del _plain_codes[: len(codes)]
    for code in codes:
        frames.set_code_exec_strategy(code, frames._FrameExecStrategy(skip, skip))


def compiler() -> Compiler | None:
    """What traces the calling code now; None where the code simply runs."""
    global _tensorflow_runs, _jax_runs
    if "tensorflow" in modules:
        if _tensorflow_runs is None:
            _tensorflow_runs = getattr(modules["tensorflow"], "executing_eagerly", None)
        if _tensorflow_runs is not None and not _tensorflow_runs():
            from stepscope.writer.in_tensorflow import InTensorFlow

            return InTensorFlow(modules["tensorflow"])
    if "jax" in modules:
        if _jax_runs is None:
            _jax_runs = getattr(modules.get("jax._src.core"), "trace_state_clean", None)
        if _jax_runs is not None and not _jax_runs():
            from stepscope.writer.in_jax import InJax

            return InJax(modules["jax"])
    return None


class Inputs:
    """The values of a call, parted into what is known while tracing and what the compiled code has to hand over."""

    def __init__(self, is_constant: Callable[[object], bool], convert: Callable[[object], object]) -> None:
        """Both as the framework needs them."""
        self._is_constant = is_constant
        self._convert = convert
        self.handed_over: list[object] = []

    def take(self, value: object) -> Callable[[list[object]], object]:
        """Notes a value, and returns what finds it again among those that arrive."""
        if isinstance(value, Mapping):
            parts = {key: self.take(part) for key, part in cast("Mapping[object, object]", value).items()}
            return lambda arrived: {key: part(arrived) for key, part in parts.items()}
        if _is_known(value):
            return lambda _: value
        if self._is_constant(value):
            copied = copy(value)
            return lambda _: copied
        place = len(self.handed_over)
        self.handed_over.append(self._convert(value))
        return lambda arrived: arrived[place]


def _is_known(value: object) -> bool:
    """Whether it is a plain constant of Python, or a list of such."""
    if isinstance(value, list | tuple):
        return all(_is_known(part) for part in cast("list[object]", value))
    return isinstance(value, _CONSTANTS)


def on_arrival(function: Callable[..., object], takers: list[Callable[[list[object]], object]]) -> Callable[..., bool]:
    """The callback: what goes wrong in it must not end a training step that has long passed the call."""

    def arrive(*arrived: object) -> bool:
        try:
            function(*(taker(list(arrived)) for taker in takers))
        except Exception as error:  # noqa: BLE001 (whatever it is, the compiled code goes on)
            _log.warning("Could not log a value from compiled code: %s", error)
            return False
        return True

    return arrive
