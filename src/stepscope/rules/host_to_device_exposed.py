"""Batches are copied to the device while it has nothing else to do."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.exposed_copies import ExposedCopies, exposed_copies
from stepscope.model.profile import MemoryKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent


def look(facts: Facts) -> Seen:
    """Copies to the device that no compute hides; how long they take in all does not matter."""
    if facts.cpu_only:
        return Quiet("This profile has no GPU or other device.")
    share = facts.share(TimeClass.H2D)
    if share <= 0 and facts.undirected > 0:
        return CannotTell(
            f"{percent(facts.undirected)} of a step is copying, but the direction is not recorded in this profile.",
            "Capture device activity: ProfilerActivity.CUDA in PyTorch, device_tracer_level=1 in TensorFlow and JAX.",
        )
    if share <= 0:
        return Quiet("Copies to the device overlap compute, or there are none.")
    return Pattern(
        title="Copy the next batch while this one computes",
        summary=f"Host-to-device copies are exposed (no compute runs) for {percent(share)} of a step "
        f"({milliseconds(float(facts.parts[TimeClass.H2D]))}).",
        evidence=_evidence(facts, exposed_copies(facts.profile, facts.breakdown, TimeClass.H2D)),
        subject="Overlapping copies with compute",
        lever=Lever(Action.COPY, facts.takes(TimeClass.H2D), rank=facts.rank, moves=True),
        holds_in=facts.holds_in(TimeClass.H2D),
    )


def _evidence(facts: Facts, copies: ExposedCopies) -> tuple[Evidence, ...]:
    longest = copies.longest
    lines = [
        Evidence(
            f"{counted(len(copies.rows), 'copy').replace('copys', 'copies')}; the longest: {facts.name(longest)}.", facts.at(longest)
        )
    ]
    if MemoryKind.PAGEABLE in copies.host_memory:
        lines.append(
            Evidence("The copies read pageable memory: the driver copies the data twice, and the host waits.", facts.at(longest))
        )
    elif copies.host_memory == frozenset({MemoryKind.PINNED}):
        lines.append(Evidence("The copies already read pinned memory: only a second stream can overlap them.", facts.at(longest)))
    else:
        lines.append(Evidence("Pinned or pageable memory: not recorded in this profile.", facts.at(longest)))
    if copies.on_computing_streams:
        lines.append(Evidence("The copies run on the compute stream, so they cannot overlap compute.", facts.at(longest)))
    return tuple(lines)


RULE = Rule(
    id="host_to_device_exposed",
    title="Exposed host-to-device copies",
    look=look,
    code=Code(
        tensorflow='to_device = tf.data.experimental.prefetch_to_device("/GPU:0", 2)\ndataset = dataset.apply(to_device)',
        pytorch="loader = DataLoader(dataset, batch_size, pin_memory=True)\nbatch = batch.to(device, non_blocking=True)",
        jax="following = jax.device_put(next(batches))  # while this step runs",
    ),
    wrong_when="When the copies already overlap compute: then they cost no step time.",
)
