"""The host cannot launch work as fast as the device finishes it."""

from __future__ import annotations

from stepscope.analyses.host.short_operations import short_operations
from stepscope.analyses.idle_causes import Cause
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_UNQUEUED = 0.5
_MANY_OPERATIONS = 100
_CLASSES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK)


_ON_A_CPU = Code(
    tensorflow="@tf.function  # one call runs the whole step\ndef train_step(batch):\n    ...",
    pytorch=(
        "# One operation on the whole tensor instead of a loop over its parts:\nloss = criterion(model(batch), targets)\n"
        "optimizer = torch.optim.AdamW(parameters, fused=True)"
    ),
    jax="@jax.jit  # the whole step, update included\ndef train_step(state, batch):\n    ...",
)
"""Without a device there are no graphs to launch, and compiling whatever runs made steps longer as often as shorter."""


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
            "Links between launches and kernels are not recorded in this profile.",
            how_to_show(facts.profile, Shows.HOST),
        )
    if found.unqueued < _UNQUEUED:
        return Quiet(f"Only {percent(found.unqueued)} of kernels start with an empty launch queue.")
    if found.host_ns <= found.kernel_ns:
        return Quiet(f"The host launches a kernel every {milliseconds(found.host_ns)}, faster than kernels run.")
    table = facts.idle.table
    bound = sum(table.per_step_ns(cause) for cause in (Cause.LAUNCH_BOUND, Cause.HOST_OP, Cause.SLOW_LAUNCH))
    if (held := table.per_step_ns(Cause.STREAM_WAIT)) > bound:
        return Quiet(f"Launched work waits {milliseconds(held)} of a step for other work, and {milliseconds(bound)} for the host.")
    return Pattern(
        title="Give the device more work per launch",
        summary=f"The device waits for the next kernel launch for {percent(share)} of a step.",
        evidence=(
            Evidence(f"{percent(found.unqueued)} of kernels start within {milliseconds(2 * found.latency_ns)} of their launch."),
            Evidence(f"The host needs {milliseconds(found.host_ns)} per launch; a kernel runs for {milliseconds(found.kernel_ns)}."),
            Evidence(f"{found.per_step:,.0f} kernels per step; the device is idle between them for {milliseconds(bound)}."),
            *facts.evidence_of(facts.labelled(*_CLASSES), lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="Fewer, larger launches",
        lever=Lever(Action.HOST, facts.takes(*_CLASSES), rank=facts.rank),
        holds_in=min(facts.holds_in(*_CLASSES), float((found.unqueued_per_step >= _UNQUEUED).mean())),
    )


def _without_device(facts: Facts) -> Seen:
    """Many short operations. A framework call counts only around eager operations: around others it may be waiting for them."""
    found = short_operations(facts.profile, facts.breakdown)
    if found is None:
        return CannotTell("Operations are not recorded in this profile.", how_to_show(facts.profile, Shows.OPERATIONS))
    if found.short < _UNQUEUED or found.per_step < _MANY_OPERATIONS:
        return Quiet(
            f"{found.per_step:,.0f} operations per step, {percent(found.short)} of them short: dispatch is not the bottleneck."
        )
    classes = _CLASSES if found.eager >= _UNQUEUED else (TimeClass.LAUNCH, TimeClass.OP)
    return Pattern(
        title="Run fewer, larger operations",
        summary=f"{percent(facts.share(*classes))} of a step is dispatch overhead around operations.",
        evidence=(
            Evidence(f"{found.per_step:,.0f} operations per step, median duration {milliseconds(found.median_ns)}."),
            *facts.evidence_of(facts.labelled(*classes), lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="Fewer, larger operations",
        lever=Lever(Action.HOST, facts.takes(*classes), rank=facts.rank),
        holds_in=facts.holds_in(*classes),
        code=_ON_A_CPU,
    )


RULE = Rule(
    id="host_bound",
    title="Host-bound step",
    look=look,
    code=Code(
        tensorflow="@tf.function(jit_compile=True)\ndef train_step(batch):\n    ...\n\nmodel.compile(..., steps_per_execution=10)",
        pytorch=(
            'model = torch.compile(model, mode="reduce-overhead")  # CUDA graphs\noptimizer = torch.optim.AdamW(parameters, fused=True)'
        ),
        jax="@jax.jit  # the whole step, update included\ndef train_step(state, batch):\n    ...",
    ),
    wrong_when="When the host waits for the device (see the rule sync_inside_step): faster launches do not help then.",
)
