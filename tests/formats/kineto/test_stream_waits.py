"""Streams that were told to wait for an event: the work before the event and the work after the wait are tied."""

from __future__ import annotations

from typing import Any

import pytest

from formats.kineto.trace_events import ReadEvents, row_of, span
from stepscope.model.profile import FlowKind


def on_stream(number: int) -> dict[str, Any]:
    return {"pid": 0, "tid": number}


def events(record: int = 3, other_stream: int = 7) -> list[dict[str, Any]]:
    """Two kernels on stream 7 with an event recorded between them, a wait on stream 8, and a kernel before and after it."""
    wait = span("cuda_sync", "Stream Wait Event", 25, 1, **on_stream(8), device=0, stream=8, correlation=5)
    wait["args"] |= {"wait_on_stream": other_stream, "wait_on_cuda_event_record_corr_id": record}
    return [
        span("cuda_runtime", "cudaLaunchKernel", 0, 2, correlation=1),
        span("cuda_runtime", "cudaLaunchKernel", 5, 2, correlation=2),
        span("cuda_runtime", "cudaEventRecord", 10, 2, correlation=3),
        span("cuda_runtime", "cudaLaunchKernel", 15, 2, correlation=4),
        span("cuda_runtime", "cudaStreamWaitEvent", 25, 2, correlation=5),
        span("cuda_runtime", "cudaLaunchKernel", 30, 2, correlation=6),
        wait,
        span("kernel", "early", 3, 2, **on_stream(8), device=0, stream=8, correlation=1),
        span("kernel", "first", 40, 50, **on_stream(7), device=0, stream=7, correlation=2),
        span("kernel", "second", 90, 50, **on_stream(7), device=0, stream=7, correlation=4),
        span("kernel", "waiting", 90, 10, **on_stream(8), device=0, stream=8, correlation=6),
    ]


def test_work_after_a_wait_is_tied_to_work_before_the_event(read_events: ReadEvents) -> None:
    profile = read_events(events())
    assert profile.flows.kind.tolist() == [FlowKind.STREAM_WAIT]
    assert profile.flows.source.tolist() == [row_of(profile, "first")]
    assert profile.flows.target.tolist() == [row_of(profile, "waiting")]


@pytest.mark.parametrize(("record", "other_stream"), [(-1, 7), (99, 7), (3, 20), (3, -1)])
def test_waits_for_what_was_not_recorded_tie_nothing(read_events: ReadEvents, record: int, other_stream: int) -> None:
    assert read_events(events(record, other_stream)).flows.kind.tolist() == []
