"""Ranks exchange many small messages, each of which costs a round trip."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.communication.senders import senders
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, Profile
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, mebibytes, percent

_SMALL = 1_000_000
"""Bytes; below about a megabyte the time of a collective is latency rather than bandwidth."""
_BUCKET = 25_000_000
"""What DistributedDataParallel packs into one message."""
_MANY = 10


def look(facts: Facts) -> Seen:
    """Collectives under a megabyte that nothing hides, where waiting for other ranks is told from transfer."""
    if facts.share(TimeClass.COMM) <= 0:
        return Quiet("There is no communication, or compute hides it.")
    table, label = facts.profile.collectives, facts.breakdown.classified.label
    exposed = facts.breakdown.exposed
    seen = np.flatnonzero((label[table.row] == TimeClass.COMM) & (exposed[table.row] > 0))
    sized = seen[table.in_bytes[seen] >= 0]
    if not len(sized):
        return CannotTell("The sizes of messages were not recorded.", how_to_show(facts.profile, Shows.SHAPES))
    small = sized[table.in_bytes[sized] < _SMALL]
    steps = max(1, len(facts.breakdown.typical))
    often = len(small) / steps
    if often < _MANY:
        return Quiet(f"{often:.2g} messages a step are smaller than a megabyte.")
    split = facts.summary.collected.splits[facts.rank]
    if split is None:
        return CannotTell(
            f"{often:.0f} messages a step are small, but waiting for other ranks cannot be told from transfer.",
            "Record every rank of the job at the same steps, and open them together.",
        )
    rows = table.row[small].astype(np.int64)
    size = int(table.in_bytes[small].sum())
    left = min(1.0, max(steps, size / _BUCKET) / len(small))
    moved = split.transfer_ns / max(1.0, split.transfer_ns + split.waiting_ns)
    sending = senders(facts.profile, facts.breakdown, rows)
    lost = facts.exposed_ns(rows) * moved * (1 - left)
    longest = int(rows[int(np.argmax(exposed[rows]))])
    return Pattern(
        title="Pack small messages together",
        summary=f"{often:,.0f} messages a step are smaller than a megabyte; packed together they would save {milliseconds(lost)}, "
        f"{percent(lost / facts.step_ns)} of the step.",
        evidence=(
            Evidence(
                f"A small message has {mebibytes(size / len(small))} on average; the longest: {facts.name(longest)}.", facts.at(longest)
            ),
        ),
        subject="Larger messages",
        lever=Lever(
            Action.MESSAGES,
            {**facts.takes_of(sending, left), TimeClass.COMM: lost},
            rows=_small_everywhere(facts),
            factor=1 - moved * (1 - left),
        ),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _small_everywhere(facts: Facts) -> tuple[Int64, ...]:
    """The small messages of every rank, and the calls that send them: both sides of one become part of a larger one."""
    return tuple(_small_of(*each) for each in zip(facts.summary.profiles, facts.summary.breakdowns, strict=True))


def _small_of(profile: Profile, breakdown: Breakdown) -> Int64:
    table = profile.collectives
    rows = table.row[(table.in_bytes >= 0) & (table.in_bytes < _SMALL)].astype(np.int64)
    return np.concatenate([rows, senders(profile, breakdown, rows)])


RULE = Rule(
    id="small_messages",
    title="Many small messages",
    look=look,
    code=Code(
        tensorflow="options = tf.distribute.experimental.CommunicationOptions(\n    bytes_per_pack=25 << 20\n)\n"
        "strategy = tf.distribute.MultiWorkerMirroredStrategy(\n    communication_options=options\n)",
        pytorch="model = DistributedDataParallel(model, bucket_cap_mb=25)\n# and one all_reduce of torch.cat(values) for your own",
        jax='total = jax.lax.psum((loss, correct, count), "batch")  # one call',
    ),
    wrong_when="When each small message is needed before the next can be made, as in pipeline stages.",
    case_of="communication_exposed",
)
