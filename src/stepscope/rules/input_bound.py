"""The step waits for its next batch while the device has nothing to do."""

from __future__ import annotations

from stepscope.analyses.input.pipeline import Loader
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.levers import Lever as ReplayLever
from stepscope.analyses.what_if.prediction import cores_in_use
from stepscope.model.profile import NONE
from stepscope.rules.facts import Facts, shortened
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_FREE_CORES = 1.0
"""Loading beside the step needs a core of its own; with none left, two workers on two cores made a training 2.3 times slower."""

_BESIDE = Code(
    tensorflow="dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)\ndataset = dataset.prefetch(tf.data.AUTOTUNE)",
    pytorch=(
        "loader = DataLoader(\n    dataset, batch_size,\n    num_workers=4,  # no more than cores are free\n"
        "    persistent_workers=True, pin_memory=True,\n)"
    ),
    jax=(
        "loader = grain.DataLoader(\n    data_source=source, sampler=sampler, operations=operations,\n"
        "    worker_count=4,  # no more than cores are free\n)"
    ),
)
_CHEAPER = Code(
    tensorflow=(
        "dataset = dataset.map(decode).cache()  # only if it fits in memory\n"
        "dataset = dataset.batch(n).map(augment)  # one call for a batch"
    ),
    pytorch="# Decode and resize once, store the result, and load that:\ndataset = PreparedDataset('train.bin')",
    jax="# Decode and resize once, store the result, and load that:\nsource = PreparedSource('train.bin')",
)


def look(facts: Facts) -> Seen:
    """Waiting for input that nothing hides, and the stage or loader that is slow."""
    found = facts.input
    if found.loader is Loader.NONE:
        return CannotTell(
            "No call that fetches the next batch was recorded.",
            "Fetch batches through tf.data or torch's DataLoader, or mark the fetch with an annotation and list its name under input in"
            " span_kinds.toml ('stepscope profile kinds' tells where that lies) or in a file given by --span-kinds.",
        )
    share = facts.share(TimeClass.INPUT)
    if share <= 0:
        return Quiet("Input is loaded beside the step.")
    device = "step" if facts.cpu_only else "device"
    crowded = no_free_core(facts)
    return Pattern(
        title="Make the input cheaper: no core is free for loading it beside the step" if crowded else "Load the input beside the step",
        summary=f"{percent(share)} of a step, {milliseconds(found.exposed_ns)}, the {device} waits for input.",
        evidence=_evidence(facts, crowded),
        subject="A free input" if crowded else "Loading beside it",
        lever=Lever(Action.INPUT, facts.takes(TimeClass.INPUT), moves=not crowded),
        holds_in=facts.holds_in(TimeClass.INPUT),
        code=_CHEAPER if crowded else None,
    )


def no_free_core(facts: Facts) -> bool:
    """Whether no core is free: by the threads that work at once, or by what the replay takes for cores in use."""
    cores = facts.threads.cores
    if cores is None:
        return False
    return cores - max(facts.threads.busy, cores_in_use(facts.what_if, [ReplayLever("prefetch")])) < _FREE_CORES


def _evidence(facts: Facts, crowded: bool) -> tuple[Evidence, ...]:
    found = facts.input
    longest = found.longest_row
    lines: list[Evidence] = []
    if longest != NONE:
        length = int(facts.profile.spans.end[longest] - facts.profile.spans.start[longest])
        lines.append(Evidence(f"The longest wait takes {milliseconds(length)}: {facts.name(longest)}.", facts.at(longest)))
    if found.loader is Loader.TORCH_SINGLE:
        lines.append(Evidence("The DataLoader has no workers: it loads in the training process.", facts.at(longest)))
    elif found.loader is Loader.TORCH_WORKERS:
        lines.append(Evidence("The DataLoader has workers already, and they are too slow.", facts.at(longest)))
    elif found.slowest is not None:
        stage = found.slowest
        lines.append(
            Evidence(f"The slowest stage is {shortened(stage.path)}: {milliseconds(stage.self_ns)} in all.", facts.at(stage.row))
        )
    threads = facts.threads
    if threads.cores is not None:
        rest = "none is free" if crowded else f"{threads.free:.1f} are free"
        lines.append(Evidence(f"{threads.busy:.1f} threads work at once on {threads.cores} cores: {rest}."))
    return tuple(lines)


RULE = Rule(
    id="input_bound",
    title="Waiting for input",
    look=look,
    code=_BESIDE,
    wrong_when="In the first step after a start or at the change of an epoch, where every loader has to fill its buffers.",
)
