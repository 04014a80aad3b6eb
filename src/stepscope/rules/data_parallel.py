"""One process copies the model to all its devices in every step."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.exposed_copies import copies_between_devices
from stepscope.model.profile import Int64, SpanKind
from stepscope.model.span_names import NameRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """DataParallel's own calls beside several devices of one process."""
    if len(facts.breakdown.classified.devices) < 2:
        return Quiet("The process uses one device.")
    if facts.profile.framework not in ("PyTorch", ""):
        return Quiet(f"{facts.profile.framework} has no DataParallel.")
    calls = facts.find(NameRole.DATA_PARALLEL, SpanKind.OP, SpanKind.ANNOTATION, SpanKind.PYTHON)
    if not len(calls):
        peers = facts.exposed_ns(_between_devices(facts))
        if peers <= 0 or len(facts.of_kind(SpanKind.ANNOTATION, SpanKind.PYTHON)):
            return Quiet("No call in this profile replicates the model to the devices.")
        return CannotTell(
            f"The process copies data between its devices for {milliseconds(peers)} per step; the caller is not "
            "recorded in this profile.",
            how_to_show(facts.profile, Shows.PYTHON),
        )
    rows = np.union1d(_between_devices(facts), calls[facts.breakdown.exposed[calls] > 0])
    takes = facts.takes_of(rows)
    lost = sum(takes.values())
    shown = facts.rank_spans.longest(calls)
    return Pattern(
        title="Use one process per device (DistributedDataParallel)",
        summary=f"One process distributes model and data to its devices for {percent(lost / facts.step_ns)} of a step "
        f"({milliseconds(lost)}).",
        evidence=(
            Evidence(f"The steps call {facts.name(shown)}.", facts.at(shown)),
            Evidence(f"{len(facts.breakdown.classified.devices)} devices are used by one process."),
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="One process per device",
        lever=Lever(Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _between_devices(facts: Facts) -> Int64:
    """Copies from device to device and collectives of this process, with time of their own."""
    return np.union1d(copies_between_devices(facts.profile, facts.breakdown), facts.labelled(TimeClass.COMM))


RULE = Rule(
    id="data_parallel",
    on_host_alone=True,
    title="One process for several devices",
    look=look,
    code=Code(
        tensorflow="strategy = tf.distribute.MirroredStrategy()\nwith strategy.scope():\n    model = build_model()",
        pytorch="# torchrun --nproc-per-node=gpu train.py\nmodel = DistributedDataParallel(model, device_ids=[local_rank])",
        jax='mesh = jax.make_mesh((jax.device_count(),), ("batch",))\nbatch = jax.device_put(batch, NamedSharding(mesh, P("batch")))',
    ),
    wrong_when="With model parallelism, when the devices run different layers on purpose: then data must move between them.",
)
