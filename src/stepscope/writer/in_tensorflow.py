"""Logging inside tf.function: an operation that calls back into Python, kept in order by automatic control dependencies."""

from __future__ import annotations

from collections.abc import Callable
from sys import modules
from typing import Any

from stepscope.writer.compiled import Inputs, Shape, on_arrival

_SUMMARY_COLLECTION = "_SUMMARY_V2"
"""Where graphs of TensorFlow 1 look for the summaries to run."""


class InTensorFlow:
    """TensorFlow, while it builds a graph."""

    def __init__(self, tensorflow: Any) -> None:  # noqa: ANN401 (TensorFlow is not imported here)
        """The module that the program has loaded."""
        self._tf = tensorflow

    def shape_of(self, value: object) -> Shape | None:
        """The static shape; of bytes, which may hold a picture, none."""
        if isinstance(value, bytes):
            return None
        shape = self._tf.convert_to_tensor(value).shape
        return None if shape.rank is None else tuple(shape.as_list())

    def is_known(self, values: tuple[object, ...]) -> bool:
        """In TensorFlow 1 a graph is the default all the time, and not only while a function is traced."""
        tf = self._tf
        if tf.compat.v1.get_default_graph().building_function:
            return False
        parts = tf.nest.flatten(values, expand_composites=True)
        return not any(tf.is_symbolic_tensor(part) or isinstance(part, tf.Variable) for part in parts)

    def call_back(self, function: Callable[..., object], values: tuple[object, ...], condition: object) -> Any:  # noqa: ANN401
        """A truth value of the graph: whether something was recorded."""
        tf = self._tf
        self._refuse_xla()
        inputs = Inputs(lambda _: False, tf.convert_to_tensor)
        host = on_arrival(function, [inputs.take(value) for value in values])

        def record() -> Any:  # noqa: ANN401 (a tensor)
            done = tf.numpy_function(host, inputs.handed_over, tf.bool)
            done.set_shape(())
            return done

        condition = self._on_first_replica(condition)
        known = tf.get_static_value(condition)
        if known is not None and not known:
            return tf.constant(False)
        done = record() if known is not None else self._if(condition, record)
        tf.compat.v1.add_to_collection(_SUMMARY_COLLECTION, done)
        return done

    def _if(self, condition: object, record: Callable[[], Any]) -> Any:  # noqa: ANN401 (a tensor)
        """Named as TensorFlow names its own, so that the scopes of the program's branches keep their numbers."""
        tf = self._tf
        return tf.cond(tf.cast(condition, tf.bool), record, lambda: tf.constant(False), name="summary_cond")

    def _on_first_replica(self, condition: object) -> object:
        """As TensorFlow does, one replica speaks for all."""
        tf = self._tf
        replica = tf.distribute.get_replica_context() if tf.distribute.has_strategy() else None
        if replica is None:
            return condition
        return tf.logical_and(tf.cast(condition, tf.bool), tf.equal(replica.replica_id_in_sync_group, 0))

    def _refuse_xla(self) -> None:
        control_flow = modules.get("tensorflow.python.ops.control_flow_util")
        is_in_xla = getattr(control_flow, "GraphOrParentsInXlaContext", None)
        if is_in_xla is not None and is_in_xla(self._tf.compat.v1.get_default_graph()):
            raise RuntimeError(
                "Log what this function returns where it is called: with jit_compile=True, XLA cannot call back into Python."
            )
