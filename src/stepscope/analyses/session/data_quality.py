"""How far the numbers can be trusted: what was dropped, not linked, missing or never proven, in sentences and as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import MOST_SPREAD, Breakdown
from stepscope.analyses.devices.unrecorded import unrecorded_device
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.texts import milliseconds, rank_name, shortened
from stepscope.analyses.time_classes import NOTHING
from stepscope.model.profile import NONE, MarkerFamily, Note, Profile, SpanKind, TrackRole
from stepscope.model.steps import CHOSEN_TIME, StepSource

FEW_STEPS = 3
MUCH_UNLINKED = 0.05
DROPPED = "dropped_events"


@dataclass(frozen=True, slots=True)
class DataQuality:
    """Facts about the recording; `weak` holds one sentence for each reason to doubt the breakdown."""

    steps: int
    typical_steps: int
    first_step_may_hold_profiler_start: bool
    device_spans: int
    unlinked: int  # device spans whose launch is not in the file
    unlinked_share: float  # of the device's time
    dropped_events: bool
    cut_short: str  # what a file that ends before its recording, or holds nothing, makes of the numbers; "" when all are whole
    damaged: tuple[int, ...]  # places of such files among those of whole ranks: no rank is compared with them
    ranks: tuple[int, ...]  # that are here; empty when the files do not tell
    missing_ranks: tuple[int, ...]
    clock_error_ns: float | None  # between ranks; None when there is nothing to compare
    weak: tuple[str, ...]
    notes: tuple[Note, ...]


def data_quality(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown], clock_error_ns: float | None = None) -> DataQuality:
    """One summary over all ranks of a session."""
    linked = [_links(profile) for profile in profiles]
    spans, loose, time, loose_time = (sum(counts) for counts in zip(*linked, strict=True))
    share = loose_time / time if time else 0.0
    notes = tuple(dict.fromkeys(note for profile in profiles for note in profile.notes))
    if len(profiles) > 1 and clock_error_ns is None:
        notes += (_own_clocks(profiles, breakdowns),)
    dropped = any(note.code == DROPPED for note in notes)
    ranks = _ranks(profiles)
    missing = missing_ranks(profiles)
    steps = min(len(breakdown.steps) for breakdown in breakdowns)
    typical = min(len(breakdown.typical) for breakdown in breakdowns)
    cut_short = _cut_short(profiles, breakdowns)
    weak: list[str] = [cut_short] if cut_short else []
    weak += [] if cut_short else _unrecorded(profiles, breakdowns)
    sources = [breakdown.steps.source for breakdown in breakdowns]
    if all(source.family == MarkerFamily.WINDOW and source.name != CHOSEN_TIME for source in sources):
        weak.append("No step marker was found, so the whole profile counts as one step.")
    weak += dict.fromkeys(breakdown.steps.problem for breakdown in breakdowns if breakdown.steps.problem)
    weak += dict.fromkeys(_guess(breakdown.steps.source) for breakdown in breakdowns if breakdown.steps.source.guessed)
    if typical < FEW_STEPS and breakdowns[0].steps.source.family != MarkerFamily.WINDOW:
        weak.append(f"Only {typical} typical {'step' if typical == 1 else 'steps'}: the numbers may change in the next capture.")
    shortest, longest = _typical_range(breakdowns)
    if longest > MOST_SPREAD * shortest:
        weak.append(
            f"Typical step times vary from {milliseconds(shortest)} to {milliseconds(longest)}, so their mean says little "
            "about a single step."
        )
    if share > MUCH_UNLINKED:
        weak.append(f"{share:.0%} of device time has no launch in the file.")
    if dropped:
        weak.append("Events are missing in the file, so times may be too low.")
    if not any((breakdown.classified.label > NOTHING).any() for breakdown in breakdowns):
        weak.append("No event has a known span category, so there is no time breakdown; the tables show all events.")
    return DataQuality(
        steps=steps,
        typical_steps=typical,
        first_step_may_hold_profiler_start=steps > 1 and breakdowns[0].steps.before == 0,
        device_spans=spans,
        unlinked=loose,
        unlinked_share=share,
        dropped_events=dropped,
        cut_short=cut_short,
        damaged=damaged_ranks(profiles),
        ranks=ranks,
        missing_ranks=missing,
        clock_error_ns=clock_error_ns,
        weak=tuple(weak),
        notes=notes,
    )


def _unrecorded(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> list[str]:
    """What a file without the device's work allows."""
    found = [lacking for pair in zip(profiles, breakdowns, strict=True) if (lacking := unrecorded_device(*pair)) is not None]
    if not found:
        return []
    count = sum(each.launches for each in found)
    return [
        f"Device activity is not recorded: {count:,} {'launch' if count == 1 else 'launches'} and no work on a {found[0].kind}, so "
        "only the host is analyzed. Record the device too: ProfilerActivity.CUDA in PyTorch (or that of your device), "
        "device_tracer_level=1 in TensorFlow and JAX."
    ]


