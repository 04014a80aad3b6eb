"""Several sessions along a hyperparameter or along the run: step time, throughput, use of the device and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.compare.trend import Trend as Found
from stepscope.analyses.compare.trend import TrendPoint, along, batch_of, trend
from stepscope.analyses.time_classes import Group
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.part import Answer, Wanted
from stepscope.session.several import SeveralPart

FEWEST = 2
MOST = 200

Label = Annotated[str, Meta(max_length=1_000)]
Examples = Annotated[float, Meta(gt=0, le=1e15)]


class TrendWanted(Wanted, frozen=True, kw_only=True):
    """What the sessions are ordered by, and what only the user knows of them."""

    by: Annotated[str, Meta(max_length=1_000, description="Hyperparameter to order by, or the name of the labels.")] = ""
    labels: Annotated[tuple[Label, ...], Meta(max_length=MOST, description="Label of each session in order; empty: by `by`.")] = ()
    examples: Annotated[
        tuple[Examples, ...], Meta(max_length=MOST, description="Examples per step, once or for each session; empty: as logged.")
    ] = ()


class PeakOfMemory(Struct, frozen=True):
    """The peak of one memory."""

    memory: Annotated[str, d.text("Memory, such as `GPU 0`.")]
    bytes: Annotated[int, d.size("Peak.")]


class TrendPointRow(Struct, frozen=True, kw_only=True):
    """One session. Times are of a typical step."""

    session: Annotated[str, d.text("Id of the session.")]
    name: Annotated[str, d.text("Name of the session.")]
    label: Annotated[str, d.text("Its label.")]
    position: Annotated[float | None, d.number("The label as a number; null when it is none.", "label")]
    first_step: Annotated[int, d.number("Number of its first step.", "step")]
    steps: Annotated[int, d.count("Typical steps.")]
    step_ms: Annotated[float, d.ms("Typical step time.")]
    noise_ms: Annotated[float | None, d.ms("95% of such profiles lie this near; null with too few steps.")]
    steps_per_second: Annotated[float, d.per_second("Steps per second.", "steps")]
    examples_per_second: Annotated[float | None, d.per_second("Examples per second; null when the batch size is unknown.", "examples")]
    breakdown: Annotated[dict[str, float], d.fraction("Groups of the step breakdown as shares of the step.")]
    peaks: Annotated[list[PeakOfMemory], d.nested("Memory peaks.")]


class GrowingRow(Struct, frozen=True):
    """An operation that holds more memory at the peak of the last session than of the first."""

    memory: Annotated[str, d.text("Memory, such as `GPU 0`.")]
    op: Annotated[str, d.text("Operation.")]
    before_bytes: Annotated[int, d.size("Held at the peak of the first session.")]
    after_bytes: Annotated[int, d.size("Held at the peak of the last session.")]


class Trend(Answer, frozen=True, kw_only=True):
    """Sessions sorted by position, or as given where a label is no number."""

    by: Annotated[str, d.text("What they are ordered by.")]
    sentence: Annotated[str, d.text("The result in one sentence.")]
    points: Annotated[list[TrendPointRow], d.nested("The sessions.")]
    growing: Annotated[list[GrowingRow], d.nested("Operations with more memory at the peak of the last session than of the first.")]
    choices: Annotated[list[str], d.nested("Hyperparameters that all runs logged and that differ.")]


def _choices(wanted: TrendWanted, sessions: int) -> Sequence[Wanted]:
    if not FEWEST <= sessions <= MOST:
        raise BadInput(f"A trend needs {FEWEST} to {MOST} profiles; you gave {sessions}.", "few_profiles")
    if wanted.labels and len(wanted.labels) != sessions:
        raise BadInput(f"Give a label for each profile: {sessions}, not {len(wanted.labels)}.", "few_labels")
    if len(wanted.examples) not in (0, 1, sessions):
        raise BadInput(f"Give the examples per step once, or for each of the {sessions} profiles.", "few_examples")
    return [Wanted(steps=wanted.steps, range=wanted.range)] * sessions


def _make(sessions: Sequence[AnalysedSession], wanted: TrendWanted) -> Trend:
    summaries = [session.summary for session in sessions]
    logged = [session.logs.hyperparameters() for session in sessions]
    by, labels = _order(sessions, logged, wanted)
    counts = list(wanted.examples) * (len(sessions) if len(wanted.examples) == 1 else 1)
    made = trend(summaries, labels, by, counts or [batch_of(*pair) for pair in zip(summaries, logged, strict=True)])
    shared = sorted(name for name in logged[0] if all(name in each for each in logged))
    return Trend(
        range=sessions[0].range_text,
        by=made.by,
        sentence=made.sentence,
        points=_rows(made, labels, sessions),
        growing=[GrowingRow(each.memory, each.op, each.before, each.after) for each in made.growing],
        choices=[name for name in shared if len({each[name] for each in logged}) > 1],
    )


def _order(sessions: Sequence[AnalysedSession], logged: Sequence[dict[str, str]], wanted: TrendWanted) -> tuple[str, list[str]]:
    """What the sessions are ordered by, and the label of each."""
    if wanted.labels:
        return wanted.by or "label", list(wanted.labels)
    if not wanted.by:
        return along([session.summary for session in sessions], list(logged))
    without = [session.name for session, each in zip(sessions, logged, strict=True) if wanted.by not in each]
    if without:
        raise BadInput(
            f"The run of {without[0]} has not logged a hyperparameter {wanted.by}; order by another one.", "no_hyperparameter"
        )
    return wanted.by, [each[wanted.by] for each in logged]


def _rows(made: Found, labels: Sequence[str], sessions: Sequence[AnalysedSession]) -> list[TrendPointRow]:
    left = list(zip(sessions, labels, strict=True))
    rows: list[TrendPointRow] = []
    for point in made.points:
        place = next(place for place, (_, label) in enumerate(left) if label == point.label)
        rows.append(_row(point, left.pop(place)[0]))
    return rows


def _row(point: TrendPoint, session: AnalysedSession) -> TrendPointRow:
    return fill(
        TrendPointRow, point, session=session.id, name=session.name, breakdown={group.key: point.groups[group] for group in Group}
    )


TREND = SeveralPart("trend", "Trend", TrendWanted, Trend, _choices, _make, reads_logs=True)
