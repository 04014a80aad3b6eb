"""The ranks of a session on one time axis: when each was recorded, how far its clock is off, and how slow it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d
from stepscope.session.limits import MOST_ROWS, Host, Rank, Worker
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.parts.report import BrokenWorker
from stepscope.session.step_rows import StepShares

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

_US = 1e3


class RanksWanted(Wanted, frozen=True, kw_only=True):
    """How many ranks are listed."""

    limit: Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Most ranks to list; of more, the first.")]


class TraceRank(Struct, frozen=True, kw_only=True):
    """One rank on the time axis of all of them."""

    worker: Worker
    host: Host
    rank: Rank
    recorded_us: Annotated[float, d.us("Start of its profile by its own clock, since the first start; 0 when not recorded.")]
    aligned_us: Annotated[float | None, d.us("Start of its profile on the common clock, since the first; null without alignment.")]
    end_us: Annotated[float, d.us("Length of its profile.")]
    steps: Annotated[int, d.count("Number of steps.")]
    step_us: Annotated[float, d.us("Typical step time.")]
    own_us: Annotated[float, d.us("Typical step time without waiting for slower ranks, where that is known.")]
    breakdown: Annotated[StepShares, d.nested("Shares of a typical step by group.")]
    damaged: Annotated[bool, d.flag("Whether its file is truncated or empty, so that it is not compared with the others.")]


class TraceRanks(Answer, frozen=True, kw_only=True):
    """The ranks of a session. A time of a rank's trace is on the axis after its `aligned_us`, or its `recorded_us`."""

    ranks: Annotated[list[TraceRank], d.nested("Each worker, by rank.")]
    total: Annotated[int, d.count("Number of all ranks; at most `limit` are listed.")]
    slowest: Annotated[str, d.text("Worker that is slower than all others by more than noise; empty when there is none.")]
    waited_for: Annotated[str, d.text("Worker that the others wait for; empty when there is none.")]
    clock_error_us: Annotated[float | None, d.us("Difference of the clocks after alignment, 95th percentile; null without alignment.")]
    clocks_from: Annotated[int, d.count("Number of collectives that the clocks were aligned by.")]
    clock_groups: Annotated[int, d.count("Groups of ranks that share collectives; clocks of different groups are not aligned.")]
    broken: Annotated[list[BrokenWorker], d.nested("Workers whose files could not be read.")]


def _make(session: AnalysedSession, wanted: RanksWanted) -> TraceRanks:
    from stepscope.rules.headline import waited_for

    summary, workers = session.summary, session.workers
    clocks, slowest, late = summary.collected.aligned, summary.lengths.slowest, waited_for(summary)
    return TraceRanks(
        ranks=_ranks(session, wanted.limit),
        total=len(workers),
        slowest="" if slowest is None else workers[slowest],
        waited_for="" if late is None else workers[late],
        clock_error_us=None if clocks is None else clocks.error_ns / _US,
        clocks_from=0 if clocks is None else clocks.matched,
        clock_groups=0 if clocks is None else clocks.groups,
        broken=d.fill_all(BrokenWorker, session.broken),
    )


def _ranks(session: AnalysedSession, limit: int) -> list[TraceRank]:
    from stepscope.session.step_rows import step_shares

    summary = session.summary
    wholes = [profile.whole for profile in summary.profiles]
    starts = [whole.base_ns + whole.window[0] for whole in wholes]
    first = min((start for start, whole in zip(starts, wholes, strict=True) if whole.base_ns > 0), default=0)
    clocks = summary.collected.aligned
    moved = None if clocks is None else [start + clocks.shift(place) for place, start in enumerate(starts)]
    earliest = min(moved or [0])
    found: list[TraceRank] = []
    for place, whole in enumerate(wholes[:limit]):
        breakdown, split = summary.breakdowns[place], summary.collected.splits[place]
        found.append(
            TraceRank(
                **session.whose(place),  # type: ignore[arg-type]
                recorded_us=(starts[place] - first) / _US if whole.base_ns > 0 else 0.0,
                aligned_us=None if moved is None else (moved[place] - earliest) / _US,
                end_us=(whole.window[1] - whole.window[0]) / _US,
                steps=len(breakdown.steps),
                step_us=breakdown.typical_ns / _US,
                own_us=(breakdown.typical_ns - (0.0 if split is None else split.waiting_ns)) / _US,
                breakdown=step_shares(breakdown.typical_parts, breakdown.typical_ns),
                damaged=place in summary.quality.damaged,
            )
        )
    return found


RANKS = Part("ranks", "Ranks", RanksWanted, TraceRanks, _make, table="ranks", kept=True)
