"""Runtime calls, kernels, copies and communication."""

from __future__ import annotations

import numpy as np
import pytest

from formats.kineto.trace_events import ReadEvents, codes, kind_of, names_of, row_of, span
from stepscope.model.profile import NONE, CopyDirection, MemoryKind, SpanKind, TrackRole

PROPERTIES = [
    {
        "id": 1,
        "name": "NVIDIA H100 80GB HBM3",
        "totalGlobalMem": 85018279936,
        "computeMajor": 9,
        "computeMinor": 0,
        "numSms": 132,
        "warpSize": 32,
        "maxThreadsPerMultiprocessor": 2048,
        "regsPerMultiprocessor": 65536,
        "sharedMemPerMultiprocessor": 233472,
    },
    {"id": 0, "name": "NVIDIA H100 80GB HBM3"},
]


def test_a_launch_is_the_cause_of_its_kernel(read_events: ReadEvents) -> None:
    profile = read_events(
        [
            span("kernel", "k", 30, 5, pid=0, tid=7, device=0, stream=7, correlation=9, External_id=4),
            span("cuda_runtime", "cudaLaunchKernel", 12, 2, correlation=9, External_id=4),
            span("cpu_op", "aten::mm", 10, 8, External_id=4),
        ]
    )
    assert profile.spans.cause[row_of(profile, "k")] == row_of(profile, "cudaLaunchKernel")
    assert profile.ops[profile.spans.op[row_of(profile, "k")]].name == "aten::mm"


def test_one_graph_launch_causes_many_kernels(read_events: ReadEvents) -> None:
    kernels = [span("kernel", f"k{n}", 30 + n, 1, pid=0, tid=7, device=0, correlation=9, graph_node_id=n + 1) for n in range(5)]
    profile = read_events([span("cuda_runtime", "cudaGraphLaunch", 10, 2, correlation=9), *kernels])
    assert (profile.spans.cause[profile.kernels.row] == row_of(profile, "cudaGraphLaunch")).all()
    assert sorted(profile.kernels.graph_node.tolist()) == [1, 2, 3, 4, 5]


def test_the_operation_is_that_of_the_launch_when_ids_say_nothing(read_events: ReadEvents) -> None:
    """Some writers put the correlation where the external id goes, which may be the id of any other operation."""
    profile = read_events(
        [
            span("cpu_op", "aten::relu", 1, 1, External_id=9),
            span("cpu_op", "aten::mm", 10, 8, External_id=4),
            span("cuda_runtime", "cudaLaunchKernel", 12, 2, correlation=9, External_id=9),
            span("kernel", "k", 30, 5, pid=0, tid=7, device=0, correlation=9, External_id=9),
        ]
    )
    assert profile.ops[profile.spans.op[row_of(profile, "k")]].name == "aten::mm"


def test_a_kernel_without_a_launch_keeps_the_operation_it_names(read_events: ReadEvents) -> None:
    profile = read_events(
        [
            span("cpu_op", "aten::mm", 1, 1, External_id=4),
            span("kernel", "k", 3, 5, pid=0, tid=7, device=0, correlation=9, External_id=4),
        ]
    )
    row = row_of(profile, "k")
    assert (profile.spans.cause[row], profile.ops[profile.spans.op[row]].name) == (NONE, "aten::mm")
    assert "unlinked" in codes(profile)


def test_launches_without_work_are_told(read_events: ReadEvents) -> None:
    profile = read_events(
        [
            span("cuda_runtime", "cudaLaunchKernel", 1, 1, correlation=8),
            span("kernel", "k", 3, 5, pid=0, tid=7, device=0, correlation=9),
        ]
    )
    assert "launches_without_work" in codes(profile)


def test_flows_link_what_has_no_correlation(read_events: ReadEvents) -> None:
    flow = {"cat": "ac2g", "name": "ac2g", "id": 5}
    profile = read_events(
        [
            span("mtia_runtime", "launch", 1, 2),
            span("kernel", "k", 9, 5, pid=0, tid=7, device=0),
            {**flow, "ph": "s", "pid": 1, "tid": 1, "ts": 1},
            {**flow, "ph": "f", "pid": 0, "tid": 7, "ts": 9, "bp": "e"},
            {**flow, "ph": "f", "pid": 1, "tid": 1, "ts": 1, "bp": "e"},
        ]
    )
    assert profile.spans.cause[row_of(profile, "k")] == row_of(profile, "launch")
    assert {track.role for track in profile.tracks} == {TrackRole.THREAD, TrackRole.STREAM}
    assert len(profile.tracks) == 2, "an end of a flow makes no track"


