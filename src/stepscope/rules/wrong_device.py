"""An operation runs on the host in the middle of device work: its input is copied there and its result back."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.gap_patterns import HostDetours, gap_time, host_detours
from stepscope.analyses.texts import milliseconds
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent

_NAMED = 3


def look(facts: Facts) -> Seen:
    """Gaps of the device that begin after a copy to the host, end with a copy back, and are an operation's on the host."""
    if facts.cpu_only:
        return Quiet("This profile has no device other than the CPU.")
    if facts.undirected > 0:
        return CannotTell(
            f"{percent(facts.undirected)} of a step is copying, but the direction is not recorded in this profile.",
            how_to_show(facts.profile, Shows.DEVICE),
        )
    operations = facts.of_kind(SpanKind.OP)
    found = host_detours(facts.profile, facts.breakdown, facts.idle.gaps, operations)
    if not len(found.between_copies):
        return Quiet("No data is copied to the host, processed there and copied back.")
    if not len(operations):
        return CannotTell("Host operations are not recorded in this profile.", how_to_show(facts.profile, Shows.HOST))
    if not len(found.places):
        return Quiet("No operation runs on the host between a copy to the host and the copy back.")
    return _pattern(facts, found)


def _pattern(facts: Facts, found: HostDetours) -> Pattern:
    cost = gap_time(facts.breakdown, facts.idle.gaps, found.places)
    takes = facts.takes_of(found.copies)
    for each, ns in cost.takes.items():
        takes[each] = takes.get(each, 0.0) + ns
    lost = sum(takes.values())
    lines: list[Evidence] = []
    for one in sorted(facts.rank_spans.counted_by_name(found.operations), key=lambda one: (-one.count, one.key))[:_NAMED]:
        text = f"{facts.name(one.first)} runs on the host, {counted(one.count, 'time')}, with a copy before and after."
        lines.append(Evidence(text, facts.at(one.first)))
    return Pattern(
        title="Run the operation on the device",
        summary="Copying data to the host, processing it there and copying it back costs "
        f"{percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=tuple(lines),
        subject="Running the operation on the device",
        lever=Lever(Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(np.union1d(found.operations, found.copies))),
        holds_in=facts.holds(cost.per_step_ns),
    )


RULE = Rule(
    id="wrong_device",
    title="Operation on the wrong device",
    look=look,
    code=Code(
        tensorflow="tf.debugging.set_log_device_placement(True)\ny = tf.math.top_k(x, k)  # no py_function, no numpy",
        pytorch="mask = mask.to(scores.device)  # both on the device\nbest = torch.topk(scores, k).indices  # not scores.cpu().numpy()",
        jax="best = jax.lax.top_k(scores, k)  # jnp, not numpy or a callback",
    ),
    wrong_when="When the device does not implement the operation, or runs it slower than the host including both copies.",
    case_of="host_bound",
)
