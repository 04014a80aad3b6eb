"""Which framework trains in this process, and so which profiler records it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

from stepscope.capture.profilers.allocation_sites import WithAllocationSites
from stepscope.capture.profilers.jax_profiler import JaxProfiler
from stepscope.capture.profilers.marked_ops import WithMarkedOps
from stepscope.capture.profilers.profiler import Options, Profiler
from stepscope.capture.profilers.python_profiler import PythonProfiler
from stepscope.capture.profilers.python_samples import WithSamples
from stepscope.capture.profilers.rank_clock import WithRankClock
from stepscope.capture.profilers.system_counters import WithSystemCounters
from stepscope.capture.profilers.tensorflow_profiler import TensorFlowProfiler
from stepscope.capture.profilers.torch_profiler import TorchProfiler
from stepscope.capture.profilers.worker_samples import WithWorkers

Framework = Literal["torch", "tensorflow", "jax", "python"]

_PROFILERS: dict[Framework, Callable[[Options], Profiler]] = {
    "torch": TorchProfiler,
    "tensorflow": TensorFlowProfiler,
    "jax": JaxProfiler,
    "python": PythonProfiler,
}


def checked_framework(framework: str | None) -> Framework | None:
    """The framework of that name; None stands for the one in use. Raises ValueError."""
    if framework is None:
        return None
    for known in get_args(Framework):
        if framework == known:
            return known
    raise ValueError(f"Give framework as one of {', '.join(get_args(Framework))}, not as {framework!r}.")


def framework_in_use() -> Framework:
    """The backend of Keras where Keras is used, else the framework that is loaded, torch before JAX before TensorFlow.

    Where two are loaded, the later one in this order is mostly there because something imports it, as jax imports tensorflow's data.
    """
    keras: Any = sys.modules.get("keras")
    if keras is not None and hasattr(keras, "backend") and hasattr(keras.backend, "backend"):
        name = keras.backend.backend()
        if name in _PROFILERS:
            return name
    for name in ("torch", "jax", "tensorflow"):
        if name in sys.modules:
            return name
    return "python"


def samples_python(framework: Framework, options: Options) -> bool:
    """Whether Python stacks are sampled; without a word of the user, where no framework's profiler records."""
    return framework == "python" if options.python is None else options.python


def make_profiler(framework: Framework, options: Options) -> Profiler:
    """A profiler of that framework that does not record yet, with what is recorded beside it."""
    samples = samples_python(framework, options)
    profiler: Profiler = WithRankClock(WithMarkedOps(_PROFILERS[framework](replace(options, python=samples))))
    if samples:
        profiler = WithWorkers(profiler if framework == "python" else WithSamples(profiler))
    if options.system:
        profiler = WithSystemCounters(profiler)
    return WithAllocationSites(profiler) if options.allocations else profiler