def test_launch_facts(read_events: ReadEvents) -> None:
    profile = read_events(
        [
            span(
                "kernel",
                "k",
                pid=0,
                tid=7,
                device=0,
                correlation=9,
                grid=[4, 2, 1],
                block=[128, 1, 1],
                registers_per_thread=38,
                shared_memory=1024,
                blocks_per_SM=0.625,
                **{"est._achieved_occupancy_%": 25},
            )
        ]
    )
    table = profile.kernels
    assert (table.grid.tolist(), table.block.tolist()) == ([[4, 2, 1]], [[128, 1, 1]])
    assert (table.registers.tolist(), table.shared_memory.tolist()) == ([38], [1024])
    assert (table.occupancy.tolist(), table.blocks_per_multiprocessor.tolist()) == ([0.25], [0.625])


def test_unknown_facts_are_unknown(read_events: ReadEvents) -> None:
    table = read_events([span("kernel", "k", pid=0, tid=7, device=0, blocks_per_SM="inf")]).kernels
    assert np.isnan(table.occupancy[0])
    assert np.isnan(table.blocks_per_multiprocessor[0])


def test_rocm_has_grids_and_sizes_on_the_launch(read_events: ReadEvents) -> None:
    profile = read_events(
        [
            span("cuda_runtime", "hipLaunchKernel", 1, 1, correlation=5, grid=[3, 1, 1], block=[256, 1, 1], shared_memory=64),
            span("cuda_runtime", "hipMemcpyWithStream", 3, 1, correlation=6, size=2560, kind="1"),
            span("kernel", "k", 5, 1, pid=2, tid=0, device=2, stream=0, correlation=5, kind="Dispatch Kernel"),
            span("gpu_memcpy", "Memcpy HtoD (Host -> Device)", 7, 1, pid=2, tid=0, device=2, stream=0, correlation=6, kind="HtoD"),
        ]
    )
    assert (profile.kernels.grid.tolist(), profile.kernels.shared_memory.tolist()) == ([[3, 1, 1]], [64])
    assert profile.copies.bytes.tolist() == [2560]


@pytest.mark.parametrize(
    ("name", "direction", "source", "target"),
    [
        ("Memcpy HtoD (Pageable -> Device)", CopyDirection.HOST_TO_DEVICE, MemoryKind.PAGEABLE, MemoryKind.DEVICE),
        ("Memcpy HtoD (Pinned -> Device)", CopyDirection.HOST_TO_DEVICE, MemoryKind.PINNED, MemoryKind.DEVICE),
        ("Memcpy HtoD (Host -> Device)", CopyDirection.HOST_TO_DEVICE, MemoryKind.UNKNOWN, MemoryKind.DEVICE),
        ("Memcpy DtoH (Device -> Pinned)", CopyDirection.DEVICE_TO_HOST, MemoryKind.DEVICE, MemoryKind.PINNED),
        ("Memcpy DtoD (Device -> Device)", CopyDirection.DEVICE_TO_DEVICE, MemoryKind.DEVICE, MemoryKind.DEVICE),
        ("Memcpy PtoP (Device -> Device)", CopyDirection.PEER, MemoryKind.DEVICE, MemoryKind.DEVICE),
        ("Memcpy DtoD (Device -> Array)", CopyDirection.DEVICE_TO_DEVICE, MemoryKind.DEVICE, MemoryKind.ARRAY),
        ("Memcpy M2D", CopyDirection.HOST_TO_DEVICE, MemoryKind.PAGEABLE, MemoryKind.DEVICE),
    ],
)
def test_copies(read_events: ReadEvents, name: str, direction: CopyDirection, source: MemoryKind, target: MemoryKind) -> None:
    table = read_events([span("gpu_memcpy", name, pid=0, tid=7, device=0, bytes=4096)]).copies
    assert (table.direction.tolist(), table.source_memory.tolist(), table.target_memory.tolist()) == ([direction], [source], [target])
    assert table.bytes.tolist() == [4096]


def test_fills(read_events: ReadEvents) -> None:
    profile = read_events([span("Memset", "Memset (Device)", pid=0, tid="stream 7", device=0, stream=7, bytes=128)])
    assert kind_of(profile, "Memset (Device)") is SpanKind.FILL
    assert (profile.copies.target_memory.tolist(), profile.copies.bytes.tolist()) == ([MemoryKind.DEVICE], [128])
    assert (profile.tracks[0].number, profile.tracks[0].name) == (7, "stream 7")


def test_devices_are_those_met(read_events: ReadEvents) -> None:
    profile = read_events([span("kernel", "k", pid=1, tid=7, device=1)], deviceProperties=PROPERTIES)
    (device,) = profile.devices
    assert (device.ordinal, device.vendor, device.kind, device.compute_capability) == (1, "NVIDIA", "GPU", (9, 0))
    assert (device.memory_bytes, device.multiprocessors, device.warp_size) == (85018279936, 132, 32)
    assert (device.threads_per_multiprocessor, device.shared_memory_per_multiprocessor) == (2048, 233472)
    assert (profile.tracks[0].device, profile.tracks[0].process) == (0, "GPU 1")


