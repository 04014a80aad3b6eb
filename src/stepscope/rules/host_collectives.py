"""Ranks that compute on devices communicate through the host."""

from __future__ import annotations

from stepscope.analyses.communication.messages import messages_through_host
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """Collectives on threads that nothing hides, although the rank has a device; the part that moves data only."""
    if facts.cpu_only:
        return Quiet("The ranks compute on the CPU, so communication on the host is expected.")
    everywhere = tuple(map(messages_through_host, facts.summary.profiles, facts.summary.breakdowns))
    rows = everywhere[facts.rank]
    exposed = facts.exposed_ns(rows)
    if exposed <= 0:
        return Quiet("No communication runs on the host, or it overlaps compute.")
    split = facts.summary.collected.splits[facts.rank]
    if split is None:
        return CannotTell(
            f"{percent(exposed / facts.step_ns)} of a step is communication on the host, but wait and transfer cannot be separated.",
            "Capture the same steps on every rank and open all files together.",
        )
    moved = split.transfer_ns / max(1.0, split.transfer_ns + split.waiting_ns)
    return Pattern(
        title="Communicate between devices directly",
        summary=f"Data moves between ranks through the host for {percent(exposed * moved / facts.step_ns)} of a step "
        f"({milliseconds(exposed * moved)}).",
        evidence=(
            Evidence(f"Waiting for other ranks is {percent(1 - moved)} of all communication; this change does not shorten it."),
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step on a host thread."),
        ),
        subject="Direct communication between devices",
        lever=Lever(Action.TRANSFER, {TimeClass.COMM: exposed * moved}, rows=everywhere, factor=1 - moved),
        holds_in=facts.holds(facts.per_step(rows)),
    )


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
    wrong_when="When the tensors are on the host anyway, such as counts and timings for a log.",
    case_of="communication_exposed",
)
