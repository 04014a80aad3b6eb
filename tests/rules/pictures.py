"""Trainings with one known fault, drawn step by step, and what the rules make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from analyses.timeline import MS, Timeline
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE, Allocations, Device, Profile, SpanKind
from stepscope.rules.judge import Judgement, judge
from stepscope.rules.lever import ExposedTime
from stepscope.rules.rule import Finding, Verdict

Programs: TypeAlias = Callable[[], list[HloProgram]]


def training(*steps: str, names: dict[str, str] | None = None, **facts: object) -> Profile:
    """Steps of the same tracks, one picture each; a picture's lines are `track: letters`, and a step is as long as its longest line."""
    line = Timeline(**facts)  # type: ignore[arg-type]
    rows: dict[str, list[str]] = {}
    markers = ""
    for number, step in enumerate(steps, 1):
        lines = [[part.strip() for part in each.split(":")] for each in step.split(";")]
        width = max(len(letters) for _, letters in lines)
        seen: dict[str, int] = {}
        for track, letters in lines:
            key = f"{track}#{seen.setdefault(track, 0)}"
            seen[track] += 1
            rows.setdefault(key, []).append(letters.ljust(width, "."))
        markers += str(number) * width
    drawn = [f"{'main':10}{markers}", *(f"{key.split('#')[0]:10}{''.join(letters)}" for key, letters in rows.items())]
    return line.draw("\n".join(drawn), **(names or {})).build()


def repeated(step: str, times: int = 6, names: dict[str, str] | None = None, **facts: Any) -> Profile:
    """The same step several times."""
    return training(*[step] * times, names=names, **facts)


def two_ranks(own: Sequence[tuple[int, int]], transfer: int = 10, length: int = 100, hidden: bool = False) -> list[Profile]:
    """Two ranks that compute for `own` milliseconds in each step and then reduce; the reduction ends when both have come."""
    found: list[Profile] = []
    for rank in (0, 1):
        builder = Timeline(rank=rank, world_size=2, base_ns=1_000_000_000_000)
        for step, both in enumerate(own):
            at = step * length * MS
            end = (max(both) + transfer) * MS + at
            builder.span("main", at, at + length * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
            builder.span("gpu 0/7", at, at + both[rank] * MS, SpanKind.KERNEL, "k")
            builder.span("gpu 0/8", at + both[rank] * MS, end, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, step))
            builder.span("gpu 0/7", end - (transfer * MS if hidden else 0), at + length * MS, SpanKind.KERNEL, "k")
        found.append(builder.build())
    return found


def with_memory(profile: Profile, kept: int, steps: int, length: int, capacity: int = 0) -> Profile:
    """A profile in which every step of so many milliseconds keeps so many bytes."""
    count = steps
    none = np.full(count, NONE, np.int32)
    table = Allocations(
        time=np.array([(step * length + 1) * MS for step in range(steps)], np.int64),
        row=np.zeros(count, np.int32),
        device=np.zeros(count, np.int32),
        allocator=none,
        address=np.arange(count, dtype=np.int64),
        bytes=np.full(count, kept, np.int64),
        allocated=np.cumsum(np.full(count, kept, np.int64)),
        reserved=np.full(count, NONE, np.int64),
        op=none,
        shape=none,
        dtype=none,
    )
    return replace(profile, allocations=table, devices=[Device("", "GPU", 0, memory_bytes=capacity)])


def with_levels(profile: Profile, allocated: int, reserved: int, capacity: int) -> Profile:
    """A profile whose device has so much memory allocated, and held by the allocator, from the first moment to the last."""
    count = 2
    none = np.full(count, NONE, np.int32)
    table = Allocations(
        time=np.array(profile.window, np.int64),
        row=none,
        device=np.zeros(count, np.int32),
        allocator=none,
        address=np.arange(count, dtype=np.int64),
        bytes=np.ones(count, np.int64),
        allocated=np.full(count, allocated, np.int64),
        reserved=np.full(count, reserved, np.int64),
        op=none,
        shape=none,
        dtype=none,
    )
    devices = [replace(device, memory_bytes=capacity) for device in profile.devices]
    return replace(profile, allocations=table, devices=devices)


def judged(profiles: Profile | list[Profile], cores: int | None = None) -> Judgement:
    """All rules, with replays."""
    return judge(_summary(profiles), cores=cores)


def finding(
    rule: str, profiles: Profile | list[Profile], cores: int | None = None, *, bounds: bool = False, programs: Programs | None = None
) -> Finding:
    """One rule's finding, beside all others; with `bounds`, gains come from the breakdown alone and can be counted in the picture."""
    summary = _summary(profiles)
    read = None if programs is None else lambda _: programs()
    found = judge(summary, cores=cores, predictor=ExposedTime(summary) if bounds else None, programs=read)
    return next(each for each in found.findings if each.rule == rule)


def shown(found: Finding) -> list[tuple[int, float, float]]:
    """Rank, begin and end in milliseconds of the spans that the evidence leads to."""
    spans = [line.spans for line in found.evidence if line.spans is not None]
    return [(each.rank, each.start_ns / MS, each.end_ns / MS) for each in spans]


def said_nothing(found: Finding) -> bool:
    """Whether a rule saw nothing at all; one that saw something which gains little has evidence."""
    return (found.verdict, found.gain, found.evidence, found.promise) == (Verdict.QUIET, None, (), "")


def _summary(profiles: Profile | list[Profile]) -> Summary:
    return summarise(profiles if isinstance(profiles, list) else [profiles])
