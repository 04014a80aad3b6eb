"""One operation takes a large part of the step, and the device could do it faster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.devices.peaks import Peaks, device_peaks, number_format
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.analyses.work.product_flops import product_flops
from stepscope.model.profile import NONE, Int64
from stepscope.rules.facts import Facts, shortened
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_LARGE = 0.25
_SLOW = 0.35
_WELL_DONE = 0.6
"""Large products reach 40 to 80 % of what a data sheet promises, so less than 35 % is odd, and more than 60 % is not promised."""
_ORDINARY = "fp32"
_MOST_ASKED = 20_000
"""Spans, one after another, whose arithmetic is counted: the others are more of the same."""


@dataclass(frozen=True, slots=True)
class _Roof:
    """How long the operation would take at the device's peaks, beside how long it takes, in nanoseconds."""

    least_ns: float
    took_ns: float
    bound_by: str


def look(facts: Facts) -> Seen:
    """The operation with most compute of its own, beside the least time that its arithmetic and its bytes need."""
    rows = facts.labelled(TimeClass.COMPUTE)
    if not len(rows):
        return CannotTell("No operation was recorded.", how_to_show(facts.profile, Shows.OPERATIONS))
    name, mine = _largest(facts, rows)
    share = facts.exposed_ns(mine) / facts.step_ns
    if share < _LARGE:
        return Quiet(f"No operation takes a quarter of the step; the longest, {name}, takes {percent(share)}.")
    peaks = None if facts.cpu_only else _peaks(facts)
    if peaks is None or not (peaks.flops or peaks.bandwidth):
        return CannotTell(
            f"{name} takes {percent(share)} of a step; how fast the device could do it is not known.",
            "Measure the operation alone, with other sizes or another implementation: no recording tells a CPU's peak.",
        )
    roof = _roof(facts, mine[:_MOST_ASKED], peaks)
    if roof is None:
        return CannotTell(
            f"{name} takes {percent(share)} of a step; how much arithmetic it does was not recorded.",
            how_to_show(facts.profile, Shows.SHAPES),
        )
    reached = min(1.0, roof.least_ns / max(1.0, roof.took_ns))
    if reached >= _SLOW:
        return Quiet(f"{name} takes {percent(share)} of a step and reaches {percent(reached)} of what the device can.")
    left = reached / _WELL_DONE
    well_done = left * facts.exposed_ns(mine)
    longest = int(mine[int(np.argmax(facts.breakdown.exposed[mine]))])
    return Pattern(
        title=f"Make {name} faster",
        summary=f"{name} takes {percent(share)} of a step and reaches {percent(reached)} of what the device can do.",
        evidence=(
            facts.evidence(f"{milliseconds(facts.exposed_ns(mine))} of a step, limited by {roof.bound_by} at best.", longest),
            Evidence(f"At {percent(_WELL_DONE)} of the peak, as large products reach it, {milliseconds(well_done)} would do."),
        ),
        subject=f"{name} at {percent(_WELL_DONE)} of the peak",
        lever=Lever(Action.KERNELS, facts.takes_of(mine, left), rank=facts.rank, rows=facts.only_here(mine), factor=left),
        holds_in=facts.holds(facts.per_step(mine)),
    )


def _largest(facts: Facts, rows: Int64) -> tuple[str, Int64]:
    """The operation that owns most time, and its spans; spans of no known operation count by their own name."""
    spans, ops = facts.profile.spans, facts.profile.ops
    key = np.where(spans.op[rows] >= 0, spans.op[rows], len(ops) + spans.name[rows]).astype(np.int64)
    best = int(np.argmax(np.bincount(key, facts.breakdown.exposed[rows])))
    mine = rows[key == best]
    return shortened(ops[best].name) if best < len(ops) else facts.name(int(mine[0])), mine


def _peaks(facts: Facts) -> Peaks | None:
    place = facts.breakdown.classified.devices[0]
    return device_peaks(facts.profile.devices[place]) if place != NONE else None


def _roof(facts: Facts, rows: Int64, peaks: Peaks) -> _Roof | None:
    """From the operation's own costs where a compiler tells them, otherwise from the shapes of products; None when neither is known."""
    spans = facts.profile.spans
    op = int(spans.op[rows[0]])
    hosts = np.unique(host_operation_of(facts.profile, rows))
    hosts = hosts[hosts >= 0]
    known = facts.profile.ops[op] if op != NONE else None
    flops = bytes_ = float("nan")
    if known is not None and not np.isnan(known.flops):
        runs = len(hosts) or len(rows)
        flops, bytes_ = known.flops * runs, known.bytes * runs
    elif len(hosts):
        names = facts.profile.names
        pairs, counts = np.unique(np.stack([spans.name[hosts], spans.shape[hosts]]), axis=1, return_counts=True)
        each = [product_flops(names[int(name)], names[int(shape)]) if shape != NONE else float("nan") for name, shape in pairs.T]
        flops = float(np.dot(each, counts))
    longest = int(rows[int(np.argmax(facts.breakdown.exposed[rows]))])
    peak = peaks.flops.get(number_format(facts.profile.names[int(spans.name[longest])]) or _ORDINARY)
    arithmetic = 1e9 * flops / peak if peak and not np.isnan(flops) else float("nan")
    traffic = 1e9 * bytes_ / peaks.bandwidth if peaks.bandwidth and not np.isnan(bytes_) else float("nan")
    if np.isnan(arithmetic) and np.isnan(traffic):
        return None
    least = float(np.nanmax([arithmetic, traffic]))
    took = float((spans.end[rows] - spans.start[rows]).sum())
    return _Roof(least, took, "memory" if traffic == least else "arithmetic")


RULE = Rule(
    id="slow_operator",
    title="One operation that takes much of the step",
    look=look,
    code=Code(
        tensorflow="x = tf.pad(x, paddings)  # sizes that are multiples of 8 or 64\n@tf.function(jit_compile=True)\ndef block(x): ...",
        pytorch="# Sizes that are multiples of 8 or 64, and library kernels:\ny = functional.scaled_dot_product_attention(q, k, v)",
        jax="# Sizes that are multiples of 128, and library kernels:\ny = jax.nn.dot_product_attention(q, k, v)",
    ),
    wrong_when="When the operation is small, or has to read memory more than once: a peak is a bound that few come near.",
)
