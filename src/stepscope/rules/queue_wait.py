"""Requests wait in a queue while the device that serves them has nothing to do."""

from __future__ import annotations

from stepscope.analyses.gap_patterns import gap_time, gaps_under
from stepscope.analyses.texts import milliseconds
from stepscope.model.profile import SpanKind
from stepscope.model.span_names import NameRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_KINDS = (SpanKind.ANNOTATION, SpanKind.FRAMEWORK, SpanKind.OP, SpanKind.PYTHON, SpanKind.OTHER)


def look(facts: Facts) -> Seen:
    """Gaps of the device that are mostly under a span which says that a request waits."""
    waits = facts.find(NameRole.QUEUE_WAIT, *_KINDS)
    if not len(waits):
        if len(facts.find(NameRole.SERVING, *_KINDS)):
            return CannotTell(
                "This profile contains requests, but their queue time is not recorded.",
                'Annotate the wait with a name that contains "queue_wait".',
            )
        return Quiet("No request waits in a queue.")
    gaps = facts.idle.gaps
    places = gaps_under(facts.profile, gaps, waits)
    if not len(places):
        return Quiet("The device works while requests wait.")
    cost = gap_time(facts.breakdown, gaps, places)
    lost, longest = cost.lost_ns, facts.rank_spans.longest(waits)
    length = facts.rank_spans.length_ns(longest)
    return Pattern(
        title="Start batches sooner",
        summary=f"A batch waits in the queue while the device is idle for {percent(lost / facts.step_ns)} of its time "
        f"({milliseconds(lost)}).",
        evidence=(facts.evidence(f"The longest wait: {facts.name(longest)}, {milliseconds(length)}.", longest),),
        subject="Starting batches at once",
        lever=Lever(Action.GAPS, cost.takes, rank=facts.rank),
        holds_in=facts.holds(cost.per_step_ns),
    )


RULE = Rule(
    id="queue_wait",
    title="Requests queued while the device is idle",
    look=look,
    code=Code(
        tensorflow="# TensorFlow Serving's batching parameters:\nbatch_timeout_micros = {'value': 0}\nnum_batch_threads = {'value': 8}",
        pytorch="# TorchServe's model-config.yaml:\nmodel_config = {'batchSize': 8, 'maxBatchDelay': 1, 'minWorkers': 2}",
        jax=(
            "batch = [queue.get()]  # then take what is there, and do not wait\n"
            "while not queue.empty() and len(batch) < limit:\n    batch.append(queue.get_nowait())"
        ),
    ),
    wrong_when="When throughput matters more than latency: waiting forms larger batches, which cost less per request.",
)
