"""Batches are copied to the device while it has nothing else to do."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import CopyDirection, Int64, MemoryKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent


def look(facts: Facts) -> Seen:
    """Copies to the device that no compute hides; how long they take in all does not matter."""
    if facts.cpu_only:
        return Quiet("There is no device to copy to.")
    share = facts.share(TimeClass.H2D)
    if share <= 0 and facts.undirected > 0:
        return CannotTell(
            f"{percent(facts.undirected)} of a step is copying, and the recording does not tell in which direction.",
            "Record device activities: ProfilerActivity.CUDA in PyTorch, device_tracer_level=1 in TensorFlow and JAX.",
        )
    if share <= 0:
        return Quiet("Copies to the device run beside compute, or there are none.")
    rows = np.flatnonzero((facts.breakdown.classified.label == TimeClass.H2D) & (facts.breakdown.exposed > 0))
    return Pattern(
        title="Copy the next batch while this one computes",
        summary=f"{percent(share)} of a step, {milliseconds(float(facts.parts[TimeClass.H2D]))}, the device only receives data.",
        evidence=_evidence(facts, rows),
        subject="Copying beside compute",
        lever=Lever(Action.COPY, facts.takes(TimeClass.H2D), rank=facts.rank, moves=True),
        holds_in=facts.holds_in(TimeClass.H2D),
    )


def _evidence(facts: Facts, rows: Int64) -> tuple[Evidence, ...]:
    copies, spans = facts.profile.copies, facts.profile.spans
    mine = np.flatnonzero(np.isin(copies.row, rows) & (copies.direction == CopyDirection.HOST_TO_DEVICE))
    kinds = {MemoryKind(int(kind)) for kind in np.unique(copies.source_memory[mine])}
    longest = int(rows[int(np.argmax(facts.breakdown.exposed[rows]))])
    lines = [
        Evidence(f"{counted(len(rows), 'copy').replace('copys', 'copies')}; the longest: {facts.name(longest)}.", facts.at(longest))
    ]
    if MemoryKind.PAGEABLE in kinds:
        lines.append(
            Evidence("They read pageable memory: the driver copies it once more before, and the host waits.", facts.at(longest))
        )
    elif kinds == {MemoryKind.PINNED}:
        lines.append(Evidence("They read pinned memory already: only a second stream can hide them.", facts.at(longest)))
    else:
        lines.append(Evidence("Whether the memory is pinned was not recorded.", facts.at(longest)))
    computing = {int(track) for track in np.unique(spans.track[facts.breakdown.classified.label == TimeClass.COMPUTE])}
    if {int(track) for track in np.unique(spans.track[rows])} <= computing:
        lines.append(Evidence("They run on the stream that computes, so nothing can run beside them.", facts.at(longest)))
    return tuple(lines)


RULE = Rule(
    id="host_to_device_exposed",
    title="Copies to the device that nothing hides",
    look=look,
    code=Code(
        tensorflow='to_device = tf.data.experimental.prefetch_to_device("/GPU:0", 2)\ndataset = dataset.apply(to_device)',
        pytorch="loader = DataLoader(dataset, batch_size, pin_memory=True)\nbatch = batch.to(device, non_blocking=True)",
        jax="following = jax.device_put(next(batches))  # while this step runs",
    ),
    wrong_when="When the copies already overlap compute: then they cost nothing, however long they take.",
)
