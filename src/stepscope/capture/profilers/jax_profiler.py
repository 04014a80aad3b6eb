"""JAX's profiler: an XSpace of programs and operations, and a pprof of device memory on request."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from stepscope.capture.profilers.exported import xspaces_below
from stepscope.capture.profilers.inputs import traced_operation
from stepscope.capture.profilers.profiler import Options, Recorded


class JaxProfiler:
    """Python functions are recorded only with `stacks`: they are most of the events, and slow down what they are in."""

    def __init__(self, options: Options) -> None:
        """Loads nothing that the training has not loaded."""
        self._profiler: Any = importlib.import_module("jax").profiler
        self._options = options
        self._scratch = ""

    def start(self) -> None:
        """Exports come to a folder of their own, because their names are chosen by JAX."""
        self._scratch = tempfile.mkdtemp(prefix="stepscope-profile-")
        try:
            self._profiler.start_trace(self._scratch, **self._arguments())
        except BaseException:
            os.rmdir(self._scratch)
            raise

    def _arguments(self) -> dict[str, object]:
        if not hasattr(self._profiler, "ProfileOptions"):  # before 0.5
            return {}
        options = self._profiler.ProfileOptions()
        options.python_tracer_level = int(self._options.stacks)
        return {"profiler_options": options}

    def step(self, number: int) -> AbstractContextManager[object]:
        """JAX's own mark of a step."""
        return self._profiler.StepTraceAnnotation("train", step_num=number)

    def span(self, name: str) -> AbstractContextManager[object]:
        """A TraceMe."""
        return self._profiler.TraceAnnotation(name)

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        """A TraceMe, named as TensorFlow names what it runs."""
        named, attributes = traced_operation(name, inputs)
        return self._profiler.TraceAnnotation(named, **attributes)

    def stop(self, scratch: str) -> list[Recorded]:
        """Ends the trace; what is alive on the devices is asked for after that."""
        self._profiler.stop_trace()
        found = xspaces_below(self._scratch, scratch)
        if self._options.memory:
            path = os.path.join(scratch, "memory.prof")
            self._profiler.save_device_memory_profile(path)
            found.append(Recorded(path, ".memory.prof"))
        return found
