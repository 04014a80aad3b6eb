"""The tracks of one worker's whole profile: threads, streams and counters with what each contains, and the steps on the time axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d
from stepscope.session.limits import Host, Rank, Worker
from stepscope.session.part import Answer, Files, Part, Wanted

if TYPE_CHECKING:
    from stepscope.analyses.timeline.tracks import TrackContent
    from stepscope.model.profile import Profile
    from stepscope.model.steps import Steps
    from stepscope.session.analysed import AnalysedSession

_US = 1e3
_SECONDS = 1e9
_VALUE = "unit of the counter"


class TracksWanted(Wanted, frozen=True, kw_only=True):
    """The worker (none: the first), and how many of its tracks and steps."""

    limit: Annotated[int, Meta(ge=1, le=1 << 20, description="Most tracks to answer; of more, those with the most busy time.")]
    most_steps: Annotated[int, Meta(ge=0, description="Most steps to answer; of more, none is listed. 0: all.")] = 0


class TrackRow(Struct, frozen=True, kw_only=True):
    """One track."""

    id: Annotated[int, d.number("Number of the track in the profile.", "index")]
    name: Annotated[str, d.text("Name of the thread, stream or counter.")]
    process: Annotated[str, d.text("Process or device that it belongs to.")]
    role: Annotated[str, d.text("`thread`, `stream`, `derived` (repeats what others contain), `marker` or `counter`.")]
    purpose: Annotated[str, d.text("`main`, `backward`, `executor`, `input`, `communication`, `other`, or `unknown`.")]
    number: Annotated[str, d.text("Id of the thread or stream, as recorded; text, because ids may have more digits than JSON keeps.")]
    lines: Annotated[int, d.count("Lines that its spans are drawn on; 0 for a counter.")]
    spans: Annotated[int, d.count("Number of spans.")]
    busy_us: Annotated[float, d.us("Time in which at least one of its spans runs.")]
    start_us: Annotated[float, d.us("Start of the first span, or time of the first sample.")]
    end_us: Annotated[float, d.us("End of the last span, or time of the last sample.")]
    samples: Annotated[int, d.count("Number of samples of a counter; 0 otherwise.")]
    least: Annotated[float | None, d.number("Smallest sample; null without samples.", _VALUE)]
    most: Annotated[float | None, d.number("Largest sample; null without samples.", _VALUE)]


class TraceStep(Struct, frozen=True, kw_only=True):
    """One step on the time axis."""

    step: Annotated[int, d.number("Number of the step.", "step")]
    start_us: Annotated[float, d.us("Start of the step.")]
    end_us: Annotated[float, d.us("End of the step.")]
    typical: Annotated[bool, d.flag("Whether its duration is near the median of all steps.")]


class Tracks(Answer, frozen=True, kw_only=True):
    """The tracks of a worker. Times are µs since the start of the whole profile, also when a range is selected."""

    worker: Worker
    host: Host
    rank: Rank
    started: Annotated[float | None, d.wall_time("When the profile starts; null when not recorded.")]
    end_us: Annotated[float, d.us("Length of the profile.")]
    tracks: Annotated[list[TrackRow], d.nested("Threads (main and backward first), streams by device, derived tracks, counters.")]
    total: Annotated[int, d.count("Number of all tracks with spans or samples; at most `limit` are listed.")]
    steps: Annotated[list[TraceStep], d.nested("The steps; none when there are more than `most_steps`.")]
    steps_total: Annotated[int, d.count("Number of all steps.")]
    steps_start_us: Annotated[float | None, d.us("Start of the first step; null without steps.")]
    steps_end_us: Annotated[float | None, d.us("End of the last step; null without steps.")]


def _make(session: AnalysedSession, wanted: TracksWanted) -> Tracks:
    from stepscope.analyses.timeline.tracks import track_contents

    profile, steps = session.profiles[0].whole, trace_steps(session)
    rows, total = track_contents(profile, wanted.limit, steps.source.track)
    start, end = profile.window
    count = len(steps.number)
    return d.fill(
        Tracks,
        profile,
        **session.whose(0),
        range=None,
        started=(profile.base_ns + start) / _SECONDS if profile.base_ns > 0 else None,
        end_us=(end - start) / _US,
        tracks=[_row(profile, row) for row in rows],
        total=total,
        steps=_steps(profile, steps) if not wanted.most_steps or count <= wanted.most_steps else [],
        steps_total=count,
        steps_start_us=(int(steps.bounds[0]) - start) / _US if count else None,
        steps_end_us=(int(steps.bounds[-1]) - start) / _US if count else None,
    )


def trace_steps(session: AnalysedSession) -> Steps:
    """The steps of the whole profile, also when the session is a range of it."""
    from stepscope.analyses.steps import find_steps

    profile = session.profiles[0]
    return session.once(
        "trace steps", lambda: find_steps(profile, session.steps_by) if profile.part is None else profile.part.all_steps
    )


def _row(profile: Profile, track: TrackContent) -> TrackRow:
    origin = profile.window[0]
    return d.fill(TrackRow, track, number=str(track.number), start_us=(track.start - origin) / _US, end_us=(track.end - origin) / _US)


def _steps(profile: Profile, steps: Steps) -> list[TraceStep]:
    from stepscope.analyses.breakdown import typical_steps

    origin, typical = profile.window[0], set(typical_steps(steps.length, first_of_all=not steps.before))
    numbers: list[int] = steps.number.tolist()
    bounds: list[int] = steps.bounds.tolist()
    return [
        TraceStep(step=number, start_us=(start - origin) / _US, end_us=(end - origin) / _US, typical=place in typical)
        for place, (number, start, end) in enumerate(zip(numbers, bounds[:-1], bounds[1:], strict=True))
    ]


TRACKS = Part("tracks", "Tracks", TracksWanted, Tracks, _make, table="tracks", files=Files.ONE, kept=True)
