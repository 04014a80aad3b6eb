"""Requests wait in a queue while the device that serves them has nothing to do."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.intervals import lengths_between, union
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_QUEUES = re.compile(
    r"queue[_ ]?(?:wait|time|delay)|wait(?:ing)?[_ ]for[_ ](?:a[_ ])?(?:batch|request)|batch(?:ing)?[_ ](?:wait|delay)",
    re.IGNORECASE,
)
_SERVES = re.compile(r"BatchingSessionRun|ProcessBatch|execute_model|handle_request|model_runner\.py|TritonModel", re.IGNORECASE)
"""Names that serving programs give their work."""
_KINDS = (SpanKind.ANNOTATION, SpanKind.FRAMEWORK, SpanKind.OP, SpanKind.PYTHON, SpanKind.OTHER)
_MOST_OF_THE_GAP = 0.5


def look(facts: Facts) -> Seen:
    """Gaps of the device that are mostly under a span which says that a request waits."""
    waits = facts.find(_QUEUES, *_KINDS)
    if not len(waits):
        if len(facts.find(_SERVES, *_KINDS)):
            return CannotTell(
                "The recording serves requests, and nothing in it tells how long they wait in a queue.",
                'Mark the wait with an annotation whose name holds "queue_wait".',
            )
        return Quiet("Nothing in the recording waits in a queue of requests.")
    places = _idle_under(facts, waits)
    if not len(places):
        return Quiet("The device works while requests wait.")
    gaps = facts.idle.gaps
    typical = places[np.isin(gaps.step[places], facts.breakdown.typical)]
    parts = gaps.parts[typical].sum(axis=0) / max(1, len(facts.breakdown.typical))
    lost = float(parts.sum())
    per_step = np.bincount(gaps.step[places], gaps.end[places] - gaps.start[places], len(facts.breakdown.steps))
    longest = int(waits[int(np.argmax(facts.profile.spans.end[waits] - facts.profile.spans.start[waits]))])
    length = int(facts.profile.spans.end[longest] - facts.profile.spans.start[longest])
    return Pattern(
        title="Start batches sooner",
        summary=f"{percent(lost / facts.step_ns)} of a batch's time, {milliseconds(lost)}, it waits while the device is idle.",
        evidence=(facts.evidence(f"The longest wait takes {milliseconds(length)}: {facts.name(longest)}.", longest),),
        subject="A batch that starts at once",
        lever=Lever(Action.GAPS, {each: float(parts[each]) for each in TimeClass if parts[each] > 0}, rank=facts.rank),
        holds_in=facts.holds(per_step),
    )


def _idle_under(facts: Facts, waits: Int64) -> Int64:
    gaps, spans = facts.idle.gaps, facts.profile.spans
    if not len(gaps):
        return np.zeros(0, np.int64)
    edges = np.stack([gaps.start, gaps.end], axis=1).ravel()
    under = lengths_between(union(spans.start[waits], spans.end[waits]), edges)[::2]
    return np.flatnonzero(under >= _MOST_OF_THE_GAP * (gaps.end - gaps.start))


RULE = Rule(
    id="queue_wait",
    title="Requests that wait while the device is idle",
    look=look,
    code=Code(
        tensorflow="# TensorFlow Serving's batching parameters:\nbatch_timeout_micros = {'value': 0}\nnum_batch_threads = {'value': 8}",
        pytorch="# TorchServe's model-config.yaml:\nmodel_config = {'batchSize': 8, 'maxBatchDelay': 1, 'minWorkers': 2}",
        jax=(
            "batch = [queue.get()]  # then take what is there, and do not wait\n"
            "while not queue.empty() and len(batch) < limit:\n    batch.append(queue.get_nowait())"
        ),
    ),
    wrong_when="When throughput matters more than latency: waiting makes larger batches, which cost less for each request.",
)
