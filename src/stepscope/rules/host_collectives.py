"""Ranks that compute on devices communicate through the host."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, Profile, TrackRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """Collectives on threads that nothing hides, although the rank has a device; the part that moves data only."""
    if facts.cpu_only:
        return Quiet("The ranks compute on the CPU, where communication belongs.")
    everywhere = tuple(map(_on_threads, facts.summary.profiles, facts.summary.breakdowns))
    rows = everywhere[facts.rank]
    exposed = facts.exposed_ns(rows)
    if exposed <= 0:
        return Quiet("No communication runs on the host, or compute hides it.")
    split = facts.summary.collected.splits[facts.rank]
    if split is None:
        return CannotTell(
            f"{percent(exposed / facts.step_ns)} of a step is communication on the host, but waiting for other ranks cannot be told "
            "from transfer.",
            "Record every rank of the job at the same steps, and open them together.",
        )
    moved = split.transfer_ns / max(1.0, split.transfer_ns + split.waiting_ns)
    return Pattern(
        title="Communicate from device to device",
        summary=f"{percent(exposed * moved / facts.step_ns)} of a step, {milliseconds(exposed * moved)}, data goes from rank to rank "
        "through the host.",
        evidence=(
            Evidence(f"Waiting for other ranks is {percent(1 - moved)} of all communication, and would stay."),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}, on a thread of the host."),
        ),
        subject="Communication between devices",
        lever=Lever(Action.TRANSFER, {TimeClass.COMM: exposed * moved}, rows=everywhere, factor=1 - moved),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _on_threads(profile: Profile, breakdown: Breakdown) -> Int64:
    """Collectives of one rank that threads run."""
    threads = np.array([track.role == TrackRole.THREAD for track in profile.tracks] or [False])
    return np.flatnonzero((breakdown.classified.label == TimeClass.COMM) & threads[profile.spans.track])


RULE = Rule(
    id="host_collectives",
    title="Communication through the host",
    look=look,
    code=Code(
        tensorflow="choice = tf.distribute.experimental.CommunicationImplementation.NCCL\n"
        "options = tf.distribute.experimental.CommunicationOptions(\n    implementation=choice\n)",
        pytorch='torch.distributed.init_process_group("nccl")',
        jax="jax.distributed.initialize()  # one process for each device",
    ),
    wrong_when="When the tensors live on the host anyway, such as counts and timings that are gathered for a log.",
    case_of="communication_exposed",
)
