"""The device has work waiting, and still pauses between kernels that are hardly longer than the pauses."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.rows import rows_of
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, SpanKind, TrackRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_PAUSE_NS = 10_000
"""What a device needs from one kernel to the next is a few microseconds; a longer gap has another cause."""
_SHORT_NS = 20_000
_MANY = 50


def look(facts: Facts) -> Seen:
    """Pauses before kernels that were launched already, so that no faster host would shorten them."""
    if facts.cpu_only:
        return Quiet("There is no device that runs kernels.")
    if facts.launches is None:
        return CannotTell(
            "The recording does not tell which call launched which kernel.",
            how_to_show(facts.profile, Shows.HOST),
        )
    kernels, median = facts.launches.per_step, facts.launches.kernel_ns
    if kernels < _MANY or median > _SHORT_NS:
        return Quiet(f"{kernels:,.0f} kernels a step, the median takes {milliseconds(median)}: they are not many small ones.")
    places = _queued_pauses(facts)
    if not len(places):
        return Quiet("The device goes from kernel to kernel without a pause, or waits for launches.")
    gaps = facts.idle.gaps
    steps = max(1, len(facts.breakdown.typical))
    typical = places[np.isin(gaps.step[places], facts.breakdown.typical)]
    parts = gaps.parts[typical].sum(axis=0) / steps
    lost = float(parts.sum())
    per_step = np.bincount(gaps.step[places], gaps.end[places] - gaps.start[places], len(facts.breakdown.steps))
    usual = float(np.median(gaps.end[places] - gaps.start[places]))
    return Pattern(
        title="Merge small kernels",
        summary=f"{percent(lost / facts.step_ns)} of a step, {milliseconds(lost)}, the device pauses between kernels that are queued.",
        evidence=(
            Evidence(f"{kernels:,.0f} kernels a step, the median takes {milliseconds(median)}."),
            Evidence(
                f"{len(typical) / steps:,.0f} pauses a step of {milliseconds(usual)} each, with the next kernel launched already."
            ),
        ),
        subject="Kernels without pauses between them",
        lever=Lever(Action.GAPS, {each: float(parts[each]) for each in TimeClass if parts[each] > 0}, rank=facts.rank),
        holds_in=facts.holds(per_step),
    )


def _queued_pauses(facts: Facts) -> Int64:
    """Gaps of a few microseconds before a kernel whose launch had arrived before the gap began."""
    gaps, spans = facts.idle.gaps, facts.profile.spans
    tracks = [each for each in facts.profile.tracks if each.role == TrackRole.STREAM and each.device == facts.idle.device]
    rows = rows_of(tracks)
    rows = rows[(spans.kind[rows] == SpanKind.KERNEL) & (spans.cause[rows] >= 0)]
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    if not len(rows) or not len(gaps) or facts.launches is None:
        return np.zeros(0, np.int64)
    place = np.minimum(np.searchsorted(spans.start[rows], gaps.end, side="left"), len(rows) - 1)
    follows = spans.start[rows[place]] == gaps.end
    arrived = spans.start[spans.cause[rows[place]]] + facts.launches.latency_ns <= gaps.start
    return np.flatnonzero(follows & arrived & (gaps.end - gaps.start <= _PAUSE_NS))


RULE = Rule(
    id="many_small_kernels",
    title="Many small kernels",
    look=look,
    code=Code(
        tensorflow="@tf.function(jit_compile=True)  # XLA merges them\ndef train_step(batch):\n    ...",
        pytorch="model = torch.compile(model)  # merges elementwise operations\noptimizer = torch.optim.AdamW(parameters, fused=True)",
        jax="@jax.jit  # one program for the whole step\ndef train_step(state, batch):\n    ...",
    ),
    wrong_when="When the kernels wait for launches instead (see host_bound): then the pauses are the host's.",
)
