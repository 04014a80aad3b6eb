"""Drawn files in which steps are not marked as the samples mark them, or not at all."""

from __future__ import annotations

from pathlib import Path

from wild.trace import Trace

LAYERS = 10


def _pass(trace: Trace, at: float, layers: int, call: int | None = None, gap: float = 0.0) -> float:
    """Kernels of a model, one product and one norm a layer, then a sampler; all of one launch, or each of its own."""
    for _ in range(layers):
        for name, length in (("nvjet_gemm", 0.3), ("rms_norm_kernel", 0.1)):
            trace.kernel(name, at, length, call if call is not None else trace.call("cudaLaunchKernel", at - 0.01))
            at += length + gap
    trace.kernel("sampler_kernel", at, 0.2, call if call is not None else trace.call("cudaLaunchKernel", at - 0.01))
    return at + 0.2


def graph_replay(folder: Path) -> Path:
    """Eight decode steps of 4.2 ms, each one replay of a graph; all replays were launched at one instant."""
    trace = Trace().on_gpus()
    calls = [trace.call("cudaGraphLaunch", 0.0, 0.0) for _ in range(8)]
    at = 0.1
    for call in calls:
        at = _pass(trace, at, LAYERS, call)
    return trace.write(folder)


def one_replay(folder: Path) -> Path:
    """One replay of a graph with 32 layers and nothing else: its layers are no steps, and nothing says how many steps it is."""
    trace = Trace().on_gpus()
    call, at = trace.call("cudaGraphLaunch", 0.0, 0.01), 0.1
    for _ in range(32):
        for name, length in (("nvjet_gemm", 0.3), ("rms_norm_kernel", 0.1)):
            trace.kernel(name, at, length, call)
            at += length
    return trace.write(folder)


def optimizer_marks(folder: Path) -> Path:
    """Forty trainings steps of 10 ms without ProfilerStep: the loader's calls and Optimizer.step are all that marks them."""
    trace = Trace().on_gpus()
    for step in range(40):
        at = 10.0 * step
        trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 4)
        trace.op("aten::linear", at + 4, 1)
        trace.launched("sgemm", at + 4.2, at + 4.5, 4)
        trace.annotation("Optimizer.step#AdamW.step", at + 8.5, 1.2)
        trace.launched("multi_tensor_apply_kernel", at + 8.6, at + 9, 0.6)
    return trace.write(folder)


def served_steps(folder: Path) -> Path:
    """SGLang: one prefill of 40 ms and nine decode steps of 5 ms, each annotated."""
    trace, at = Trace().on_gpus(), 0.0
    for step in range(10):
        length = 40.0 if step == 0 else 5.0
        trace.annotation("step[EXTEND bs=4 toks=2048]" if step == 0 else "step[DECODE bs=4]", at, length)
        trace.launched("nvjet_gemm", at + 0.1, at + 0.2, length - 0.4)
        at += length
    return trace.write(folder)


def vllm_steps(folder: Path) -> Path:
    """vLLM: one prefill of 30 ms with 512 tokens, and eight decode steps of 8 ms for two requests; the device is busy half of it."""
    trace, at = Trace().on_gpus(), 0.0
    for step in range(9):
        length = 30.0 if step == 0 else 8.0
        name = "execute_context_2(512)_generation_0(0)" if step == 0 else "execute_context_0(0)_generation_2(2)"
        trace.annotation(name, at, length)
        trace.python("vllm/v1/worker/gpu_model_runner.py(2907): execute_model", at + 0.01, length - 0.02)
        trace.launched("nvjet_gemm", at + length / 2, at + length / 2 + 0.01, length / 2 - 0.1)
        at += length
    return trace.write(folder)


def annotated_iterations(folder: Path) -> Path:
    """Six iterations of 20 ms that a user annotated by hand."""
    trace = Trace().on_gpus()
    for step in range(6):
        at = 20.0 * step
        trace.annotation(f"iteration {step}", at, 19.9)
        trace.launched("sgemm", at + 1, at + 1.1, 17)
    return trace.write(folder)


def ranges_of_nvtx(folder: Path) -> Path:
    """Six NVTX ranges of 12 ms around training steps, converted to a Chrome trace as begin and end events."""
    trace = Trace()
    trace.named("process_name", 1, "python train.py")
    for step in range(6):
        at = 12_000.0 * step
        outer, inner = (("B", f"train_step {step}", at), ("E", "", at + 11_900)), (("B", "forward", at + 100), ("E", "", at + 9000))
        for phase, name, time in (outer[0], *inner, outer[1]):
            trace.events.append({"ph": phase, "name": name, "cat": "NVTX", "pid": 1, "tid": 1, "ts": time})
    return trace.write(folder)


def numbered_spans(folder: Path) -> Path:
    """A general Chrome trace whose spans tell their step among the arguments: five steps of 30 ms."""
    trace = Trace()
    for step in range(5):
        at = 30.0 * step
        trace.span("", "load", at, 9, 1, 1, step=step)
        trace.span("", "compute", at + 9, 20, 1, 1, step=step)
    return trace.write(folder)


def layers_of_one_pass(folder: Path) -> Path:
    """One forward pass of ten equal blocks, with Python stacks and memory that grows block by block: one step of unknown marks."""
    trace = Trace().on_gpus()
    trace.python("nn.Module: Transformer_0", 0, 50)
    for block in range(LAYERS):
        at = 5.0 * block
        trace.python("model.py(40): forward", at + 0.01, 4.9)
        for place, name in enumerate(("nvjet_gemm", "softmax_kernel", "rms_norm_kernel")):
            trace.launched(name, at + 0.2 + 1.5 * place, at + 0.25 + 1.5 * place, 1.45)
        trace.memory(at + 1, 1 << 30, (block + 1) << 30)
    return trace.write(folder)


def periods_without_marks(folder: Path) -> Path:
    """Five steps of which only kernels were recorded: they repeat every 4.2 ms, which is a guess and not a mark."""
    trace, at = Trace().on_gpus(), 0.0
    for _ in range(5):
        for name, length in (("embedding_kernel", 0.2), *(("nvjet_gemm", 0.3), ("rms_norm_kernel", 0.1)) * LAYERS):
            trace.kernel(name, at, length)
            at += length
        trace.memory(at - 0.1, 1 << 30, int(at * (1 << 28)))
    trace.op("aten::empty", 0.0, 0.02)
    return trace.write(folder)
