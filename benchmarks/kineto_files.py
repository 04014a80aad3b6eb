"""Makes PyTorch traces of any size and measures reading them: `python benchmarks/kineto_files.py` shows three sizes and a gzip file.

A file repeats one training step as torch 2.13 writes it (operations with shapes, Python functions, runtime calls, kernels, copies,
flows, memory), with other times and ids in each step, so that nothing about it is easier than a real one but its names.
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "bench"
LAYERS = 60
STEP_US = 40_000
RANKS = 64

_HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936, "computeMajor": 9, "computeMinor": 0,
     "maxThreadsPerMultiprocessor": 2048, "warpSize": 32, "numSms": 132, "regsPerMultiprocessor": 65536,
     "sharedMemPerMultiprocessor": 233472}
  ],
  "record_shapes": 1, "with_stack": 1, "profile_memory": 1,
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
  "displayTimeUnit": "ms", "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
"""
_TAIL = '  {"ph": "M", "name": "process_name", "pid": 15712, "tid": 0, "args": {"name": "python"}}\n], "traceName": "bench.json"\n}\n'
_KERNEL = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"
_KERNEL_FACTS = (
    '"queued": 0, "device": 0, "context": 1, "stream": 7, "registers per thread": 32, "shared memory": 0, "blocks per SM": 3.2, '
    '"grid": [424, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 20'
)
_NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_MEMORY = '"cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 15712, "tid": 15712'
_MEMORY_FACTS = '"Total Reserved": 0, "Device Id": 0, "Device Type": 1, "Ev Idx": 2060'
_OPS = ("aten::linear", "aten::addmm", "aten::layer_norm", "aten::native_layer_norm", "aten::gelu", "aten::add", "aten::dropout")


def _event(category: str, name: str, thread: tuple[int, int], start: float, length: float, arguments: str) -> str:
    return (
        f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {thread[0]}, "tid": {thread[1]},\n'
        f'    "ts": {start:.3f}, "dur": {length:.3f},\n    "args": {{\n      {arguments}\n    }}\n  }},\n'
    )


def _layer(number: int, layer: int, at: float) -> list[str]:
    """What one layer leaves in a trace: a module, its operations, one launch with its kernel and flow, and an allocation."""
    main, stream = (15712, 15712), (0, 7)
    thread = (15712, 15790) if layer % 2 else main
    external, correlation = number * 1000 + layer * 8 + 2, number * 1000 + layer + 1
    same = f'"External id": {external + 1}, "correlation": {correlation}'
    module = f'"Python parent id": 7, "Python id": {external}, "Ev Idx": 3'
    parts = [_event("python_function", f"nn.Module: Block_{layer}", main, at, 580.5, module)]
    for place, op in enumerate(_OPS):
        arguments = (
            f'"External id": {external + place}, "Record function id": 0, "Concrete Inputs": ["", "", ""], "Ev Idx": {external}, '
            f'"Input type": ["float", "float", "float"], "Input Dims": [[32, 128, {768 + place}], [768, 768], [768]]'
        )
        parts.append(_event("cpu_op", op, thread, at + place * 80 + 1.25, 75.125, arguments))
    parts.append(_event("cuda_runtime", "cudaLaunchKernel", thread, at + 90.5, 6.25, f'{same}, "cbid": 211'))
    parts.append(_event("kernel", _KERNEL, stream, at + 200.125, 350.75, f"{same}, {_KERNEL_FACTS}"))
    for letter, (process, line), moment in (("s", thread, at + 90.5), ("f", stream, at + 200.125)):
        flow = f'"id": {correlation}, "pid": {process}, "tid": {line}, "ts": {moment:.3f}, "cat": "ac2g", "name": "ac2g", "bp": "e"'
        parts.append(f'  {{"ph": "{letter}", {flow}}},\n')
    memory = f'"Total Allocated": {1583320 + layer}, "Bytes": 1728, "Addr": {94252483669632 + layer}, {_MEMORY_FACTS}'
    parts.append(f'  {{"ph": "i", {_MEMORY}, "ts": {at + 20:.3f}, "args": {{{memory}}}}},\n')
    return parts


