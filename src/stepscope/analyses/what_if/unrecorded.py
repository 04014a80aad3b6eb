"""What a recording does not show: a lever on such work has nothing to say, but how to record it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.moving import Ranks

NOT_RECORDED = "Not recorded"

_HOST = {"PyTorch": "ProfilerActivity.CPU", "": "host_tracer_level=2"}
_DEVICE = {"PyTorch": "ProfilerActivity.CUDA or XPU", "": "device_tracer_level=1"}
_ANNOTATED = 'tf.profiler.experimental.Trace("name") around it: the profiler of TensorFlow does not record Python functions'
_PYTHON = {"PyTorch": "with_stack=True", "TensorFlow": _ANNOTATED, "": "python_tracer_level=1"}
_OPTION: dict[TimeClass, dict[str, str]] = {
    TimeClass.PYTHON: _PYTHON,
    TimeClass.IO: _PYTHON,
    TimeClass.GC: _PYTHON | {"PyTorch": "record_python_gc_info=True in experimental_config"},
    TimeClass.H2D: _DEVICE,
    TimeClass.D2H: _DEVICE,
    TimeClass.D2D: _DEVICE,
}
"""By framework, "" for JAX, and for TensorFlow where it has none of its own; all else is recorded with the host."""
_INPUT = "fetch batches with tf.data or torch's DataLoader, or list the name of the fetch in span_kinds.toml"


def unrecorded(ranks: Ranks, levers: Sequence[Lever]) -> str | None:
    """Which lever's work no recording of the session has any span of, and how to record it."""
    for lever in levers:
        classes = [int(each) for each in lever.facts.classes]
        chosen = lever.rows is not None and any(map(len, lever.rows))
        if not classes or chosen or any(np.isin(breakdown.classified.label, classes).any() for _, breakdown in ranks):
            continue
        return f"{NOT_RECORDED}: this profile has no span of {_what(lever)}. {_how(lever.facts.classes[0], ranks[0][0].framework)}"
    return None


def _what(lever: Lever) -> str:
    return lever.facts.text.split(",")[0]


def _how(kind: TimeClass, framework: str) -> str:
    if kind is TimeClass.INPUT:
        return f"If a step waits for input, {_INPUT}."
    options = _OPTION.get(kind, _HOST)
    if framework:
        return f"If a step has any, capture with {options.get(framework, options[''])}."
    others = "JAX" if "TensorFlow" in options else "TensorFlow and JAX"
    return f"If a step has any, capture with {options['PyTorch']} in PyTorch, {options['']} in {others}."
