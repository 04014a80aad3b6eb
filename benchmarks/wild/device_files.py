"""Drawn files of devices that the samples do not have, or whose work is missing."""

from __future__ import annotations

from pathlib import Path

from wild.trace import HOST, MAIN, Trace

DEVICE = 200


def launches_without_kernels(folder: Path) -> Path:
    """Six training steps of 20 ms on a GPU whose kernels were not recorded: there are launches and operations alone."""
    trace = Trace()
    trace.top["schemaVersion"] = 1
    for step in range(6):
        at = 20.0 * step
        trace.annotation(f"ProfilerStep#{step}", at, 20)
        for place in range(12):
            trace.op("aten::linear", at + 1.5 * place, 1.2)
            trace.call("cudaLaunchKernel", at + 1.5 * place + 0.3, 0.01)
    return trace.write(folder)


def ascend(folder: Path) -> Path:
    """Five steps of 30 ms on an Ascend NPU as torch_npu exports them: streams of "Ascend Hardware", busy for 26 ms of each step."""
    trace = Trace()
    for pid, name, label in ((HOST, "Python", "CPU"), (DEVICE, "Ascend Hardware", "NPU"), (300, "Overlap Analysis", "NPU")):
        trace.named("process_name", pid, name)
        trace.named("process_labels", pid, label)
    trace.named("thread_name", DEVICE, "Stream 2", 2)
    for step in range(5):
        at = 30.0 * step
        trace.span("cpu_op", f"ProfilerStep#{step}", at, 30)
        trace.op("aten::matmul", at + 0.5, 0.2)
        for place in range(2):
            key = 2 * step + place
            begin = at + 1 + 14 * place
            trace.span("", "MatMulV2", begin, 13, DEVICE, 2, Task_Type="AI_CORE")
            trace.span("", "EVENT_WAIT", begin + 13, 1, DEVICE, 2, Task_Type="EVENT_WAIT")
            for phase, pid, tid, time in (("s", HOST, MAIN, at + 0.6), ("f", DEVICE, 2, begin)):
                trace.events.append(
                    {
                        "ph": phase,
                        "bp": "e",
                        "cat": "async_npu",
                        "name": "async_npu",
                        "id": key,
                        "pid": pid,
                        "tid": tid,
                        "ts": time * 1e3,
                    }
                )
        trace.span("", "Computing", at + 1, 26, 300, 0)
    return trace.write(folder)


def mtia(folder: Path) -> Path:
    """Four steps of 10 ms on MTIA: 3 ms of compute, then a wait for an event and a transfer, which are no compute."""
    trace = Trace()
    trace.top["schemaVersion"] = 1
    trace.named("process_labels", 0, "MTIA 0")
    for step in range(4):
        at = 10.0 * step
        trace.annotation(f"ProfilerStep#{step}", at, 10)
        for name, begin, length in (("fused_linear", 1, 3), ("event_wait", 4, 4), ("dma_request", 8, 1)):
            call = trace.call("mtiaLaunchKernel", at + 0.5)
            trace.events[-1]["cat"] = "mtia_runtime"
            trace.kernel(name, at + begin, length, call)["cat"] = "mtia_ccp_events"
    return trace.write(folder)


def unknown_accelerator(folder: Path) -> Path:
    """Four iterations of 25 ms on an accelerator that no rule knows: a process labelled "ZPU 0" whose threads are streams."""
    trace = Trace()
    trace.named("process_name", 1, "python")
    trace.named("process_name", DEVICE, "Zed Device")
    trace.named("process_labels", DEVICE, "ZPU 0")
    trace.named("thread_name", DEVICE, "stream 1", 1)
    for step in range(4):
        at = 25.0 * step
        trace.span("cpu_op", "forward_backward", at + 0.1, 24, 1, 1)
        trace.span("", f"iteration {step}", at, 25, 1, 1)
        trace.span("", "conv2d_tile", at + 1, 23, DEVICE, 1)
        for phase, pid, tid, time in (("s", 1, 1, at + 0.5), ("f", DEVICE, 1, at + 1)):
            trace.events.append({"ph": phase, "cat": "enqueue", "name": "run", "id": step, "pid": pid, "tid": tid, "ts": time * 1e3})
    return trace.write(folder)


def legacy_autograd(folder: Path) -> Path:
    """PyTorch before it wrote categories: operations of "CPU functions", kernels of "CUDA functions", and an arrow between each two."""
    trace = Trace()
    for place in range(50):
        called, at = 0.5 * place, 0.1 + 2.0 * place
        trace.span("", "aten::mm", called, 0.4, "CPU functions", 0)
        trace.span("", "sgemm", at, 2, "CUDA functions", 0)
        for phase, pid, time, name in (("s", "CPU functions", called, "aten::mm"), ("f", "CUDA functions", at, "sgemm")):
            trace.events.append({"ph": phase, "cat": "cpu_to_cuda", "name": name, "id": place, "pid": pid, "tid": 0, "ts": time * 1e3})
    return trace.write(folder)
