"""Idle gaps of one worker's devices in a window of the trace, each with its cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d
from stepscope.session.limits import MOST_ROWS
from stepscope.session.part import Answer, Files, Part, Wanted
from stepscope.session.parts.tracks import trace_steps
from stepscope.session.step_rows import StepGroup
from stepscope.session.trace_window import EndUs, StartUs, window_ns

if TYPE_CHECKING:
    from stepscope.analyses.breakdown import Breakdown
    from stepscope.analyses.timeline.gaps import Gap
    from stepscope.model.profile import Profile
    from stepscope.session.analysed import AnalysedSession

_US = 1e3


class GapsWanted(Wanted, frozen=True, kw_only=True):
    """The window, and how many gaps are listed."""

    start_us: StartUs
    end_us: EndUs
    limit: Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Most gaps to list; of more, the longest.")] = MOST_ROWS


class GapRow(Struct, frozen=True, kw_only=True):
    """A stretch of a step in which a device is idle for one cause. Neighbouring rows may be one gap with several causes."""

    process: Annotated[str, d.text("Device that is idle, as `process` of the part `tracks`; without a device, the process of the CPU.")]
    track: Annotated[
        int | None, d.number("Number of the thread that controls the steps, in a profile without a device; else null.", "index")
    ]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    end_us: Annotated[float, d.us("End since the start of the profile.")]
    cause: Annotated[str, d.text("Key of the cause, as in `idle` of the report.")]
    label: Annotated[str, d.text("Cause in words.")]
    group: Annotated[StepGroup, d.text("Group of the time breakdown that it counts in.")]
    row: Annotated[
        int | None, d.number("Row of the host's span meanwhile, or of the work that was held; null when there is none.", "row")
    ]
    name: Annotated[str, d.text("Name of that span, at most 300 characters; empty when there is none.")]


class IdleGaps(Answer, frozen=True, kw_only=True):
    """The gaps of the window."""

    rows: Annotated[list[GapRow], d.nested("Gaps by device, in time order.")]
    total: Annotated[int, d.count("Number of all gaps in the window; at most `limit` are listed.")]


def _make(session: AnalysedSession, wanted: GapsWanted) -> IdleGaps:
    from stepscope.analyses.timeline.gaps import gaps_in, process_of

    profile, breakdown = session.profiles[0].whole, _breakdown(session)
    found, total = gaps_in(profile, breakdown, window_ns(profile, wanted.start_us, wanted.end_us), wanted.limit)
    places = {device: process_of(profile, breakdown, device) for device in {gap.device for gap in found}}
    return IdleGaps(rows=[_row(profile, gap, *places[gap.device]) for gap in found], total=total)


def _breakdown(session: AnalysedSession) -> Breakdown:
    """That of the whole profile, also when the session is a range of it."""
    from stepscope.analyses.breakdown import break_down

    whole = session.profiles[0].whole
    if session.profiles[0] is whole:
        return session.breakdown()
    return session.once("trace breakdown", lambda: break_down(whole, trace_steps(session)))


def _row(profile: Profile, gap: Gap, process: str, track: int | None) -> GapRow:
    from stepscope.analyses.timeline.tiles import shortened
    from stepscope.model.profile import NONE
    from stepscope.session.report.idle import group_of_cause

    origin = profile.window[0]
    return GapRow(
        process=process,
        track=track,
        start_us=(gap.start - origin) / _US,
        end_us=(gap.end - origin) / _US,
        cause=gap.cause.key,
        label=gap.cause.text,
        group=group_of_cause(gap.cause),
        row=None if gap.row == NONE else gap.row,
        name="" if gap.row == NONE else shortened(profile.names[int(profile.spans.name[gap.row])]),
    )


GAPS = Part("gaps", "Idle gaps", GapsWanted, IdleGaps, _make, table="rows", files=Files.ONE, kept=True, passing=True)
