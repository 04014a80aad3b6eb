"""GPUs, TPUs and what hangs on their spans, from files made by hand after the published format."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import xspace_bytes as xb
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.model.profile import (
    NONE,
    CopyDirection,
    MarkerFamily,
    MemoryKind,
    Profile,
    SpanKind,
    TrackRole,
)

US = 1_000_000
"""Picoseconds in a microsecond."""
FUSION = "%fusion.1 = f32[8,128]{1,0} fusion(%p0)"


def read(folder: Path, content: bytes) -> Profile:
    return FORMAT.read(xb.write(folder, content), Limits())


def rows_named(profile: Profile, name: str) -> list[int]:
    return [row for row in range(len(profile.spans)) if profile.names[profile.spans.name[row]] == name]


@pytest.fixture
def gpu(tmp_path: Path) -> Profile:
    host = xb.Plane("/host:CPU")
    host.line(
        "python",
        host.event("cuLaunchKernel", 1 * US, 2 * US, correlation_id=7),
        host.event("cuMemcpyHtoDAsync_v2", 4 * US, 1 * US, correlation_id=8),
        host.event("cuStreamSynchronize", 6 * US, 10 * US, correlation_id=9),
        host.event("cuMemAlloc_v2", 17 * US, 1 * US),
        host.event("customThing", 19 * US, 1 * US),
        host.event("driverCallOfTomorrow", 20 * US, 1 * US, correlation_id=10),
        timestamp_ns=1000,
        id=-5,
    )
    device = xb.Plane("/device:GPU:1")
    device.set(clock_rate=1_410_000, core_count=108, memory_size=40 << 30, memory_bandwidth=1_555_000_000_000)
    device.set(compute_cap_major=8, compute_cap_minor=0, device_vendor="Nvidia", gpu_device_name="NVIDIA A100")
    details = "ref:regs:128 static_shared:1024 dynamic_shared:49152 grid:64,2,1 block:256,1,1 occ_pct:31.25"
    device.line(
        "Stream #13(Compute)",
        device.event(
            "gemm", 5 * US, 3 * US, correlation_id=7, kernel_details=details, tf_op="ref:model/dense/MatMul:MatMul", is_eager=1
        ),
        device.event("second of the launch", 8 * US, 1 * US, correlation_id=7, cuda_graph_node_id=42, kernel_details="garbage"),
        device.event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9 * US, 1 * US),
        device.event("MemcpyH2D", 10 * US, 1 * US, correlation_id=8, memcpy_details="ref:kind_src:pageable kind_dst:device size:4096"),
        device.event("MEMCPYDToH", 11 * US, 1 * US),
        device.event("Memset", 12 * US, 1 * US, Memset_details="kind:device num_bytes:64 async:1"),
        id=13,
        timestamp_ns=1000,
    )
    device.line("XLA Ops", device.event("gemm", 5 * US, 3 * US), id=0xDEADBEEF)
    device.line("Steps", device.event("17", 5 * US, 8 * US), id=0xDEADBEE0)
    device.line(
        "_counters_", device.event("power", 1 * US, 0, counter_value=250.5), device.event("power", 2 * US, 0, counter_value=251)
    )
    return read(tmp_path, xb.space(host, device))


def test_roles_of_lines(gpu: Profile) -> None:
    assert [(track.name, track.role, track.process, track.device) for track in gpu.tracks] == [
        ("python", TrackRole.THREAD, "host", NONE),
        ("Stream #13(Compute)", TrackRole.STREAM, "GPU 1", 0),
        ("XLA Ops", TrackRole.DERIVED, "GPU 1", 0),
        ("Steps", TrackRole.MARKER, "GPU 1", 0),
        ("_counters_", TrackRole.COUNTER, "GPU 1", 0),
        ("power", TrackRole.COUNTER, "GPU 1", 0),
    ]
    assert gpu.tracks[0].number == -5
    assert gpu.tracks[1].number == 13


def test_kinds_of_calls_and_device_spans(gpu: Profile) -> None:
    kinds = {
        gpu.names[name]: SpanKind(kind).name
        for name, kind, track in zip(gpu.spans.name, gpu.spans.kind, gpu.spans.track, strict=True)
        if track < 2
    }
    assert kinds == {
        "cuLaunchKernel": "RUNTIME",
        "cuMemcpyHtoDAsync_v2": "RUNTIME",
        "cuStreamSynchronize": "SYNC",
        "cuMemAlloc_v2": "ALLOC",
        "customThing": "ANNOTATION",
        "driverCallOfTomorrow": "RUNTIME",
        "gemm": "KERNEL",
        "second of the launch": "KERNEL",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL": "COLLECTIVE",
        "MemcpyH2D": "COPY",
        "MEMCPYDToH": "COPY",
        "Memset": "FILL",
    }


def test_launches_cause_what_they_started(gpu: Profile) -> None:
    (launch,) = rows_named(gpu, "cuLaunchKernel")
    (copy,) = rows_named(gpu, "cuMemcpyHtoDAsync_v2")
    stream = slice(gpu.tracks[1].first_row, gpu.tracks[1].last_row)
    assert gpu.spans.cause[stream].tolist() == [launch, launch, NONE, copy, NONE, NONE]
    assert gpu.spans.start[stream].tolist() == [6000, 9000, 10000, 11000, 12000, 13000]


def test_kernels_copies_and_collectives(gpu: Profile) -> None:
    kernels = gpu.kernels
    assert gpu.names[gpu.spans.name[kernels.row[0]]] == "gemm"
    assert kernels.grid.tolist() == [[64, 2, 1], [0, 0, 0]]
    assert kernels.block[0].tolist() == [256, 1, 1]
    assert kernels.registers.tolist() == [128, 0]
    assert kernels.shared_memory.tolist() == [50176, 0]
    assert kernels.occupancy[0] == pytest.approx(0.3125)
    assert math.isnan(kernels.occupancy[1])
    assert kernels.graph_node.tolist() == [NONE, 42]
    copies = gpu.copies
    assert [CopyDirection(direction).name for direction in copies.direction] == ["HOST_TO_DEVICE", "DEVICE_TO_HOST", "UNKNOWN"]
    assert copies.bytes.tolist() == [4096, NONE, 64]
    assert [MemoryKind(kind).name for kind in copies.source_memory] == ["PAGEABLE", "UNKNOWN", "UNKNOWN"]
    assert [MemoryKind(kind).name for kind in copies.target_memory] == ["DEVICE", "UNKNOWN", "DEVICE"]
    assert [gpu.names[name] for name in gpu.collectives.name] == ["allreduce"]


def test_operations_of_kernels(gpu: Profile) -> None:
    (row,) = [row for row in rows_named(gpu, "gemm") if gpu.spans.track[row] == 1]
    operation = gpu.ops[gpu.spans.op[row]]
    assert (operation.name, operation.type, operation.scope, operation.eager) == ("model/dense/MatMul", "MatMul", "model/dense", True)


def test_device_facts_steps_and_counters(gpu: Profile) -> None:
    (device,) = gpu.devices
    assert (device.name, device.kind, device.ordinal, device.vendor) == ("NVIDIA A100", "GPU", 1, "Nvidia")
    assert (device.multiprocessors, device.clock_hz, device.compute_capability) == (108, 1.41e9, (8, 0))
    assert (device.memory_bytes, device.memory_bandwidth) == (40 << 30, 1.555e12)
    assert [(int(number), MarkerFamily(family)) for number, family in zip(gpu.markers.number, gpu.markers.family, strict=True)] == [
        (17, MarkerFamily.DEVICE_STEP)
    ]
    assert gpu.counters.value.tolist() == [250.5, 251.0]
    assert set(gpu.counters.track.tolist()) == {5}
    assert [note.code for note in gpu.notes] == ["unproven_reader"]


def test_a_rocm_gpu(tmp_path: Path) -> None:
    device = xb.Plane("/device:GPU:0").set(device_vendor="AMD")
    details = "ref: grid:16,1,1 block:512,1,1 private_mem:0 group_mem:2112 occ_pct:0"
    device.line(
        "Stream #2",
        device.event("__amd_rocclr_copyBuffer.kd", 0, US, kernel_details=details),
        device.event("CopyDeviceToDevice", US, US, memcpy_details="kind_src:device kind_dst:pinned size:7"),
        device.event("__amd_rocclr_fillBufferAligned.kd", 2 * US, US, kernel_details="grid:4,5,6\nblock: 7,8,9\ngroup_mem:3"),
        device.event(
            "conv",
            3 * US,
            US,
            kernel_details="regs:2191500840 grid:1,1,1 block:1,1,1",
            hlo_op="ref:cudnn-conv.1",
            hlo_module="ref:jit_f",
            program_id=15,
            name="ref:jit(f)/conv",
            tf_op="ref:XlaModule:",
        ),
        device.event("reduce", 4 * US, US, hlo_op="ref:all-gather.3"),
    )
    profile = read(tmp_path, xb.space(device))
    assert [SpanKind(kind).name for kind in profile.spans.kind] == ["COPY", "COPY", "FILL", "KERNEL", "COLLECTIVE"]
    assert [CopyDirection(one).name for one in profile.copies.direction] == ["DEVICE_TO_DEVICE", "DEVICE_TO_DEVICE", "UNKNOWN"]
    assert profile.kernels.shared_memory.tolist() == [2112, 3, 0]
    assert profile.kernels.grid.tolist() == [[16, 1, 1], [4, 5, 6], [1, 1, 1]]
    assert profile.kernels.block[1].tolist() == [7, 8, 9]
    assert profile.kernels.registers.tolist() == [0, 0, 0]  # as many as the file says are none
    assert math.isnan(profile.kernels.occupancy[0])
    operation = profile.ops[profile.spans.op[3]]
    assert (operation.name, operation.type, operation.scope, operation.program) == (
        "cudnn-conv.1",
        "cudnn-conv",
        "jit(f)/conv",
        "jit_f(15)",
    )
    assert [profile.names[name] for name in profile.collectives.name] == ["allgather"]
    assert profile.notes == []


@pytest.fixture
def tpu(tmp_path: Path) -> Profile:
    plane = xb.Plane("/device:TPU:2").set(
        device_type_string="TPU v5 lite", peak_teraflops_per_second=197.0, peak_hbm_bw_gigabytes_per_second=819.0
    )
    cost = {"hlo_category": "ref:loop fusion", "flops": 2048, "bytes_accessed": 512, "shape_with_layout": "ref:f32[8,128]{1,0}"}
    plane.describe(FUSION, "fusion.1", tf_op="ref:jit(f)/mul:Mul", source="ref:train.py:12", program_id=3, **cost)
    plane.describe("%infeed.2 = ...", "infeed.2", hlo_category="ref:infeed")
    plane.describe("%outfeed.2 = ...", "outfeed.2", hlo_category="ref:outfeed")
    plane.describe("%all-reduce.9 = ...", "all-reduce.9", hlo_category="ref:all-reduce")
    plane.line("Steps", plane.event("11", 0, 50 * US), plane.event("12", 50 * US, 50 * US), id=1)
    plane.line("XLA Modules", plane.event("jit_f(3)", 0, 50 * US, run_id=9), id=2)
    plane.line(
        "XLA Ops",
        plane.event("%infeed.2 = ...", 0, 5 * US),
        plane.event(FUSION, 5 * US, 20 * US),
        plane.event("%all-reduce.9 = ...", 25 * US, 5 * US),
        plane.event("%outfeed.2 = ...", 30 * US, 5 * US),
        id=3,
    )
    plane.line("Async XLA Ops", plane.event("copy-start.1", 2 * US, 4 * US), id=4)
    plane.line("XLA TraceMe", plane.event("scope", 2 * US, 4 * US), id=5)
    sparse = xb.Plane("/device:TPU:2 SparseCore 1")
    sparse.line("Sparse Core Ops", sparse.event("gather", 0, US))
    return read(tmp_path, xb.space(plane, sparse))


def test_a_tpu(tpu: Profile) -> None:
    assert [(track.name, track.role.name, track.process) for track in tpu.tracks] == [
        ("Steps", "MARKER", "TPU 2"),
        ("XLA Modules", "DERIVED", "TPU 2"),
        ("XLA Ops", "STREAM", "TPU 2"),
        ("Async XLA Ops", "STREAM", "TPU 2"),
        ("XLA TraceMe", "DERIVED", "TPU 2"),
        ("Sparse Core Ops", "STREAM", "TPU 2 SparseCore 1"),
    ]
    assert {track.device for track in tpu.tracks} == {0}
    assert (tpu.devices[0].name, tpu.devices[0].peak_flops, tpu.devices[0].memory_bandwidth) == ("TPU v5 lite", 197e12, 819e9)
    assert tpu.markers.number.tolist() == [11, 12]
    assert tpu.spans.step[:2].tolist() == [11, 12]
    ops = {tpu.names[tpu.spans.name[row]]: SpanKind(tpu.spans.kind[row]).name for row in range(tpu.tracks[2].first_row, len(tpu.spans))}
    assert ops == {
        "infeed.2": "COPY",
        "fusion.1": "KERNEL",
        "all-reduce.9": "COLLECTIVE",
        "outfeed.2": "COPY",
        "copy-start.1": "COPY",
        "scope": "OTHER",
        "gather": "KERNEL",
    }
    assert [CopyDirection(one).name for one in tpu.copies.direction] == ["HOST_TO_DEVICE", "DEVICE_TO_HOST", "DEVICE_TO_DEVICE"]
    assert [note.code for note in tpu.notes] == ["unproven_reader"]


def launched_modules(tmp_path: Path, *, device: int = 2, run: int = 9, queue: int = 0, **more: int) -> Profile:
    """A host that enqueues a program at 1 and at 40 µs, and the device that runs it at 5 and at 50."""
    host, plane = xb.Plane("/host:CPU"), xb.Plane("/device:TPU:2")
    calls = [
        host.event("DoEnqueueProgram", at * US, 2 * US, run_id=number, device_ordinal=device, queue_id=queue, **more)
        for at, number in ((1, run), (40, run + 1))
    ]
    host.line("main", *calls, host.event("other", 60 * US, US), id=1)
    plane.line(
        "XLA Modules",
        plane.event("jit_f(3)", 5 * US, 20 * US, run_id=9, queue_id=0),
        plane.event("jit_f(3)", 50 * US, 20 * US, run_id=10 | 1 << 27, queue_id=0),
        plane.event("jit_g(4)", 80 * US, 5 * US, run_id=77, queue_id=0),
        id=2,
    )
    ops = [plane.event(f"fusion.{at}", at * US, US) for at in (5, 24, 25, 50, 80)]
    plane.line("XLA Ops", *ops, id=3)
    plane.line("Async XLA Ops", plane.event("copy-start.1", 51 * US, 4 * US), id=4)
    return read(tmp_path, xb.space(host, plane))


def causes(profile: Profile) -> dict[str, tuple[str, int] | None]:
    """Name and start in µs of what launched each, by name."""
    spans, names = profile.spans, profile.names
    found: dict[str, tuple[str, int] | None] = {}
    for row in range(len(spans)):
        cause = int(spans.cause[row])
        found[names[spans.name[row]]] = (
            None if cause < 0 else (names[spans.name[cause]], int(spans.start[cause] - spans.start.min()) // 1_000)
        )
    return found


def test_what_a_tpu_ran_is_tied_to_the_call_that_enqueued_it(tmp_path: Path) -> None:
    profile = launched_modules(tmp_path)
    first, second = ("DoEnqueueProgram", 0), ("DoEnqueueProgram", 39)
    found = causes(profile)
    assert {name: found[name] for name in ("fusion.5", "fusion.24", "fusion.25", "fusion.50", "copy-start.1", "fusion.80")} == {
        "fusion.5": first,
        "fusion.24": first,
        "fusion.25": None,  # after the module's end
        "fusion.50": second,  # devices keep 27 bits of a run's number
        "copy-start.1": second,
        "fusion.80": None,  # its call was not recorded
    }
    assert {SpanKind(profile.spans.kind[row]).name for row in rows_named(profile, "DoEnqueueProgram")} == {"RUNTIME"}


@pytest.mark.parametrize("other", [{"device": 1}, {"run": 20}, {"queue": 3}, {"core_type": 1}])
def test_calls_of_another_device_run_queue_or_core_launched_nothing(tmp_path: Path, other: dict[str, int]) -> None:
    assert set(causes(launched_modules(tmp_path, **other)).values()) == {None}


def test_operations_of_a_tpu_know_their_cost(tpu: Profile) -> None:
    (row,) = rows_named(tpu, "fusion.1")
    operation = tpu.ops[tpu.spans.op[row]]
    assert (operation.name, operation.type, operation.scope) == ("fusion.1", "fusion", "jit(f)/mul")
    assert (operation.category, operation.source, operation.flops, operation.bytes) == ("loop fusion", "train.py:12", 2048.0, 512.0)
    assert tpu.names[tpu.spans.shape[row]] == "f32[8,128]{1,0}"


def test_allocations_know_their_device_and_the_span_around_them(tmp_path: Path) -> None:
    host = xb.Plane("/host:CPU")
    facts = {"allocator_name": "ref:GPU_1_bfc", "addr": 4096, "tf_op": "ref:dense/MatMul", "shape": "ref:[2,3]", "data_type": 14}
    host.line(
        "python",
        host.event("MatMul:MatMul", 0, 10 * US),
        host.event("MemoryAllocation", 2 * US, 1000, allocation_bytes=512, requested_bytes=500, bytes_allocated=900, **facts),
        host.event("MemoryDeallocation", 3 * US, 0, requested_bytes=500, bytes_allocated=400, allocator_name="ref:mklcpu"),
        host.event("MemoryAllocation", 20 * US, 0),
    )
    device = xb.Plane("/device:GPU:1").set(device_vendor="AMD")
    allocations = (profile := read(tmp_path, xb.space(host, device))).allocations
    assert len(profile.spans) == 1
    assert allocations.time.tolist() == [2000, 3000, 20000]
    assert allocations.bytes.tolist() == [512, -500, 0]
    assert allocations.allocated.tolist() == [900, 400, NONE]
    assert allocations.device.tolist() == [0, NONE, NONE]
    assert allocations.row.tolist() == [0, 0, NONE]
    assert allocations.address.tolist() == [4096, NONE, NONE]
    texts = [profile.names[column[0]] for column in (allocations.allocator, allocations.op, allocations.shape, allocations.dtype)]
    assert texts == ["GPU_1_bfc", "dense/MatMul", "[2,3]", "bfloat16"]
