"""Ranks exchange many small messages, each of which costs a round trip."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.communication.messages import small_and_their_senders, small_messages
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.number_text import three_digits
from stepscope.model.profile import Int64
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, mebibytes, percent

_BUCKET = 25_000_000
"""What DistributedDataParallel packs into one message."""
_MANY = 10


def look(facts: Facts) -> Seen:
    """Collectives under a megabyte that nothing hides, where waiting for other ranks is told from transfer."""
    if facts.share(TimeClass.COMM) <= 0:
        return Quiet("There is no communication, or it overlaps compute.")
    small = small_messages(facts.profile, facts.breakdown)
    if not small.sized:
        return CannotTell("Message sizes are not recorded in this profile.", how_to_show(facts.profile, Shows.SHAPES))
    rows, steps = small.rows, max(1, len(facts.breakdown.typical))
    often = len(rows) / steps
    if often < _MANY:
        return Quiet(f"{three_digits(often)} messages per step are smaller than 1 MB.")
    split = facts.summary.collected.splits[facts.rank]
    if split is None:
        return CannotTell(
            f"{often:.0f} messages per step are small, but wait and transfer cannot be separated.",
            "Capture the same steps on every rank and open all files together.",
        )
    left = min(1.0, max(steps, small.bytes / _BUCKET) / len(rows))
    moved = split.transfer_ns / max(1.0, split.transfer_ns + split.waiting_ns)
    lost = facts.exposed_ns(rows) * moved * (1 - left)
    longest = int(rows[int(np.argmax(facts.breakdown.exposed[rows]))])
    return Pattern(
        title="Pack small messages into buckets",
        summary=f"{often:,.0f} messages per step are smaller than 1 MB; packing them could save "
        f"{percent(lost / facts.step_ns)} of the step "
        f"({milliseconds(lost)}).",
        evidence=(
            Evidence(
                f"Average size of a small message: {mebibytes(small.bytes / len(rows))}; the longest: {facts.name(longest)}.",
                facts.at(longest),
            ),
        ),
        subject="Larger messages",
        lever=Lever(
            Action.MESSAGES,
            {**facts.takes_of(small.senders, left), TimeClass.COMM: lost},
            rows=_small_everywhere(facts),
            factor=1 - moved * (1 - left),
        ),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _small_everywhere(facts: Facts) -> tuple[Int64, ...]:
    """The small messages of every rank, and the calls that send them: both sides of one become part of a larger one."""
    return tuple(map(small_and_their_senders, facts.summary.profiles, facts.summary.breakdowns))


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
    wrong_when="When each message is needed before the next one can be computed, as between pipeline stages.",
    case_of="communication_exposed",
)