def test_all_devices_when_none_was_met(read_events: ReadEvents) -> None:
    assert [device.ordinal for device in read_events([span("cpu_op", "x")], deviceProperties=PROPERTIES).devices] == [1, 0]


def test_what_is_drawn_on_a_stream_owns_no_time(read_events: ReadEvents) -> None:
    place = {"pid": 0, "tid": 7}
    profile = read_events(
        [
            span("kernel", "k", 1, 1, **place, device=0),
            span("gpu_user_annotation", "ProfilerStep#1", 0, 9, **place),
            span("cuda_sync", "Stream Sync", 3, 4, **place, device=0),
        ]
    )
    roles = {
        profile.names[name]: profile.tracks[track].role for name, track in zip(profile.spans.name, profile.spans.track, strict=True)
    }
    assert roles == {"k": TrackRole.STREAM, "ProfilerStep#1": TrackRole.DERIVED, "Stream Sync": TrackRole.DERIVED}
    assert len(profile.markers.row) == 0
    assert {track.process for track in profile.tracks} == {"GPU 0"}


@pytest.mark.parametrize(
    ("name", "common"),
    [
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "allreduce"),
        ("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "allgather"),
        ("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "reduce_scatter"),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "sendrecv"),
        ("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "allreduce"),
        ("void vllm::cross_device_reduce_2stage<__hip_bfloat16, 8>(vllm::RankData*)", "allreduce"),
        ("void deep_ep::internode::dispatch<false, 8, 16>(void*)", "dispatch"),
        ("dpsk::ep::internode::combine(int)", "combine"),
        ("hcom_allReduce__713_0", "allreduce"),
        ("nvshmemi_alltoall_on_stream", "alltoall"),
    ],
)
def test_kernels_that_communicate(read_events: ReadEvents, name: str, common: str) -> None:
    profile = read_events([span("kernel", name, pid=0, tid=7, device=0)])
    assert kind_of(profile, name) is SpanKind.COLLECTIVE
    assert [profile.names[one] for one in profile.collectives.name] == [common]


@pytest.mark.parametrize(
    "name", ["void at::native::reduce_kernel<512, 1>()", "Cijk_Ailk_Bljk", "nvjet_hsh_128x256", "triton_red_fused_add_0"]
)
def test_other_kernels_do_not(read_events: ReadEvents, name: str) -> None:
    assert kind_of(read_events([span("kernel", name, pid=0, tid=7, device=0)]), name) is SpanKind.KERNEL


METADATA = {
    "Collective_name": "all_to_allv",
    "Process_Group_Name": "5",
    "Group_size": 8,
    "Seq": 41,
    "In_msg_nelems": 100,
    "Out_msg_nelems": 200,
    "dtype": "BFloat16",
}


def test_metadata_on_the_kernel_makes_a_collective(read_events: ReadEvents) -> None:
    profile = read_events([span("kernel", "anything", pid=0, tid=7, device=0, **METADATA)])
    table = profile.collectives
    assert kind_of(profile, "anything") is SpanKind.COLLECTIVE
    assert (profile.names[table.name[0]], profile.names[table.group[0]], profile.names[table.dtype[0]]) == ("alltoall", "5", "BFloat16")
    assert (table.group_size.tolist(), table.sequence.tolist()) == ([8], [41])
    assert (table.in_bytes.tolist(), table.out_bytes.tolist()) == ([200], [400])


def test_metadata_on_the_host_reaches_the_kernel(read_events: ReadEvents) -> None:
    profile = read_events(
        [
            span("cpu_op", "record_param_comms", 1, 5, External_id=3, **METADATA),
            span("cuda_runtime", "cudaLaunchKernelExC", 2, 1, External_id=3, correlation=9),
            span("kernel", "ncclDevKernel_Generic", 5, 9, pid=0, tid=7, device=0, correlation=9, External_id=3),
        ]
    )
    table = profile.collectives
    assert names_of(profile, SpanKind.COLLECTIVE) == ["ncclDevKernel_Generic"], "the host only starts it"
    assert (profile.names[table.name[0]], table.sequence.tolist(), table.in_bytes.tolist()) == ("alltoall", [41], [200])


def test_gloo_bytes_come_from_shapes(read_events: ReadEvents) -> None:
    profile = read_events(
        [span("user_annotation", "gloo:all_gather", 1, 5, Input_Dims=[[4, 8], [2]], Input_type=["float", "c10::Half"])],
        distributedInfo={"backend": "gloo", "rank": 0, "world_size": 2, "pg_config": [{"pg_name": "0", "pg_size": 2}]},
    )
    table = profile.collectives
    assert (profile.names[table.name[0]], table.in_bytes.tolist()) == ("allgather", [4 * 8 * 4 + 2 * 2])
    assert (profile.names[table.group[0]], table.group_size.tolist()) == ("0", [2])
