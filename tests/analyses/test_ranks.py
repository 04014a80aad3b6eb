"""Several ranks: collectives matched, clocks aligned on their ends, waiting told from transfer, and the mean over ranks."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from figures import figures
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.texts import milliseconds, rank_name
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.model.profile import Profile, SpanKind


def rank(number: int, starts: list[int], ends: list[int], *, clock: int = 0, sequence: bool = True, world: int = 2) -> Profile:
    """One step of 100 ms a collective, compute before it; `clock` is how far the rank's clock is wrong."""
    builder = Timeline(rank=number, world_size=world, base_ns=1_000_000_000_000 + clock)
    for step, (start, end) in enumerate(zip(starts, ends, strict=True)):
        at = step * 100 * MS
        builder.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("gpu 0", at, at + 20 * MS, SpanKind.KERNEL, "k")
        group = ("world", world, step) if sequence else None
        builder.span("gpu 0", at + start * MS, at + end * MS, SpanKind.COLLECTIVE, "allreduce", collective=group)
    return builder.build()


@pytest.mark.parametrize("sequence", [True, False])
@pytest.mark.parametrize("clock", [0, 7 * MS])
def test_waiting_is_until_the_last_rank_has_come(sequence: bool, clock: int) -> None:
    early = rank(0, [20, 20, 20], [60, 60, 60], sequence=sequence)
    late = rank(1, [50, 50, 50], [60, 60, 60], clock=clock, sequence=sequence)
    found = summarise([early, late])
    first, second = found.collected.splits
    assert first is not None
    assert second is not None
    assert (first.waiting_ns, first.transfer_ns) == (30 * MS, 10 * MS)
    assert (second.waiting_ns, second.transfer_ns) == (0, 10 * MS)
    clocks = found.collected.clocks
    assert clocks is not None
    assert (clocks.offset_ns.tolist(), clocks.error_ns, clocks.matched) == ([0, -clock], 0, 3)
    assert figures(found.collected.text) == [2, 2]


def test_hidden_waiting_does_not_count() -> None:
    builder = Timeline(rank=0, world_size=2)
    builder.span("main", 0, 100, SpanKind.MARKER, "ProfilerStep#0", step=0)
    builder.span("gpu 0/7", 0, 50, SpanKind.KERNEL, "k")
    builder.span("gpu 0/8", 20, 90, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, 0))
    other = Timeline(rank=1, world_size=2)
    other.span("main", 0, 100, SpanKind.MARKER, "ProfilerStep#0", step=0)
    other.span("gpu 0/8", 60, 90, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, 0))
    other.span("gpu 0/7", 0, 10, SpanKind.KERNEL, "k")
    split = summarise([builder.build(), other.build()]).collected.splits[0]
    assert split is not None
    assert (split.waiting_ns, split.transfer_ns) == (10, 30)


def test_missing_ranks_are_said() -> None:
    found = summarise([rank(0, [20], [60], world=8)])
    assert (figures(found.collected.text), found.collected.splits) == ([1, 8], (None,))
    assert found.quality.missing_ranks == tuple(range(1, 8))


def test_no_collectives() -> None:
    builder = Timeline().draw("main   11\ngpu 0  K")
    assert summarise([builder.build()]).collected.text == "no communication"


def test_the_mean_over_ranks_and_the_slowest() -> None:
    fast, slow = Timeline(rank=0).draw("main   1111\ngpu 0  KK"), Timeline(rank=1).draw("main   11111111\ngpu 0  KK")
    found = summarise([fast.build(), slow.build()])
    assert (found.median_ns, found.typical_ns, found.lengths.slowest) == (6 * MS, 6 * MS, 1)
    assert found.parts[TimeClass.COMPUTE] == 2 * MS
    assert found.groups[Group.COMPUTE] == pytest.approx(1 / 3)
    assert found.groups.sum() == pytest.approx(1)
    assert [rank_name(profile, place) for place, profile in enumerate(found.profiles)] == ["rank 0", "rank 1"]


def sentence(picture: str) -> str:
    found: Summary = summarise([Timeline().draw(picture).build()])
    return found.sentence


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        ("main   1111111111\nmain   iiiiii\ngpu 0        KKKK", ("60%", "GPU", "input")),
        ("main   1111111111\nmain   oooooo\ngpu 0        KKKK", ("60%", "GPU", "host")),
        ("main   1111111111\nmain   oooooooooo", ("100%", "compute")),
        ("main   1111111111\nmain   ffffff", ("60%", "overhead")),
        ("main   1111111111\ngpu 0  CCCCCCKKKK", ("60%", "communication")),
        ("main   1111111111\ngpu 0  HHHHHHKKKK", ("60%", "copies")),
        ("main   1111111111\nmain   xxxxx", ("not record",)),
        ("main   1111111111\ngpu 0        KKKK", ("60%", "not covered")),
    ],
)
def test_the_sentence(picture: str, said: tuple[str, ...]) -> None:
    assert [each for each in ("10 ms", *said) if each not in sentence(picture)] == []


@pytest.mark.parametrize(
    ("ns", "said"),
    [(0, "0 ns"), (950, "950 ns"), (1_700, "1.7 µs"), (177_592_000, "178 ms"), (2_500_000_000, "2.5 s"), (3_600e9, "3,600 s")],
)
def test_times_as_people_say_them(ns: float, said: str) -> None:
    assert milliseconds(ns) == said
