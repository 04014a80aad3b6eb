"""One operation takes a large part of the step, and the device could do it faster."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.work.largest_operation import largest_operation, roof_of
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_LARGE = 0.25
_SLOW = 0.35
_WELL_DONE = 0.6
"""Large products reach 40 to 80 % of what a data sheet promises, so less than 35 % is odd, and more than 60 % is not promised."""


def look(facts: Facts) -> Seen:
    """The operation with most compute of its own, beside the least time that its arithmetic and its bytes need."""
    largest = largest_operation(facts.profile, facts.breakdown, facts.rank_spans)
    if largest is None:
        return CannotTell("Operations are not recorded in this profile.", how_to_show(facts.profile, Shows.OPERATIONS))
    name, mine = shortened(largest.name), largest.rows
    share = facts.exposed_ns(mine) / facts.step_ns
    if share < _LARGE:
        return Quiet(f"No operation is a quarter of the step; the longest, {name}, is {percent(share)}.")
    peaks = None if facts.cpu_only else facts.peaks
    if peaks is None or not (peaks.flops or peaks.bandwidth):
        return CannotTell(
            f"{name} is {percent(share)} of a step; the peak of the device is unknown.",
            "Benchmark the operation alone with other sizes or another implementation: profiles do not record a CPU's peak.",
        )
    roof = roof_of(facts.profile, facts.breakdown, largest, peaks)
    if roof is None:
        return CannotTell(
            f"{name} is {percent(share)} of a step; its FLOPs are not recorded in this profile.",
            how_to_show(facts.profile, Shows.SHAPES),
        )
    reached = min(1.0, roof.least_ns / max(1.0, roof.took_ns))
    if reached >= _SLOW:
        return Quiet(f"{name} is {percent(share)} of a step and reaches {percent(reached)} of the device's peak.")
    left = reached / _WELL_DONE
    well_done = left * facts.exposed_ns(mine)
    return Pattern(
        title=f"Make {name} faster",
        summary=f"{name} is {percent(share)} of a step and reaches only {percent(reached)} of the device's peak.",
        evidence=(
            facts.evidence(f"{milliseconds(facts.exposed_ns(mine))} per step, bound by {roof.bound_by}.", largest.longest),
            Evidence(f"At {percent(_WELL_DONE)} of the peak, which large matrix products reach, it needs {milliseconds(well_done)}."),
        ),
        subject=f"Running {name} at {percent(_WELL_DONE)} of the peak",
        lever=Lever(Action.KERNELS, facts.takes_of(mine, left), rank=facts.rank, rows=facts.only_here(mine), factor=left),
        holds_in=facts.holds(facts.per_step(mine)),
    )


RULE = Rule(
    id="slow_operator",
    title="Slow operation",
    look=look,
    code=Code(
        tensorflow="x = tf.pad(x, paddings)  # sizes that are multiples of 8 or 64\n@tf.function(jit_compile=True)\ndef block(x): ...",
        pytorch="# Sizes that are multiples of 8 or 64, and library kernels:\ny = functional.scaled_dot_product_attention(q, k, v)",
        jax="# Sizes that are multiples of 128, and library kernels:\ny = jax.nn.dot_product_attention(q, k, v)",
    ),
    wrong_when="When the operation is small or must read memory more than once: few operations get close to the peak.",
)
