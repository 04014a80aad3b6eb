"""Drawn files whose idle time has a cause that is easily taken for another."""

from __future__ import annotations

from pathlib import Path

from wild.trace import Trace


def one_off_start(folder: Path) -> Path:
    """One inference without marks: 981 ms of context creation in cudaFree, a first convolution of 682 ms, then 40 convolutions of 10 ms
    that keep the device busy."""
    trace = Trace().on_gpus()
    trace.call("cudaFree", 0, 981)
    trace.op("aten::cudnn_convolution", 981, 682)
    trace.launched("sm90_xmma_fprop_implicit_gemm_bf16bf16_f32", 1662, 1662.1, 9.8)
    for place in range(40):
        at = 1663 + 9.8 * (place + 1)
        trace.op("aten::cudnn_convolution", 1663 + place, 0.5)
        trace.launched("sm90_xmma_fprop_implicit_gemm_bf16bf16_f32", 1663 + place + 0.2, at, 9.8)
    return trace.write(folder)


def start_of_many_steps(folder: Path) -> Path:
    """Eight steps of 20 ms that keep the device busy for 19; the first also creates the context (cudaFree, 981 ms) and tunes its
    first convolution (682 ms)."""
    trace = Trace().on_gpus()
    at = 0.0
    for step in range(8):
        begin, first = at, step == 0
        if first:
            trace.call("cudaFree", at, 981)
            trace.op("aten::cudnn_convolution", at + 981, 682)
            at += 1663
        for place in range(10):
            trace.op("aten::cudnn_convolution", at + 0.2 * place, 0.1)
            trace.launched("sm90_xmma_fprop_implicit_gemm_bf16bf16_f32", at + 0.2 * place + 0.05, at + 0.5 + 1.9 * place, 1.9)
        at += 20
        trace.annotation(f"ProfilerStep#{step}", begin, at - begin)
    return trace.write(folder)


def slow_first_launches(folder: Path) -> Path:
    """Two steps of which the first loads kernels lazily: three launches of 150 ms; the device computes 40 ms of each step."""
    trace = Trace().on_gpus()
    for step, begin in enumerate((0.0, 500.0)):
        trace.annotation(f"ProfilerStep#{step}", begin, 500 if step == 0 else 45)
        at = begin + 1
        for place in range(20):
            slow = step == 0 and place < 3
            call = trace.call("cudaLaunchKernel", at, 150 if slow else 0.005)
            at += 150.1 if slow else 2.1
            trace.kernel(f"kernel_{place % 4}", at - 0.05 if slow else at - 2.09, 2, call)
    return trace.write(folder)


def waits_for_a_stream(folder: Path) -> Path:
    """Six steps of 20 ms: work is launched in the first 2 ms of each, and waits 12 ms for an event of a stream that is not recorded,
    while the host runs operations."""
    trace = Trace().on_gpus()
    for step in range(6):
        at = 20.0 * step
        trace.annotation(f"ProfilerStep#{step}", at, 20)
        trace.launched("sgemm", at + 0.1, at + 0.2, 3)
        trace.launched("softmax_kernel", at + 1, at + 15.5, 4)
        for place in range(8):
            trace.op("aten::add", at + 2 + 1.5 * place, 1.4)
    return trace.write(folder)
