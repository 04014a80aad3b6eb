"""Keeps, for each layer of a Keras model, the worst kind of number seen since the last look.

Where code is compiled, what is seen has to come out of it: on TensorFlow in a variable, which works under XLA, too, and on JAX
through its callback. On torch and in eager code it is simply kept.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from sys import modules
from typing import Any, Protocol

from stepscope.watching.numerics import Place, Sight
from stepscope.writer.compiled import compiler
from stepscope.writer.in_jax import settle

_FINE, _INFINITE, _NAN = 0.0, 1.0, 2.0
_NUMBER_OF = {_FINE: 0.0, _INFINITE: float("inf"), _NAN: float("nan")}


class Sightings(Protocol):
    """What the probe of a Keras model keeps its findings in."""

    def note(self, place: Place, tensor: Any) -> None:  # noqa: ANN401 (a tensor of any backend)
        """Looks at a tensor."""
        ...

    def read(self) -> list[Sight]:
        """What was seen since the last call, by the order in which places were first noted."""
        ...


def sightings(places: Sequence[Place]) -> Sightings:
    """Those of the backend that Keras runs on."""
    on_tensorflow = modules["keras"].backend.backend() == "tensorflow"
    return _OnTensorFlow(places) if on_tensorflow else _OnHost()


class _OnTensorFlow:
    """One variable with a number for each place, read at once."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._tf: Any = modules["tensorflow"]
        self._index = {place: index for index, place in enumerate(places)}
        self._order: dict[Place, None] = {}
        with self._tf.init_scope():
            self._codes = self._tf.Variable([_FINE] * len(places), trainable=False, dtype="float32", name="stepscope_numerics")

    def note(self, place: Place, tensor: Any) -> None:  # noqa: ANN401 (a tensor of TensorFlow)
        tf = self._tf
        values = tensor.values if isinstance(tensor, tf.IndexedSlices) else tensor
        if not tf.is_tensor(values) or not values.dtype.is_floating:
            return
        self._order.setdefault(place)
        nan, infinite = tf.reduce_any(tf.math.is_nan(values)), tf.reduce_any(tf.math.is_inf(values))
        code = tf.where(nan, _NAN, tf.where(infinite, _INFINITE, _FINE))
        self._codes.assign(tf.tensor_scatter_nd_max(self._codes, [[self._index[place]]], [code]))

    def read(self) -> list[Sight]:
        codes = self._codes.numpy()
        if codes.any():
            self._codes.assign([_FINE] * len(codes))
        return [Sight(*place, _NUMBER_OF[float(codes[self._index[place]])]) for place in self._order]


class _OnHost:
    """Numbers that wait, on whatever device they are, until they are read."""

    def __init__(self) -> None:
        self._keras: Any = modules["keras"]
        self._codes: dict[Place, Any] = {}

    def note(self, place: Place, tensor: Any) -> None:  # noqa: ANN401 (a tensor of JAX or torch)
        ops = self._keras.ops
        if not ops.is_tensor(tensor) or "float" not in ops.dtype(tensor) or getattr(tensor, "is_meta", False):
            return
        self._codes.setdefault(place, _FINE)
        code = ops.where(ops.any(ops.isnan(tensor)), _NAN, ops.where(ops.any(ops.isinf(tensor)), _INFINITE, _FINE))
        tracing = compiler()
        if tracing is None:
            self._keep(place, code)
        else:
            tracing.call_back(functools.partial(self._keep, place), (code,), True)

    def _keep(self, place: Place, code: Any) -> None:  # noqa: ANN401 (a number, or a tensor of one)
        kept = self._codes[place]
        self._codes[place] = code if isinstance(kept, float) and kept == _FINE else max(float(kept), float(code))

    def read(self) -> list[Sight]:
        settle()
        codes, self._codes = self._codes, dict.fromkeys(self._codes, _FINE)
        return [Sight(*place, _NUMBER_OF[float(code)]) for place, code in codes.items()]
