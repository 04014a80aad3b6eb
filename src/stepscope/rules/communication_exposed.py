"""Data moves between ranks while nothing computes."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind, TrackRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_LARGE = 1_000_000
_SLOW_LINK = 0.5

LINKS: tuple[tuple[str, float], ...] = (
    (r"GB200|B200", 900e9),
    (r"H100.*PCIe|A100.*PCIe", 32e9),
    (r"H[12]00", 450e9),
    (r"A100", 300e9),
    (r"V100.*PCIe", 16e9),
    (r"V100", 150e9),
    (r"MI3\d\d", 448e9),
    (r"MI2\d\d", 200e9),
)
"""Bytes per second in one direction between neighbouring devices, by the device's name; from the makers' data sheets."""


def look(facts: Facts) -> Seen:
    """The transfer part of communication, told from waiting by all ranks' recordings."""
    exposed = facts.share(TimeClass.COMM)
    if exposed <= 0:
        return Quiet("There is no communication, or compute hides it.")
    split = facts.summary.collected.splits[facts.rank]
    if split is None:
        return CannotTell(
            f"{percent(exposed)} of a step is communication, but waiting for other ranks cannot be told from transfer "
            f"({facts.summary.collected.text}).",
            "Record every rank of the job at the same steps, and open them together.",
        )
    # In the mean over ranks, as the breakdown has it: how a collective divides into waiting and transfer differs from rank to rank.
    splits = [each for each in facts.summary.collected.splits if each is not None]
    transfer = float(np.mean([each.transfer_ns for each in splits]))
    waiting = float(np.mean([each.waiting_ns for each in splits]))
    step_ns = float(np.mean([each.typical_ns for each in facts.summary.breakdowns])) or 1.0
    if transfer <= 0:
        return Quiet("All communication that is seen is waiting for other ranks.")
    return Pattern(
        title="Hide the communication behind compute",
        summary=f"{percent(transfer / step_ns)} of a step, {milliseconds(transfer)}, data moves between ranks while nothing computes.",
        evidence=(
            *_waiting(waiting),
            *_bandwidth(facts),
            *facts.evidence_of(facts.labelled(TimeClass.COMM), lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="Hiding the communication",
        lever=Lever(Action.TRANSFER, {TimeClass.COMM: transfer}),
        holds_in=facts.holds_in(TimeClass.COMM),
    )


def _waiting(waiting_ns: float) -> tuple[Evidence, ...]:
    if waiting_ns <= 0:
        return ()
    return (Evidence(f"Waiting for other ranks, which overlap would not shorten, is {milliseconds(waiting_ns)} more."),)


def _bandwidth(facts: Facts) -> tuple[Evidence, ...]:
    """Bus bandwidth of large collectives against the link, where sizes and the device are known."""
    profile, table = facts.profile, facts.profile.collectives
    device = next((one.name for one in profile.devices if one.name), "")
    link = next((speed for pattern, speed in LINKS if re.search(pattern, device, re.IGNORECASE)), None)
    rows = rows_of_role(profile, TrackRole.STREAM)
    large = np.flatnonzero(
        (table.in_bytes >= _LARGE) & np.isin(table.row, rows) & (profile.spans.kind[table.row] == SpanKind.COLLECTIVE)
    )
    if link is None or not len(large):
        return ()
    row = table.row[large]
    length = (profile.spans.end[row] - profile.spans.start[row]) / 1e9
    ranks = np.maximum(table.group_size[large], 2)
    bus = table.in_bytes[large] * 2 * (ranks - 1) / ranks / np.maximum(length, 1e-9)
    share = float(np.max(bus)) / link
    word = "the link is slow" if share < _SLOW_LINK else "the link is well used"
    best = int(row[int(np.argmax(bus))])
    return (Evidence(f"The fastest large collective reaches {percent(share)} of what {device} can: {word}.", facts.at(best)),)


RULE = Rule(
    id="communication_exposed",
    title="Communication that nothing hides",
    look=look,
    code=Code(
        tensorflow="options = tf.distribute.experimental.CommunicationOptions(\n    bytes_per_pack=25 << 20\n)\n"
        "strategy = tf.distribute.MultiWorkerMirroredStrategy(\n    communication_options=options\n)",
        pytorch="model = DistributedDataParallel(\n    model, bucket_cap_mb=25, gradient_as_bucket_view=True\n)  # or fully_shard",
        jax='hide = "--xla_gpu_enable_latency_hiding_scheduler=true"\nos.environ["XLA_FLAGS"] = hide',
    ),
    wrong_when="When the ranks wait for one another (see straggler): what is moved is then not what takes the time.",
)
