"""One process copies the model to all its devices in every step."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import CopyDirection, Int64, SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SIGNS = re.compile(
    r"(?<!Distributed)DataParallel\.forward|nn[/\\]parallel[/\\](?:data_parallel|replicate|scatter_gather|comm|_functions|parallel_apply)\.py\("
    r"|^(?:Broadcast|Scatter|Gather|BroadcastBackward|GatherBackward|ReduceAddCoalesced)$"
)
"""What torch's DataParallel leaves in a recording: its annotation, its Python files, and its functions."""


def look(facts: Facts) -> Seen:
    """DataParallel's own calls beside several devices of one process."""
    if len(facts.breakdown.classified.devices) < 2:
        return Quiet("The process uses one device.")
    if facts.profile.framework not in ("PyTorch", ""):
        return Quiet(f"{facts.profile.framework} has no such way to use several devices.")
    calls = facts.find(_SIGNS, SpanKind.OP, SpanKind.ANNOTATION, SpanKind.PYTHON)
    if not len(calls):
        peers = facts.exposed_ns(_between_devices(facts))
        if peers <= 0 or len(facts.of_kind(SpanKind.ANNOTATION, SpanKind.PYTHON)):
            return Quiet("Nothing in the recording copies the model to the devices.")
        return CannotTell(
            f"The process copies {milliseconds(peers)} a step between its devices, and the recording does not tell who asks for it.",
            how_to_show(facts.profile, Shows.PYTHON),
        )
    rows = np.union1d(_between_devices(facts), calls[facts.breakdown.exposed[calls] > 0])
    takes = facts.takes_of(rows)
    lost = sum(takes.values())
    shown = int(calls[int(np.argmax(facts.profile.spans.end[calls] - facts.profile.spans.start[calls]))])
    return Pattern(
        title="Give every device a process of its own",
        summary=f"{percent(lost / facts.step_ns)} of a step, {milliseconds(lost)}, one process hands model and data to its devices.",
        evidence=(
            Evidence(f"{facts.name(shown)} is called in the steps.", facts.at(shown)),
            Evidence(f"{len(facts.breakdown.classified.devices)} devices belong to one process."),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="A process for each device",
        lever=Lever(Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _between_devices(facts: Facts) -> Int64:
    """Copies from device to device and collectives of this process, with time of their own."""
    copies, exposed = facts.profile.copies, facts.breakdown.exposed
    rows = copies.row[np.isin(copies.direction, (CopyDirection.PEER, CopyDirection.DEVICE_TO_DEVICE))].astype(np.int64)
    rows = rows[facts.breakdown.classified.label[rows] == TimeClass.D2D]
    return np.union1d(rows[exposed[rows] > 0], facts.labelled(TimeClass.COMM))


RULE = Rule(
    id="data_parallel",
    title="One process for several devices",
    look=look,
    code=Code(
        tensorflow="strategy = tf.distribute.MirroredStrategy()\nwith strategy.scope():\n    model = build_model()",
        pytorch="# torchrun --nproc-per-node=gpu train.py\nmodel = DistributedDataParallel(model, device_ids=[local_rank])",
        jax='mesh = jax.make_mesh((jax.device_count(),), ("batch",))\nbatch = jax.device_put(batch, NamedSharding(mesh, P("batch")))',
    ),
    wrong_when="When the devices run different parts of one model on purpose: then data has to move between them.",
)
