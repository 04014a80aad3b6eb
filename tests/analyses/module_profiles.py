"""A profile of a model whose modules call one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyses.timeline import Timeline
from stepscope.model.profile import FlowKind, Flows, Profile, SpanKind


def with_backward(profile: Profile, source: int, target: int) -> Profile:
    flows = Flows(np.array([source], np.int32), np.array([target], np.int32), np.array([FlowKind.BACKWARD], np.int8))
    return replace(profile, flows=flows)


def called() -> Profile:
    """Net holds Linear twice; Linear's operation launches a kernel, and its backward operation another on its own thread."""
    builder = Timeline()
    builder.span("main", 0, 100, SpanKind.PYTHON, "nn.Module: Net_0")
    for call in range(2):
        at = 10 + 40 * call
        builder.span("main", at, at + 30, SpanKind.PYTHON, "nn.Module: Linear_0")
        builder.span("main", at + 5, at + 25, SpanKind.OP, "aten::linear")
        launch = builder.span("main", at + 10, at + 12, SpanKind.RUNTIME, "launch")
        builder.span("gpu 0", at + 20, at + 27, SpanKind.KERNEL, "gemm", cause=launch)
    builder.span("backward", 120, 150, SpanKind.OP, "LinearBackward")
    launch = builder.span("backward", 130, 132, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 140, 151, SpanKind.KERNEL, "gemm", cause=launch)
    profile = builder.build()
    name = {text: place for place, text in enumerate(profile.names)}
    linear = np.flatnonzero(profile.spans.name == name["aten::linear"])[0]
    backward = np.flatnonzero(profile.spans.name == name["LinearBackward"])[0]
    return with_backward(profile, int(linear), int(backward))
