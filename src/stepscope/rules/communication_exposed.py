"""Data moves between ranks while nothing computes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stepscope.analyses.communication.accumulation import reductions_per_update
from stepscope.analyses.communication.links import link_use
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.number_text import three_digits
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import NO_CODE, CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SLOW_LINK = 0.5
_ACCUMULATES = 1.5
"""More than one reduction in most updates."""
_NO_SYNC = (
    "for batch in batches[:-1]:\n    with model.no_sync():  # gradients stay on the rank\n        loss(model(batch)).backward()\n"
    "loss(model(batches[-1])).backward()  # reduces their sum\noptimizer.step()"
)


def look(facts: Facts) -> Seen:
    """The transfer part of communication, told from waiting by all ranks' recordings."""
    exposed = facts.share(TimeClass.COMM)
    if exposed <= 0:
        return Quiet("There is no communication, or it overlaps compute.")
    split = facts.summary.collected.splits[facts.rank]
    if split is None:
        return CannotTell(
            f"{percent(exposed)} of a step is communication, but wait and transfer cannot be separated "
            f"({facts.summary.collected.text}).",
            "Capture the same steps on every rank and open all files together.",
        )
    # In the mean over ranks, as the breakdown has it: how a collective divides into waiting and transfer differs from rank to rank.
    splits = [each for each in facts.summary.collected.splits if each is not None]
    transfer = float(np.mean([each.transfer_ns for each in splits]))
    waiting = float(np.mean([each.waiting_ns for each in splits]))
    step_ns = float(np.mean([each.typical_ns for each in facts.summary.breakdowns])) or 1.0
    if transfer <= 0:
        return Quiet("All exposed communication is waiting for other ranks.")
    often = reductions_per_update(facts.profile, facts.breakdown)
    if often is not None and often >= _ACCUMULATES:
        return _accumulated(facts, transfer, often, step_ns)
    return Pattern(
        title="Overlap communication with compute",
        summary=f"Data transfer between ranks is exposed (no compute runs) for {percent(transfer / step_ns)} of a "
        f"step ({milliseconds(transfer)}).",
        evidence=(
            *_waiting(waiting),
            *_bandwidth(facts),
            *facts.evidence_of(facts.labelled(TimeClass.COMM), lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="Overlapping communication with compute",
        lever=Lever(Action.TRANSFER, {TimeClass.COMM: transfer}),
        holds_in=facts.holds_in(TimeClass.COMM),
    )


def _accumulated(facts: Facts, transfer: float, often: float, step_ns: float) -> Pattern:
    """Gradients of every pass are reduced, though only their sum is used."""
    return Pattern(
        title="Reduce gradients once per optimizer step",
        summary=f"Gradients are reduced {three_digits(often)} times per optimizer step; transfer is exposed for "
        f"{percent(transfer / step_ns)} of a step ({milliseconds(transfer)}).",
        evidence=facts.evidence_of(facts.labelled(TimeClass.COMM), lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        subject="Reducing gradients once",
        lever=Lever(Action.TRANSFER, {TimeClass.COMM: transfer * (1 - 1 / often)}, factor=1 / often),
        holds_in=facts.holds_in(TimeClass.COMM),
        code=replace(NO_CODE, pytorch=_NO_SYNC),
    )


def _waiting(waiting_ns: float) -> tuple[Evidence, ...]:
    if waiting_ns <= 0:
        return ()
    return (Evidence(f"Ranks also wait {milliseconds(waiting_ns)} per step for other ranks; overlap does not shorten that."),)


def _bandwidth(facts: Facts) -> tuple[Evidence, ...]:
    """Bus bandwidth of large collectives against the link, where sizes and the device are known."""
    found = link_use(facts.profile)
    if found is None:
        return ()
    word = "the link is slow" if found.share < _SLOW_LINK else "the link is well used"
    text = f"The fastest large collective reaches {percent(found.share)} of the link bandwidth of {found.device}: {word}."
    return (Evidence(text, facts.at(found.row)),)


RULE = Rule(
    id="communication_exposed",
    title="Exposed communication",
    look=look,
    code=Code(
        tensorflow="options = tf.distribute.experimental.CommunicationOptions(\n    bytes_per_pack=25 << 20\n)\n"
        "strategy = tf.distribute.MultiWorkerMirroredStrategy(\n    communication_options=options\n)",
        pytorch="model = DistributedDataParallel(\n    model, bucket_cap_mb=25, gradient_as_bucket_view=True\n)  # or fully_shard",
        jax='hide = "--xla_gpu_enable_latency_hiding_scheduler=true"\nos.environ["XLA_FLAGS"] = hide',
    ),
    wrong_when="When ranks wait for a straggler (see the rule straggler): then the wait, not the transfer, costs the time.",
)
