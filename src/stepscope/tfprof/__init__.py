"""tf.profiler of TensorFlow 1 without TensorFlow: costs of a graph's nodes by operation, name scope, data flow and Python call."""

from __future__ import annotations

from stepscope.tfprof.option_builder import ProfileOptionBuilder
from stepscope.tfprof.profiler import Profiler, advise, profile
from stepscope.tfprof.results import ProfileNode

__all__ = ["ProfileNode", "ProfileOptionBuilder", "Profiler", "advise", "profile"]
