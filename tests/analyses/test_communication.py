"""Communication by kind, group and size and by rank, on timelines whose numbers are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline
from figures import figures
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.sizes import ProgramMessages, algorithm_bandwidth, bus_bandwidth, message_bytes
from stepscope.analyses.communication.tables import Communication, communication
from stepscope.model.profile import Device, Operation, Profile, SpanKind

MIB = 1 << 20


def found(*profiles: Profile) -> Communication:
    return communication(profiles, [break_down(profile) for profile in profiles])


def rank(
    number: int, starts: list[int], end: int = 60, *, first_step: int = 0, group: tuple[str, int] | None = ("world", 2), size: int = MIB
) -> Profile:
    """Steps of 100 ms: compute for 20 ms, and a collective from `starts` to `end`."""
    builder = Timeline(rank=number, world_size=2, base_ns=1_000_000_000_000)
    for place, start in enumerate(starts):
        at, step = place * 100 * MS + first_step * 100 * MS, place + first_step
        builder.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("gpu 0/7", at, at + 20 * MS, SpanKind.KERNEL, "k")
        known = (*group, step) if group else None
        builder.span("gpu 0/8", at + start * MS, at + end * MS, SpanKind.COLLECTIVE, "allreduce", collective=known, bytes=size)
    return builder.build()


def test_a_row_says_what_is_exposed_what_waits_and_how_fast_it_moves() -> None:
    (row,) = found(rank(0, [10, 10]), rank(1, [50, 50])).rows
    assert (row.kind, row.group, row.ranks, row.present, row.bytes, row.count) == ("allreduce", "world", 2, 2, MIB, 4)
    assert row.total_ns == pytest.approx((50 + 10) / 2 * MS)
    assert row.exposed_ns == pytest.approx((40 + 10) / 2 * MS), "ten of the first rank's lie behind compute"
    assert row.overlapped_ns == pytest.approx(10 / 2 * MS)
    assert (row.waiting_ns, row.transfer_ns) == (pytest.approx(40 / 2 * MS), pytest.approx(10 * MS))
    assert row.each_ns == 10 * MS
    assert row.algorithm_bandwidth == pytest.approx(MIB / 0.010)
    assert row.bus_bandwidth == pytest.approx(MIB / 0.010), "2 (n - 1) / n is one for two ranks"
    assert (row.lower_bound, row.split) == (False, "split by 2 ranks")


def test_sizes_are_rows_of_their_own() -> None:
    rows = found(rank(0, [50], size=MIB), rank(1, [50], size=4 * MIB)).rows
    assert sorted(row.bytes or 0 for row in rows) == [MIB, 4 * MIB]


def test_missing_ranks_leave_waiting_unknown_and_bandwidth_a_bound() -> None:
    (row,) = found(rank(0, [20, 20], group=("world", 8))).rows
    assert (row.waiting_ns, row.transfer_ns, figures(row.split)) == (None, None, [1, 8])
    assert row.lower_bound
    assert row.bus_bandwidth == pytest.approx(MIB / 0.040 * 14 / 8)


def test_a_group_that_is_here_is_split_though_others_are_missing() -> None:
    both = found(rank(0, [20, 20], group=("tensor", 2)), rank(1, [50, 50], group=("tensor", 2)))
    profiles = [rank(0, [20, 20], group=("tensor", 2)), rank(1, [50, 50], group=("tensor", 2))]
    of_eight = [replace(profile, world_size=8) for profile in profiles]
    assert found(*of_eight).rows[0].waiting_ns == both.rows[0].waiting_ns == pytest.approx(15 * MS)


def test_groups_that_no_collective_joins_have_clocks_of_their_own() -> None:
    """Two groups of two, each with a rank whose clock is wrong."""
    ranks = [rank(place, [20, 20] if place % 2 == 0 else [50, 50], group=(f"pair {place // 2}", 2)) for place in range(4)]
    skewed = [replace(each, base_ns=each.base_ns + skew * MS, world_size=4) for each, skew in zip(ranks, (0, 7, 3, -5), strict=True)]
    made = found(*skewed)
    assert made.collected.clocks is not None
    assert made.collected.clocks.error_ns == 0
    assert [each.waiting_ns for each in made.ranks] == [30 * MS, 0, 30 * MS, 0]
    assert [each.group for each in made.rows] == ["pair 0", "pair 1"]


def test_ranks_and_the_one_they_wait_for() -> None:
    made = found(rank(0, [20, 20, 20]), rank(1, [50, 50, 50]))
    first, second = made.ranks
    assert (first.waiting_ns, first.transfer_ns, first.caused_ns, first.last) == (30 * MS, 10 * MS, 0, 0)
    assert (second.waiting_ns, second.caused_ns, second.last) == (0, 30 * MS, 1)
    assert first.step_waiting_ns == (30 * MS, 30 * MS, 30 * MS)
    assert made.straggler == 1


def test_lateness_that_moves_between_ranks_is_nobodys() -> None:
    assert found(rank(0, [20, 50, 20, 50]), rank(1, [50, 20, 50, 20])).straggler is None


@pytest.mark.parametrize("group", [None, ("world", 2)])
def test_ranks_that_recorded_different_steps(group: tuple[str, int] | None) -> None:
    early, late = rank(0, [20] * 5, group=group), rank(1, [50] * 3, first_step=2, group=group)
    made = found(early, late)
    assert [each.what for each in made.disagreements] == ["steps", "step numbers"]
    assert made.disagreements[1].values == ("0 to 4", "2 to 4")
    assert made.ranks[0].step_waiting_ns == (0, 0, 30 * MS, 30 * MS, 30 * MS), "by the step's number, not by order"


def test_disagreements_of_machines_and_recordings() -> None:
    first, second = rank(0, [20, 20]), rank(1, [20, 20])
    first = replace(first, environment={"cuda_driver_version": "12", "record_shapes": "1", "process_id": "7"})
    second = replace(second, environment={"cuda_driver_version": "13", "process_id": "8"}, devices=[Device("H100", "GPU", 0)])
    assert [(each.what, each.values) for each in found(first, second).disagreements] == [
        ("devices", ("GPU", "H100")),
        ("cuda_driver_version", ("12", "13")),
        ("record_shapes", ("1", "none")),
    ]


def test_ranks_that_communicate_and_work_differently() -> None:
    other = Timeline(rank=1, world_size=2, base_ns=1_000_000_000_000)
    other.draw("main   1111111111\ngpu 0  KLKLKLCC")
    said = {each.what: each.values for each in found(rank(0, [50]), other.build()).disagreements}
    assert said["allreduce per step"] == ("1", "0")
    assert said["operations per step"] == ("1", "6")


def test_one_rank_disagrees_with_nobody() -> None:
    assert found(rank(0, [20])).disagreements == ()


def test_a_start_and_its_done_are_one() -> None:
    builder = Timeline(rank=0)
    start, done = builder.op("all-reduce-start.3", "all-reduce-start"), builder.op("all-reduce-done.9", "all-reduce-done")
    builder.span("main", 0, 100 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    builder.span("gpu 0", 0, 2 * MS, SpanKind.COLLECTIVE, "allreduce", op=start)
    builder.span("gpu 0", 2 * MS, 40 * MS, SpanKind.KERNEL, "k")
    builder.span("gpu 0", 40 * MS, 45 * MS, SpanKind.COLLECTIVE, "allreduce", op=done)
    (row,) = found(builder.build()).rows
    assert (row.count, row.each_ns) == (1, 45 * MS)
    assert (row.exposed_ns, row.overlapped_ns) == (7 * MS, 38 * MS)


def test_time_in_which_no_rank_runs_anything() -> None:
    """The last forty milliseconds of both, and ten between compute and communication of the one that comes late."""
    made = found(rank(0, [30, 30]), rank(1, [30, 30]))
    assert made.between_hosts_ns == pytest.approx(50 * MS)
    assert found(rank(0, [20, 20]), rank(1, [50, 50])).between_hosts_ns == pytest.approx(40 * MS)
    assert found(rank(0, [20])).between_hosts_ns is None
    missing = [replace(rank(place, [30, 30]), world_size=8) for place in range(2)]
    assert found(*missing).between_hosts_ns is None, "another rank may work meanwhile"


@pytest.mark.parametrize(
    ("kind", "ranks", "bus"),
    [
        ("allreduce", 8, 1.75),
        ("allgather", 8, 0.875),
        ("reduce_scatter", 4, 0.75),
        ("alltoall", 4, 0.75),
        ("broadcast", 8, 1.0),
        ("sendrecv", 8, 1.0),
    ],
)
def test_bus_bandwidth_of_each_kind(kind: str, ranks: int, bus: float) -> None:
    assert bus_bandwidth(kind, 100.0, ranks) == pytest.approx(100 * bus)


def test_bandwidth_is_unknown_without_a_size_a_group_or_a_definition() -> None:
    assert algorithm_bandwidth(None, 1.0) is None
    assert bus_bandwidth("allreduce", 100.0, None) is None
    assert bus_bandwidth("barrier", 100.0, 8) is None
    assert bus_bandwidth("allreduce", 100.0, 1) is None


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("allreduce", (8, None), 8),
        ("allgather", (8, 64), 64),
        ("allgather", (8, None), 32),
        ("reduce_scatter", (None, 8), 32),
        ("reduce_scatter", (64, 8), 64),
        ("alltoall", (64, 64), 64),
        ("allreduce", (None, None), None),
    ],
)
def test_the_message_is_what_is_gathered_or_scattered(kind: str, given: tuple[int | None, int | None], message: int | None) -> None:
    assert message_bytes(kind, *given, 4) == message


def test_no_communication() -> None:
    made = found(Timeline().draw("main   11\ngpu 0  K").build())
    assert (made.rows, made.straggler, made.collected.text) == ((), None, "no communication")


def test_operations_of_no_program_have_no_size() -> None:
    op = Operation("psum.7", "psum", "", "jit_f", "", "", float("nan"), float("nan"), None)
    assert ProgramMessages(())(op) is None