def _guess(source: StepSource) -> str:
    """That steps are guessed, and from what."""
    name = shortened(source.name)
    seen = f"a sequence of kernels that starts with {name}" if source.family == MarkerFamily.KERNEL_PERIOD else f"the call {name}"
    return f"Steps are guessed, since none is marked: {seen} repeats {source.count} times, as layers inside one step do too."


def _typical_range(breakdowns: Sequence[Breakdown]) -> tuple[float, float]:
    """The shortest and the longest typical step of the rank in which they differ most."""
    ranges = [each.steps.length[list(each.typical)] for each in breakdowns]
    return max(((float(each.min()), float(each.max())) for each in ranges), key=lambda ends: ends[1] / max(1.0, ends[0]))


def _own_clocks(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> Note:
    """What holds for ranks without a common collective: the capture times are all there is, and equal steps tell how far they agree."""
    text = "The ranks share no collective to align their clocks with, so their clocks may differ."
    apart = _steps_apart(profiles, breakdowns)
    if apart is not None:
        text += f" The same steps start {milliseconds(apart)} apart: if the ranks run in lockstep, the clocks agree within that."
    return Note("info", "clocks_not_compared", text)


def _steps_apart(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> float | None:
    """Median over steps that every rank has of how far their starts lie apart; None without a common step or capture time."""
    if not all(profile.base_ns > 0 for profile in profiles):
        return None
    begins = [
        dict(zip(each.steps.number.tolist(), (each.steps.marker + profile.base_ns).tolist(), strict=True))
        for profile, each in zip(profiles, breakdowns, strict=True)
    ]
    common = set(begins[0]).intersection(*begins[1:])
    spreads = [max(rank[step] for rank in begins) - min(rank[step] for rank in begins) for step in common]
    return float(np.median(spreads)) if spreads else None


def damaged_ranks(profiles: Sequence[Profile]) -> tuple[int, ...]:
    """Places of profiles that are cut short or hold nothing, where others are whole."""
    damaged = tuple(place for place, profile in enumerate(profiles) if profile.cut_short or not len(profile.spans))
    return damaged if len(damaged) < len(profiles) else ()


def _cut_short(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> str:
    """Writers put a device's work behind the host's: what is cut off is often all of it, and the rest looks like a CPU's training."""
    cut = [place for place, profile in enumerate(profiles) if profile.cut_short]
    empty = [place for place in damaged_ranks(profiles) if place not in cut]
    if not cut and empty:
        who = ", ".join(rank_name(profiles[place], place) for place in empty)
        return f"No timed events in the file of {who}, which is not compared with the others. Copy it again or capture again."
    if not cut:
        return ""
    whose = "" if len(profiles) == 1 else f" of {', '.join(rank_name(profiles[place], place) for place in cut)}"
    if not any(len(profile.spans) for profile in profiles):
        return "The file is truncated and contains no timed events. Copy it again or capture again."
    for place in cut:
        lost = [device.name or device.kind for device in profiles[place].devices if device.kind != "CPU"]
        if lost and breakdowns[place].classified.cpu_only:
            return (
                f"The file{whose} is truncated and lacks all work of {lost[0]}, so only the host is analyzed. Copy it again or "
                "capture again."
            )
    return f"The file{whose} is truncated, so steps may be incomplete. Copy it again or capture again."


def _links(profile: Profile) -> tuple[int, int, int, int]:
    """Device spans, those without a launch, and the time of both; a stream's waits are no work that anybody launches."""
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[profile.spans.kind[rows] != SpanKind.SYNC]
    length = profile.spans.end[rows] - profile.spans.start[rows]
    loose = profile.spans.cause[rows] < 0
    return len(rows), int(np.count_nonzero(loose)), int(length.sum()), int(length[loose].sum())


_MOST_RANKS = 1_000_000


def _ranks(profiles: Sequence[Profile]) -> tuple[int, ...]:
    return tuple(sorted({profile.rank for profile in profiles if profile.rank != NONE}))


def missing_ranks(profiles: Sequence[Profile]) -> tuple[int, ...]:
    """Ranks of the job that no file is of, as far as the files tell how many there are."""
    ranks = _ranks(profiles)
    size = max((profile.world_size for profile in profiles), default=NONE)
    if size <= 0 or size > _MOST_RANKS or not ranks:
        return ()
    return tuple(sorted(set(range(size)) - set(ranks)))
