"""Profiles of matrix products whose operations and bytes are known."""

from __future__ import annotations

import numpy as np

from analyses.timeline import MS, Timeline
from stepscope.model.profile import Device, Profile, SpanKind


def product(name: str, device: str) -> Profile:
    """One product of 2·1000³ operations in 100 µs, with a second, short kernel."""
    builder = Timeline(device_facts={})
    builder.span("other", 0, 1, SpanKind.OTHER, "[[1000, 1000], [1000, 1000]]")
    op = builder.op("aten::mm")
    builder.span("main", 0, 50_000, SpanKind.OP, "aten::mm", op=op)
    first = builder.span("main", 10, 20, SpanKind.RUNTIME, "launch")
    second = builder.span("main", 30, 40, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 1_000, 101_000, SpanKind.KERNEL, name, op=op, cause=first)
    builder.span("gpu 0", 101_000, 102_000, SpanKind.KERNEL, "splitKreduce_kernel", op=op, cause=second)
    profile = builder.build()
    shape = profile.names.index("[[1000, 1000], [1000, 1000]]")
    profile.spans.shape[profile.spans.name == profile.names.index("aten::mm")] = np.int32(shape)
    profile.devices[0] = Device(device, "GPU", 0)
    return profile


A100 = Device("NVIDIA A100-SXM4-80GB", "GPU", 0)
TENSOR = "ampere_bf16_s16816gemm_bf16_128x64"


def trained(device: Device = A100, kernel: str = TENSOR, runs: int = 4) -> Profile:
    """Steps of 1 ms, each with a product that does 1 % of what an A100 can do in 16 bits in a step, in 100 µs."""
    builder = Timeline().draw("main   1234"[: 7 + runs])
    op = builder.op("dot.1", flops=312e12 * 1e-3 * 0.01, bytes=1e6)
    for run in range(runs):
        builder.span("gpu 0", run * MS + 100_000, run * MS + 200_000, SpanKind.KERNEL, kernel, op=op)
    profile = builder.build()
    profile.devices[0] = device
    return profile
