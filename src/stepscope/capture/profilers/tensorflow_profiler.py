"""TensorFlow's profiler: an XSpace of operations, tf.data and allocations."""

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


class TensorFlowProfiler:
    """Shapes and allocations are always in it. TensorFlow 2.21 ignores options, so none are given."""

    def __init__(self, options: Options) -> None:
        """Loads nothing that the training has not loaded."""
        del options
        self._profiler: Any = importlib.import_module("tensorflow").profiler.experimental
        self._scratch = ""

    def start(self) -> None:
        """The profiler asks for its folder at the start, and writes to it at the end."""
        self._scratch = tempfile.mkdtemp(prefix="stepscope-profile-")
        try:
            self._profiler.start(self._scratch)
        except BaseException:
            os.rmdir(self._scratch)
            raise

    def step(self, number: int) -> AbstractContextManager[object]:
        """`_r` makes it the root of a step, for XProf as well."""
        return self._profiler.Trace("train", step_num=number, _r=1)

    def span(self, name: str) -> AbstractContextManager[object]:
        """A TraceMe."""
        return self._profiler.Trace(name)

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        """A TraceMe, named as TensorFlow names what it runs."""
        named, attributes = traced_operation(name, inputs)
        return self._profiler.Trace(named, **attributes)

    def stop(self, scratch: str) -> list[Recorded]:
        """Exports to the folder of the start."""
        self._profiler.stop()
        return xspaces_below(self._scratch, scratch)
