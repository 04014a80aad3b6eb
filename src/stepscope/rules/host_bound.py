"""The host cannot launch work as fast as the device finishes it."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.idle_causes import Cause
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import SHORT_OP_NS, TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_UNQUEUED = 0.5
_MANY_OPERATIONS = 100
_CLASSES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK)


def look(facts: Facts) -> Seen:
    """Time in launches, operations and framework calls while the device has nothing to do, and an empty queue."""
    share = facts.share(*_CLASSES)
    if share <= 0:
        return Quiet("The host never keeps the device waiting.")
    return _without_device(facts) if facts.cpu_only else _with_device(facts, share)


def _with_device(facts: Facts, share: float) -> Seen:
    found = facts.launches
    if found is None:
        return CannotTell(
            "The recording does not tell which call launched which kernel.",
            how_to_show(facts.profile, Shows.HOST),
        )
    if found.unqueued < _UNQUEUED:
        return Quiet(f"Only {percent(found.unqueued)} of kernels find an empty queue.")
    if found.host_ns <= found.kernel_ns:
        return Quiet(f"From launch to launch the host takes {milliseconds(found.host_ns)}, less than a kernel runs.")
    bound = facts.idle.table.per_step_ns(Cause.LAUNCH_BOUND) + facts.idle.table.per_step_ns(Cause.HOST_OP)
    return Pattern(
        title="Give the device more work per launch",
        summary=f"{percent(share)} of a step the device waits while the host prepares the next launch.",
        evidence=(
            Evidence(f"{percent(found.unqueued)} of kernels start within {milliseconds(2 * found.latency_ns)} of their launch."),
            Evidence(
                f"The host takes {milliseconds(found.host_ns)} from launch to launch, a kernel runs {milliseconds(found.kernel_ns)}."
            ),
            Evidence(f"{found.per_step:,.0f} kernels a step; between them the device is idle for {milliseconds(bound)}."),
            *facts.evidence_of(facts.labelled(*_CLASSES), lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="Fewer, larger launches",
        lever=Lever(Action.HOST, facts.takes(*_CLASSES), rank=facts.rank),
        holds_in=min(facts.holds_in(*_CLASSES), float((found.unqueued_per_step >= _UNQUEUED).mean())),
    )


def _without_device(facts: Facts) -> Seen:
    """Many short operations. A framework call counts only around eager operations: around others it may be waiting for them."""
    spans, label = facts.profile.spans, facts.breakdown.classified.label
    rows = np.flatnonzero((spans.kind == SpanKind.OP) & ((label == TimeClass.OP) | (label == TimeClass.COMPUTE)))
    if not len(rows):
        return CannotTell("No operation was recorded.", how_to_show(facts.profile, Shows.OPERATIONS))
    length = spans.end[rows] - spans.start[rows]
    per_step = len(rows) / max(1, len(facts.breakdown.steps))
    short = float((length < SHORT_OP_NS).mean())
    if short < _UNQUEUED or per_step < _MANY_OPERATIONS:
        return Quiet(f"{per_step:,.0f} operations a step, {percent(short)} of them short: dispatch is not what takes the time.")
    eager = np.array([op.eager is True for op in facts.profile.ops] + [False])[spans.op[rows]]
    classes = _CLASSES if float(eager.mean()) >= _UNQUEUED else (TimeClass.LAUNCH, TimeClass.OP)
    return Pattern(
        title="Run fewer, larger operations",
        summary=f"{percent(facts.share(*classes))} of a step goes into dispatching operations rather than running them.",
        evidence=(
            Evidence(f"{per_step:,.0f} operations a step, the median takes {milliseconds(float(np.median(length)))}."),
            *facts.evidence_of(facts.labelled(*classes), lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="Fewer, larger operations",
        lever=Lever(Action.HOST, facts.takes(*classes), rank=facts.rank),
        holds_in=facts.holds_in(*classes),
    )


RULE = Rule(
    id="host_bound",
    title="Waiting for the host's launches",
    look=look,
    code=Code(
        tensorflow="@tf.function(jit_compile=True)\ndef train_step(batch):\n    ...\n\nmodel.compile(..., steps_per_execution=10)",
        pytorch=(
            'model = torch.compile(model, mode="reduce-overhead")  # CUDA graphs\noptimizer = torch.optim.AdamW(parameters, fused=True)'
        ),
        jax="@jax.jit  # the whole step, update included\ndef train_step(state, batch):\n    ...",
    ),
    wrong_when="When the device is idle because the host waits for it (see sync_inside_step): launching faster would not help.",
)