def step(number: int) -> tuple[str, int]:
    """One step's events as text, and how many they are."""
    base = 3_913_386_163_172.0 + number * STEP_US
    marker = f'"External id": {number * 1000 + 1}'
    parts = [_event("user_annotation", f"ProfilerStep#{number}", (15712, 15712), base, STEP_US - 10.0, marker)]
    for layer in range(LAYERS):
        parts += _layer(number, layer, base + 100 + layer * 600)
    return "".join(parts), len(parts)


def collective(number: int, late_us: float) -> str:
    """The reduction of a step's gradients: all ranks end it together, a late one begins it later."""
    at, launch = 3_913_386_163_172.0 + number * STEP_US + 30_000, (15712, 15790)
    same = f'"External id": {number * 1000 + 990}, "correlation": {number * 1000 + 990}'
    facts = (
        f'{same}, "device": 0, "context": 1, "stream": 20, "grid": [24, 1, 1], "block": [512, 1, 1], "Collective name": "allreduce", '
        f'"In msg nelems": 25557032, "Out msg nelems": 25557032, "Group size": {RANKS}, "dtype": "Float", "Process Group Name": "0", '
        f'"Process Group Description": "default_pg", "Seq": {number}'
    )
    return _event("cuda_runtime", "cudaLaunchKernelExC", launch, at, 6.25, f'{same}, "cbid": 430') + _event(
        "kernel", _NCCL, (0, 20), at + 20 + late_us, 6_000 - late_us, facts
    )


def steps_for(events: int) -> int:
    """How many steps give at least that many events."""
    return -(-events // step(0)[1])


def blocks(steps: int) -> Iterator[str]:
    """The file's text, a step at a time."""
    yield _HEAD
    for number in range(steps):
        yield step(number)[0]
    yield _TAIL


def make(events: int, packed: bool = False) -> Path:
    """A trace of at least that many events, made once."""
    path = KEPT / f"kineto-{events}.pt.trace.json{'.gz' if packed else ''}"
    if path.exists():
        return path
    KEPT.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with gzip.open(partial, "wt", compresslevel=4) if packed else partial.open("w") as file:
        for text in blocks(steps_for(events)):
            file.write(text)
    partial.rename(path)
    return path


def make_ranks(ranks: int, events: int) -> Path:
    """A folder with one trace a rank, as torch's handler for TensorBoard names them; every eighth rank is late.

    What differs between ranks is in the head and in when collectives begin, so that a body is made and packed only twice.
    """
    folder = KEPT / f"ranks-{ranks}-{events}"
    if folder.exists():
        return folder
    draft = folder.with_suffix(".partial")
    draft.mkdir(parents=True, exist_ok=True)
    steps = steps_for(events)
    bodies = [
        _packed("".join(step(number)[0] + collective(number, late_us) for number in range(steps)) + _TAIL) for late_us in (0.0, 4_000.0)
    ]
    for rank in range(ranks):
        head = _HEAD.replace('"rank": 0, "world_size": 8', f'"rank": {rank}, "world_size": {ranks}')
        name = f"host_{15712 + rank}.1790857026{rank:03d}.pt.trace.json.gz"
        (draft / name).write_bytes(_packed(head) + bodies[rank % 8 == 7])
    draft.rename(folder)
    return folder


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=4)


def measure(path: Path) -> dict[str, float]:
    """Seconds, spans and peak memory of one reading, in a process of its own."""
    result = subprocess.run([sys.executable, __file__, "--read", str(path)], capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(result.stdout)
    return figures


def read_once(path: str) -> dict[str, float]:
    """Reads a file into columns in this process."""
    from stepscope.formats.format import Limits
    from stepscope.formats.kineto.read import read

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.perf_counter(), time.process_time()
    profile = read(path, Limits())
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": seconds, "processor_seconds": processor, "spans": len(profile.spans), "peak_mb": peak / 1024}


def main() -> None:
    """Three sizes, and five million events in a gzip file."""
    for events, packed in ((300_000, False), (600_000, False), (1_200_000, False), (5_000_000, True)):
        path = make(events, packed)
        figures = measure(path)
        rate = events / figures["seconds"] / 1e6
        print(
            f"{path.name}: {path.stat().st_size / 1e6:.0f} MB, {events:,} events, {figures['seconds']:.2f} s, "
            f"{figures['processor_seconds']:.2f} s of processor "
            f"({rate:.2f} M events/s), {figures['peak_mb']:.0f} MB more memory"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(read_once(sys.argv[2])))
    else:
        main()
