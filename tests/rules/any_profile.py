"""Profiles of any shape, drawn from random letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from analyses.timeline import ON_STREAMS, ON_THREADS, Timeline
from stepscope.model.profile import Profile, SpanKind

HOST = st.text("".join(ON_THREADS) + "...", min_size=24, max_size=24)
DEVICE = st.text("".join(ON_STREAMS) + "...", min_size=24, max_size=24)
NAMES = st.fixed_dictionaries(
    {},
    optional={
        "f": st.sampled_from(["EagerKernelExecute", "PjitFunction(add)", "Iterator::Root::Map", "Iterator::Root::Shuffle"]),
        "n": st.sampled_from(["Optimizer.step#SGD.step", "DataParallel.forward", "queue_wait", "ProcessBatch"]),
        "a": st.sampled_from(["cudaFree", "cudaMalloc"]),
        "o": st.sampled_from(["aten::copy_", "CheckpointFunctionBackward", "aten::_foreach_add_", "Broadcast"]),
        "p": st.sampled_from(["torch/utils/checkpoint.py(12): unpack_hook", "torch/nn/parallel/replicate.py(3): replicate"]),
        "i": st.sampled_from(["Iterator::Root", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"]),
        "K": st.sampled_from(["nchwToNhwcKernel", "volta_sgemm_128x64_nn", "bfloat16_copy_kernel_cuda", "fusion_3"]),
        "L": st.sampled_from(["nhwcToNchwKernel", "direct_copy_kernel_cuda", "multi_tensor_apply_kernel"]),
    },
)


def drawn(steps: int, host: str, pool: str, first: str, second: str, names: Mapping[str, str]) -> Profile:
    width = 24 // steps
    markers = "".join(str(step + 1) * width for step in range(steps)).ljust(24, str(steps))
    lines = {"main": markers, "main ": host, "pool 1": pool, "gpu 0/7": first, "gpu 1/8": second}
    picture = [f"{name.strip():10}{letters}" for name, letters in lines.items() if letters.strip(".")]
    line = Timeline().draw("\n".join(picture), **names)
    remat = line.op("dot.remat", "MatMul", scope="jit(f)/rematted_computation", flops=1e9, bytes=1e6)
    for place, span in enumerate(line.spans):
        span.op = remat if place % 5 == 0 and span.kind in (SpanKind.KERNEL, SpanKind.OP) else span.op
        span.collective = ("world", 2, place) if span.kind == SpanKind.COLLECTIVE else None
    profile = line.build()
    sizes = np.arange(len(profile.collectives.row), dtype=np.int64) * 300_000 - 1
    return replace(profile, collectives=replace(profile.collectives, in_bytes=sizes))
