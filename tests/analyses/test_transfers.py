"""The table of copies on drawn profiles: directions, sizes, streams, what the step sees of them, and what waited for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.work.transfers import TransferRow, TransfersBy, transfers
from stepscope.model.profile import CopyDirection, MemoryKind, Profile, SpanKind

UP, DOWN = CopyDirection.HOST_TO_DEVICE, CopyDirection.DEVICE_TO_HOST


def table(profile: Profile, by: TransfersBy = TransfersBy.DIRECTION) -> list[TransferRow]:
    return transfers(profile, break_down(profile), by)


def with_memory(profile: Profile, source: MemoryKind) -> Profile:
    """Every copy comes from that kind of memory."""
    told = np.full(len(profile.copies.row), source, np.int8)
    return replace(profile, copies=replace(profile.copies, source_memory=told))


def test_directions_sizes_and_who_waited() -> None:
    builder = Timeline().draw("main   1111111111")
    wait = builder.span("main", 0, 3 * MS, SpanKind.SYNC, "cudaMemcpy")
    later = builder.span("main", 4 * MS, 4 * MS + 10, SpanKind.RUNTIME, "cudaMemcpyAsync")
    builder.span("gpu 0", MS, 2 * MS, SpanKind.COPY, "h", direction=UP, bytes=4_000_000, cause=wait)
    builder.span("gpu 0", 5 * MS, 7 * MS, SpanKind.COPY, "h", direction=UP, bytes=8_000_000, cause=later)
    builder.span("gpu 0", 8 * MS, 9 * MS, SpanKind.COPY, "d", direction=DOWN)
    builder.span("gpu 0", 9 * MS, 10 * MS, SpanKind.KERNEL, "k")
    first, second = table(builder.build())
    assert (first.direction, first.count, first.bytes, first.total_ns) == ("host to device", 2, 12_000_000, 3 * MS)
    assert first.bandwidth == pytest.approx(4e9)
    assert (first.largest, first.streams, first.host_memory) == (8_000_000, (7,), "unknown")
    assert (first.blocked_ns, first.blocked_by) == (2 * MS, "cudaMemcpy")
    assert (first.exposed_ns, first.overlapped_ns) == (3 * MS, 0)
    assert (second.direction, second.bytes, second.largest, second.bandwidth, second.blocked_by) == (
        "device to host", None, None, None, "",
    )  # fmt: skip


def test_a_copy_beside_a_kernel_is_overlapped() -> None:
    picture = """
        main     11111111112222222222
        gpu 0    KKKKKKKK  KKKKKKKK
        gpu 0/9      HHHHHH    HHHHHH
    """
    (row,) = table(timeline(picture))
    assert (row.overlapped_ns, row.exposed_ns) == (4 * MS, 2 * MS)
    assert row.total_ns == 12 * MS


def test_a_synchronising_call_waits_for_what_ended_last() -> None:
    picture = """
        main     1111111111
        main     l l
        main         sssssss
        gpu 0     KKKK
        gpu 0/9        DDD
    """
    (row,) = table(timeline(picture, s="cudaStreamSynchronize"))
    assert (row.blocked_ns, row.blocked_by) == (5 * MS, "cudaStreamSynchronize")
    kernel_last = picture.replace("gpu 0     KKKK", "gpu 0     KKKKKKKKK")
    (row,) = table(timeline(kernel_last))
    assert (row.blocked_ns, row.blocked_by) == (0, "")


def test_rows_by_operation_and_by_stream() -> None:
    builder = Timeline().draw("main   1111111111")
    for place, (name, stream) in enumerate((("aten::to", "gpu 0/9"), ("aten::to", "gpu 0/11"), ("aten::item", "gpu 0/9"))):
        at = 3 * place * MS
        builder.span("main", at, at + 2 * MS, SpanKind.OP, name)
        call = builder.span("main", at + MS, at + MS + 1000, SpanKind.RUNTIME, "cudaMemcpyAsync")
        builder.span(stream, at + MS + 2000, at + 2 * MS, SpanKind.COPY, "h", direction=UP, bytes=1000, cause=call)
    profile = builder.build()
    assert [(row.op, row.count, row.streams) for row in table(profile, TransfersBy.OPERATION)] == [
        ("aten::to", 2, (9, 11)),
        ("aten::item", 1, (9,)),
    ]
    assert [(row.op, row.count, row.streams) for row in table(profile, TransfersBy.STREAM)] == [
        ("", 2, (9,)),
        ("aten::to", 1, (11,)),
    ]
    assert [(row.op, row.count, row.streams) for row in table(profile)] == [("", 3, (9, 11))]


@pytest.mark.parametrize("kind", [MemoryKind.PAGEABLE, MemoryKind.PINNED, MemoryKind.MANAGED])
def test_the_kind_of_the_hosts_memory(kind: MemoryKind) -> None:
    up, down, between = "main   1111\ngpu 0  HH", "main   1111\ngpu 0  DD", "main   1111\ngpu 0  PP"
    assert [row.host_memory for row in table(with_memory(timeline(up), kind))] == [kind.name.lower()]
    assert [row.host_memory for row in table(timeline(down))] == ["unknown"]
    assert [row.host_memory for row in table(timeline(between))] == [""]


def test_fills_are_apart() -> None:
    assert {row.direction for row in table(timeline("main   1111\ngpu 0  KFFP"))} == {"fill", "device to other device"}


def test_none() -> None:
    assert table(timeline("main   1")) == []
