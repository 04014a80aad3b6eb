"""An operation runs on the host in the middle of device work: its input is copied there and its result back."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, SpanKind, TrackPurpose
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent

_MOST_OF_THE_GAP = 0.5
_NAMED = 3


def look(facts: Facts) -> Seen:
    """Gaps of the device that begin after a copy to the host, end with a copy back, and are an operation's on the host."""
    if facts.cpu_only:
        return Quiet("There is no device beside the CPU.")
    if facts.undirected > 0:
        return CannotTell(
            f"{percent(facts.undirected)} of a step is copying, and the recording does not tell in which direction.",
            how_to_show(facts.profile, Shows.DEVICE),
        )
    places = _between_copies(facts)
    if not len(places):
        return Quiet("Nothing is copied to the host, worked on there and copied back.")
    operations = facts.of_kind(SpanKind.OP)
    if not len(operations):
        return CannotTell("Operations of the host were not recorded.", how_to_show(facts.profile, Shows.HOST))
    places, rows = _with_operation(facts, places, operations)
    if not len(places):
        return Quiet("Between a copy to the host and the copy back no operation runs on the host.")
    return _pattern(facts, places, rows)


def _pattern(facts: Facts, places: Int64, rows: Int64) -> Pattern:
    gaps = facts.idle.gaps
    typical = np.isin(gaps.step[places], facts.breakdown.typical)
    parts = gaps.parts[places[typical]].sum(axis=0) / max(1, len(facts.breakdown.typical))
    copies = _copies_around(facts, places)
    takes = facts.takes_of(copies)
    for each in TimeClass:
        if parts[each] > 0:
            takes[each] = takes.get(each, 0.0) + float(parts[each])
    lost = sum(takes.values())
    per_step = np.bincount(gaps.step[places], gaps.end[places] - gaps.start[places], len(facts.breakdown.steps))
    names, counts = np.unique(facts.profile.spans.name[rows], return_counts=True)
    lines: list[Evidence] = []
    for name, count in sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda one: -one[1])[:_NAMED]:
        row = int(rows[facts.profile.spans.name[rows] == name][0])
        lines.append(
            Evidence(f"{facts.name(row)} runs on the host, {counted(count, 'time')}, with a copy before and after.", facts.at(row))
        )
    return Pattern(
        title="Run the operation on the device",
        summary=f"{percent(lost / facts.step_ns)} of a step, {milliseconds(lost)}, data goes to the host, is worked on and comes back.",
        evidence=tuple(lines),
        subject="Staying on the device",
        lever=Lever(Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(np.union1d(rows, copies))),
        holds_in=facts.holds(per_step),
    )


def _between_copies(facts: Facts) -> Int64:
    """Gaps with a copy to the host right before and a copy to the device right after."""
    gaps, spans, label = facts.idle.gaps, facts.profile.spans, facts.breakdown.classified.label
    ended = np.isin(gaps.start, spans.end[label == TimeClass.D2H])
    begun = np.isin(gaps.end, spans.start[label == TimeClass.H2D])
    return np.flatnonzero(ended & begun)


def _copies_around(facts: Facts, places: Int64) -> Int64:
    gaps, spans, label = facts.idle.gaps, facts.profile.spans, facts.breakdown.classified.label
    back = np.flatnonzero((label == TimeClass.D2H) & np.isin(spans.end, gaps.start[places]))
    there = np.flatnonzero((label == TimeClass.H2D) & np.isin(spans.start, gaps.end[places]))
    return np.concatenate([back, there])


def _with_operation(facts: Facts, places: Int64, operations: Int64) -> tuple[Int64, Int64]:
    """Gaps of which one operation of a thread that loads no input covers most, and those operations."""
    gaps, spans = facts.idle.gaps, facts.profile.spans
    loads = np.array([track.purpose == TrackPurpose.INPUT for track in facts.profile.tracks] or [False])
    rows = operations[~loads[spans.track[operations]]]
    middle = (spans.start[rows] + spans.end[rows]) // 2
    at = np.searchsorted(gaps.start[places], middle, side="right") - 1
    gap = places[np.maximum(at, 0)]
    inside = np.minimum(spans.end[rows], gaps.end[gap]) - np.maximum(spans.start[rows], gaps.start[gap])
    fits = (at >= 0) & (inside >= _MOST_OF_THE_GAP * (gaps.end[gap] - gaps.start[gap]))
    return np.unique(gap[fits]), rows[fits]


RULE = Rule(
    id="wrong_device",
    title="An operation on the wrong device",
    look=look,
    code=Code(
        tensorflow="tf.debugging.set_log_device_placement(True)\ny = tf.math.top_k(x, k)  # no py_function, no numpy",
        pytorch="mask = mask.to(scores.device)  # both on the device\nbest = torch.topk(scores, k).indices  # not scores.cpu().numpy()",
        jax="best = jax.lax.top_k(scores, k)  # jnp, not numpy or a callback",
    ),
    wrong_when="When the device has no implementation of the operation, or runs it slower than the host with both copies.",
    case_of="host_bound",
)
