"""Logging inside jax.jit and JAX's other transformations, through jax.debug.callback."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from sys import modules
from typing import Any

from stepscope.writer.compiled import Inputs, Shape, compiler, on_arrival

_process: int | None = None
"""The process that has asked for callbacks; a fork of it has none to wait for, and no threads of JAX that would make them."""


class InJax:
    """JAX, while it traces."""

    def __init__(self, jax: Any) -> None:  # noqa: ANN401 (JAX is not imported here)
        """The module that the program has loaded."""
        self._jax = jax

    def shape_of(self, value: object) -> Shape | None:
        """The shape, which is always known."""
        shape = getattr(value, "shape", None)
        return None if shape is None else tuple(shape)

    def is_known(self, values: tuple[object, ...]) -> bool:
        """Never: all that is traced runs later, and as often as it is asked to."""
        del values
        return False

    def call_back(self, function: Callable[..., object], values: tuple[object, ...], condition: object) -> bool:
        """True, unless it is known already that the condition does not hold.

        Under vmap both ways of a `cond` are taken, so the condition is handed over and tested once more.
        """
        jax = self._jax
        if not self._is_traced(condition) and not condition:
            return False
        _wait_at_exit()
        inputs = Inputs(lambda value: not self._is_traced(value), lambda value: value)
        takers = [inputs.take(value) for value in values]
        if not self._is_traced(condition):
            jax.debug.callback(on_arrival(function, takers), *inputs.handed_over)
            return True
        holds = inputs.take(condition)

        def when_it_holds(condition: object, *values: object) -> None:
            if condition:
                function(*values)

        host = on_arrival(when_it_holds, [holds, *takers])

        def record(*arrays: object) -> None:
            jax.debug.callback(host, *arrays)

        def leave_out(*arrays: object) -> None:
            del arrays

        jax.lax.cond(condition, record, leave_out, *inputs.handed_over)
        return True

    def _is_traced(self, value: object) -> bool:
        """Whether it is, or holds, an array of JAX. Anything else is known now, and keeps all its bits that way."""
        return any(
            isinstance(leaf, self._jax.Array) or hasattr(leaf, "__jax_array__") for leaf in self._jax.tree_util.tree_leaves(value)
        )


def settle() -> None:
    """Waits until the callbacks of all that JAX was asked to run have been called."""
    jax: Any = modules.get("jax")
    if _process == os.getpid() and jax is not None and compiler() is None:
        jax.effects_barrier()


def _wait_at_exit() -> None:
    """Registered with the first callback, hence after the writers' own end, and so called before it."""
    global _process
    if _process != os.getpid():
        _process = os.getpid()
        atexit.register(settle)
