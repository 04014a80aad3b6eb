"""The device has work waiting, and still pauses between kernels that are hardly longer than the pauses."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.gap_patterns import gap_time, queued_pauses
from stepscope.analyses.texts import milliseconds
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SHORT_NS = 20_000
_MANY = 50


def look(facts: Facts) -> Seen:
    """Pauses before kernels that were launched already, so that no faster host would shorten them."""
    if facts.cpu_only:
        return Quiet("This profile has no device that runs kernels.")
    if facts.launches is None:
        return CannotTell(
            "Links between launches and kernels are not recorded in this profile.",
            how_to_show(facts.profile, Shows.HOST),
        )
    kernels, median = facts.launches.per_step, facts.launches.kernel_ns
    if kernels < _MANY or median > _SHORT_NS:
        return Quiet(f"{kernels:,.0f} kernels per step, median duration {milliseconds(median)}: not many small kernels.")
    places = queued_pauses(facts.profile, facts.idle, facts.launches.latency_ns)
    if not len(places):
        return Quiet("The device runs kernels back to back, or waits for launches.")
    gaps = facts.idle.gaps
    cost = gap_time(facts.breakdown, gaps, places)
    lost, steps = cost.lost_ns, max(1, len(facts.breakdown.typical))
    usual = float(np.median(gaps.end[places] - gaps.start[places]))
    return Pattern(
        title="Fuse small kernels",
        summary=f"The device is idle between queued kernels for {percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=(
            Evidence(f"{kernels:,.0f} kernels per step, median duration {milliseconds(median)}."),
            Evidence(
                f"{len(cost.typical) / steps:,.0f} gaps per step of {milliseconds(usual)} each, although the next "
                "kernel is already launched."
            ),
        ),
        subject="Fusing kernels",
        lever=Lever(Action.GAPS, cost.takes, rank=facts.rank),
        holds_in=facts.holds(cost.per_step_ns),
    )


RULE = Rule(
    id="many_small_kernels",
    title="Many small kernels",
    look=look,
    code=Code(
        tensorflow="@tf.function(jit_compile=True)  # XLA merges them\ndef train_step(batch):\n    ...",
        pytorch="model = torch.compile(model)  # merges elementwise operations\noptimizer = torch.optim.AdamW(parameters, fused=True)",
        jax="@jax.jit  # one program for the whole step\ndef train_step(state, batch):\n    ...",
    ),
    wrong_when="When the kernels wait for launches instead (see the rule host_bound): then the host causes the gaps.",
)
