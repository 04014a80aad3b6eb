"""Schema generations and what becomes of each kind of event on threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formats.kineto.trace_events import ReadEvents, ReadText, codes, kind_of, names_of, row_of, span
from stepscope.model.profile import NONE, FlowKind, MarkerFamily, SpanKind, TrackPurpose, TrackRole

FIRST = 1_700_000_000_000_000


def test_relative_times_with_a_base(read_events: ReadEvents) -> None:
    profile = read_events(
        [span("cpu_op", "a", 3913386163172.827, 443.652), span("cpu_op", "b", 3913386163173.001, 1.5)],
        baseTimeNanoseconds=1790857026000000000,
    )
    assert profile.base_ns == 1790857026000000000 + 3913386163172827
    assert profile.spans.start.tolist() == [0, 174]
    assert profile.spans.end.tolist() == [443652, 1674]


def test_absolute_microseconds(read_events: ReadEvents) -> None:
    profile = read_events([span("Operator", "a", FIRST, 5), span("Operator", "b", FIRST + 2, 1)])
    assert profile.base_ns == FIRST * 1000
    assert profile.spans.start.tolist() == [0, 2000]
    assert profile.window == (0, 5000)


def test_a_clock_that_does_not_count_since_1970_has_no_base(read_events: ReadEvents) -> None:
    profile = read_events([span("cpu_op", "a", 977.506, 0.06)])
    assert (profile.base_ns, profile.spans.end.tolist()) == (0, [60])


def test_ends_are_rounded_and_not_lengths(read_text: ReadText) -> None:
    profile = read_text(
        '[{"ph":"X","name":"outer","pid":1,"tid":1,"ts":0.0004,"dur":0.0032},{"ph":"X","name":"inner","pid":1,"tid":1,"ts":0.0014,"dur":2.2e-3}]'
    )
    assert profile.spans.end.tolist() == [4, 4]
    assert profile.spans.parent.tolist() == [NONE, 0]


@pytest.mark.parametrize("written", ['"12.5"', "12.5", "1.25e1", "12.500000000000"])
def test_times_in_every_spelling(read_text: ReadText, written: str) -> None:
    profile = read_text(f'[{{"ph":"X","name":"x","pid":1,"tid":1,"ts":10,"dur":{written}}}]')
    assert profile.spans.end.tolist() == [12500]


def test_odd_times_are_told(read_events: ReadEvents) -> None:
    profile = read_events([span("cpu_op", "a", 5, -3), {**span("cpu_op", "b"), "ts": "never"}, span("cpu_op", "c", 5, 1)])
    assert names_of(profile, SpanKind.OP) == ["c", "a"]
    assert {"negative_durations", "dropped_events"} <= set(codes(profile))


@pytest.mark.parametrize(
    ("category", "name", "kind"),
    [
        ("cpu_op", "aten::mm", SpanKind.OP),
        ("Operator", "aten::mm", SpanKind.OP),
        ("user_annotation", "## forward ##", SpanKind.ANNOTATION),
        ("user_annotation", "Optimizer.step#Adam.step", SpanKind.ANNOTATION),
        ("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", SpanKind.INPUT),
        ("Operator", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", SpanKind.INPUT),
        ("user_annotation", "enumerate(DataPipe)#Mapper", SpanKind.INPUT),
        ("user_annotation", "[pl][profile][_TrainingEpochLoop].train_dataloader_next", SpanKind.INPUT),
        ("user_annotation", "[pl][profile][Callback]ModelCheckpoint{'monitor': None}.on_train_batch_end", SpanKind.IO),
        ("user_annotation", "[pl][profile]run_training_batch", SpanKind.ANNOTATION),
        ("user_annotation", "gloo:all_reduce", SpanKind.COLLECTIVE),
        ("user_annotation", "nccl:all_reduce", SpanKind.ANNOTATION),
        ("cpu_op", "MPI_Allreduce", SpanKind.COLLECTIVE),
        ("cpu_op", "horovod_allreduce_async", SpanKind.COLLECTIVE),
        ("cpu_op", "oneccl_bindings_for_pytorch::allreduce", SpanKind.COLLECTIVE),
        ("user_annotation", "ProfilerStep#12", SpanKind.MARKER),
        ("cpu_op", "_compile.compile_inner (dynamo_timed)", SpanKind.COMPILE),
        ("cpu_op", "dynamo", SpanKind.COMPILE),
        ("cpu_op", "entire_frame_compile", SpanKind.COMPILE),
        ("cpu_op", "compile_attempt_0", SpanKind.COMPILE),
        ("cpu_op", "TorchDynamo Cache Lookup", SpanKind.FRAMEWORK),
        ("python_function", "Python GC", SpanKind.GC),
        ("user_annotation", "Torch-Compiled Region: 0/0", SpanKind.ANNOTATION),
        ("python_function", "train.py(12): main", SpanKind.PYTHON),
        ("python_function", "torch/_dynamo/convert_frame.py(1103): __call__", SpanKind.COMPILE),
        ("python_function", "triton/compiler/compiler.py(230): compile", SpanKind.COMPILE),
        ("python_function", "triton/compiler/compiler.py(487): launch_metadata", SpanKind.PYTHON),
        ("python_function", "torch/serialization.py(838): save", SpanKind.IO),
        ("python_function", "<built-in function collect>", SpanKind.GC),
        ("cuda_runtime", "cudaLaunchKernel", SpanKind.RUNTIME),
        ("cuda_driver", "cuLaunchKernelEx", SpanKind.RUNTIME),
        ("cuda_runtime", "cudaStreamSynchronize", SpanKind.SYNC),
        ("cuda_runtime", "hipDeviceSynchronize", SpanKind.SYNC),
        ("cuda_runtime", "cudaMemcpy", SpanKind.SYNC),
        ("cuda_runtime", "cudaMemcpyAsync", SpanKind.RUNTIME),
        ("cuda_runtime", "cudaStreamWaitEvent", SpanKind.RUNTIME),
        ("cuda_runtime", "cudaEventQuery", SpanKind.RUNTIME),
        ("cuda_runtime", "cudaMalloc", SpanKind.ALLOC),
        ("cuda_runtime", "cudaHostAlloc", SpanKind.ALLOC),
        ("cuda_runtime", "hipFree", SpanKind.ALLOC),
        ("xpu_runtime", "urEnqueueKernelLaunch", SpanKind.RUNTIME),
        ("made_up", "anything", SpanKind.OTHER),
    ],
)
def test_kinds(read_events: ReadEvents, category: str, name: str, kind: SpanKind) -> None:
    assert kind_of(read_events([span(category, name)]), name) is kind


def test_steps(read_events: ReadEvents) -> None:
    profile = read_events([span("user_annotation", f"ProfilerStep#{n}", n * 10, 9) for n in (12, 10, 11)])
    assert profile.markers.number.tolist() == [10, 11, 12]
    assert set(profile.markers.family.tolist()) == {MarkerFamily.PROFILER_STEP}
    assert profile.spans.step[profile.markers.row].tolist() == [10, 11, 12]


def test_spans_with_a_step_number_mark_steps(read_text: ReadText) -> None:
    profile = read_text('[{"ph":"X","name":"train","pid":1,"tid":1,"ts":1,"dur":1,"args":{"step_num":7}}]')
    assert (profile.markers.number.tolist(), profile.markers.family.tolist()) == ([7], [MarkerFamily.STEP_NUM])


def test_operations_have_shapes_and_no_overloads(read_events: ReadEvents) -> None:
    profile = read_events(
        [span("cpu_op", "aten::empty.memory_format", 1, 1, Input_Dims=[[2, 3], []]), span("cpu_op", "aten::empty", 3, 1)]
    )
    assert {profile.ops[one].name for one in profile.spans.op} == {"aten::empty"}
    assert profile.names[profile.spans.shape[0]] == "[[2, 3], []]"
    assert profile.spans.shape[1] == NONE


def test_thread_purposes(read_events: ReadEvents) -> None:
    named = {3: "thread 3 (pt_data_pin)", 4: "thread 4 (pt_nccl_watchdg)", 9: "thread 9 (python)"}
    profile = read_events(
        [{"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": name}} for tid, name in named.items()]
        + [
            span("user_annotation", "ProfilerStep#1", 0, 9, tid=2),
            span("cpu_op", "autograd::engine::evaluate_function: MulBackward0", 1, 1, tid=9, Fwd_thread_id=1),
            span("python_function", "queue.py(5): get", 1, 1, tid=3),
            span("cuda_runtime", "cudaLaunchKernel", 1, 1, tid=4),
            span("cuda_runtime", "cudaEventQuery", 1, 1, tid=5),
            span("python_function", "torch/utils/data/_utils/pin_memory.py(20): do_one_step", 1, 1, tid=6),
        ]
    )
    assert {track.number: track.purpose for track in profile.tracks} == {
        2: TrackPurpose.MAIN,
        9: TrackPurpose.BACKWARD,
        3: TrackPurpose.INPUT,
        4: TrackPurpose.OTHER,
        5: TrackPurpose.OTHER,
        6: TrackPurpose.INPUT,
    }
    assert {track.name for track in profile.tracks} >= {"thread 3 (pt_data_pin)", "thread 2"}


@pytest.mark.parametrize("tid", ["25738", 25738])
def test_thread_numbers_may_be_text(read_events: ReadEvents, tid: Any) -> None:
    profile = read_events([span("Operator", "x", tid=tid), span("Operator", "y", tid=25738)])
    assert [(track.number, track.role) for track in profile.tracks] == [(25738, TrackRole.THREAD)]


def test_processes_and_threads_may_be_names(read_events: ReadEvents) -> None:
    profile = read_events(
        [span("Trace", "PyTorch Profiler (0)", 0, 50, pid="Spans", tid="PyTorch Profiler"), span("cpu_op", "x", 5, 1)]
    )
    assert [(track.name, track.role) for track in profile.tracks] == [("profiler", TrackRole.DERIVED), ("thread 1", TrackRole.THREAD)]
    assert profile.window == (0, 1000), "only threads and streams make the window"


def test_forward_and_backward_are_paired(read_events: ReadEvents) -> None:
    flow = {"cat": "fwdbwd", "name": "fwdbwd", "id": 5, "pid": 1}
    profile = read_events(
        [
            span("cpu_op", "aten::mul", 10, 5),
            {**flow, "ph": "s", "tid": 1, "ts": 10},
            {**flow, "ph": "f", "tid": 2, "ts": 40, "bp": "e"},
            span("cpu_op", "MulBackward0", 40, 5, tid=2),
        ]
    )
    assert profile.flows.kind.tolist() == [FlowKind.BACKWARD]
    assert (profile.flows.source.tolist(), profile.flows.target.tolist()) == (
        [row_of(profile, "aten::mul")],
        [row_of(profile, "MulBackward0")],
    )


def test_memory_events_become_allocations(read_events: ReadEvents) -> None:
    memory = {"ph": "i", "name": "[memory]", "s": "t", "pid": 1, "tid": 1}
    profile = read_events(
        [
            span("cpu_op", "aten::empty", 10, 5),
            {**memory, "ts": 12, "args": {"Bytes": 64, "Device Type": 0, "Device Id": -1}},
            {
                **memory,
                "cat": "cpu_instant_event",
                "ts": 11,
                "args": {"Bytes": -64, "Addr": 2**63 + 5, "Device Type": 1, "Device Id": 2, "Total Allocated": 7, "Total Reserved": 9},
            },
        ]
    )
    table = profile.allocations
    assert table.bytes.tolist() == [-64, 64]
    assert table.row.tolist() == [0, 0]
    assert [profile.devices[one].ordinal if one >= 0 else None for one in table.device] == [2, None]
    assert (table.allocated.tolist(), table.reserved.tolist()) == ([7, NONE], [9, NONE])
    assert table.address.view(np.uint64)[0] == 2**63 + 5


def test_rank_and_world_after_the_events(read_text: ReadText) -> None:
    profile = read_text(
        '{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"x","pid":1,"tid":1,"ts":1,"dur":1}], '
        '"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "host_name": "node7", "cuda_runtime_version": 12040, '
        '"baseTimeNanoseconds": 1700000000000000000}'
    )
    assert (profile.rank, profile.world_size, profile.host, profile.framework) == (3, 8, "node7", "PyTorch")
    assert profile.environment == {"distributed_backend": "nccl", "cuda_runtime_version": "12040"}
    assert profile.base_ns == 1700000000000001000


def test_a_missing_rank_is_none(read_events: ReadEvents) -> None:
    profile = read_events([span("cpu_op", "x")], distributedInfo={"backend": "nccl", "world_size": 2})
    assert profile.rank == NONE
    assert "no_rank" in codes(profile)


def test_spans_that_do_not_nest_stay_whole(read_events: ReadEvents) -> None:
    profile = read_events([span("cpu_op", "a", 0, 10), span("cpu_op", "b", 5, 10), span("cpu_op", "c", 6, 2)])
    assert (profile.spans.end - profile.spans.start).tolist() == [10_000, 10_000, 2_000]
    assert profile.spans.parent.tolist()[:2] == [NONE, NONE]
    assert len(set(profile.spans.depth.tolist()[:2])) == 2


def test_profiler_overhead_owns_no_time(read_events: ReadEvents) -> None:
    profile = read_events([span("overhead", "Buffer Flush", 0, 50, pid=-1, tid=0), span("cpu_op", "x", 5, 1)])
    assert [track.role for track in profile.tracks] == [TrackRole.DERIVED, TrackRole.THREAD]


@pytest.mark.parametrize("category", ["xpu_runtime", "mtia_runtime", "privateuse1_runtime"])
def test_readers_no_real_file_has_proven_say_so(read_events: ReadEvents, category: str) -> None:
    assert "unproven_reader" in codes(read_events([span(category, "x")]))
