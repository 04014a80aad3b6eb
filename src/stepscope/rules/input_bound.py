"""The step waits for its next batch while the device has nothing to do."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.input.pipeline import Loader
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.loading import USUAL_WORKERS, Loading
from stepscope.model.profile import NONE
from stepscope.rules.facts import WORTH, Facts
from stepscope.rules.judge_limits import FIRES
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent


def _beside(workers: int, *, pinned: bool) -> Code:
    """Every worker needs a core of its own; with none left, two workers on two cores made a training 2.3 times slower."""
    return Code(
        tensorflow="dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)\ndataset = dataset.prefetch(tf.data.AUTOTUNE)",
        pytorch=(
            f"loader = DataLoader(\n    dataset, batch_size,\n    num_workers={workers},  # no more than cores are free\n"
            f"    persistent_workers=True,{' pin_memory=True,' if pinned else ''}\n)"
        ),
        jax=(
            "loader = grain.DataLoader(\n    data_source=source, sampler=sampler, operations=operations,\n"
            f"    worker_count={workers},  # no more than cores are free\n)"
        ),
    )


_CHEAPER = Code(
    tensorflow=(
        "dataset = dataset.map(decode).cache()  # only if it fits in memory\n"
        "dataset = dataset.batch(n).map(augment)  # one call for a batch"
    ),
    pytorch=(
        "# Decode and resize once, keep the result, and load that:\nimages = np.load('images.npy', mmap_mode='r')\n"
        "labels = np.load('labels.npy')"
    ),
    jax="# Decode and resize once, keep the result, and load that:\nimages = np.load('images.npy', mmap_mode='r')",
)
_FEWER_TENSORS = Code(
    tensorflow=_CHEAPER.tensorflow,
    pytorch=(
        "# Every tensor of a batch is sent on its own: collate into few large ones.\n"
        "# If a batch is made faster than it is sent, load it without workers:\n"
        "loader = DataLoader(dataset, batch_size, num_workers=0)"
    ),
    jax=_CHEAPER.jax,
)
_BRIEF = 0.08
"""Of a wait that is too short for workers: collating a batch that is ready takes up to half a millisecond, and little can be done. And
where the step hardly waits: loading beside it may sleep, which no span tells."""
_CROWDED = 0.05
_LOADERS = {"PyTorch": "a DataLoader", "TensorFlow": "tf.data", "JAX": "tf.data"}
_WORKERS = {
    True: "Worker processes have batches ready in time: the wait is for transferring and unpacking them.",
    False: "Worker processes are too slow: the step sleeps until they have made a batch.",
    None: "The DataLoader uses workers. Capture Python functions (with_stack=True) to see whether they are too slow, or transferring "
    "their batches takes the time.",
}
_ANY_LOADER = "tf.data or torch's DataLoader"


def look(facts: Facts) -> Seen:
    """Waiting for input that nothing hides, and the stage or loader that is slow."""
    found = facts.input
    if found.loader is Loader.NONE:
        return CannotTell(
            "No call that fetches a batch is recorded in this profile.",
            f"Fetch batches with {_LOADERS.get(facts.profile.framework, _ANY_LOADER)}. Or annotate the fetch and list its name under"
            " input in span_kinds.toml ('stepscope profile kinds' shows its path) or in a file passed with --span-kinds.",
        )
    share = facts.share(TimeClass.INPUT)
    plan, crowds = facts.loading, facts.crowding
    freed = np.zeros(len(facts.breakdown.steps)) if plan.worth else crowds.freed_ns
    relieves = float(freed[list(facts.breakdown.typical)].mean()) if facts.breakdown.typical else 0.0
    if share <= 0 and relieves <= 0:
        return Quiet("Input loading overlaps the step.")
    device = "step" if facts.cpu_only else "device"
    if plan.worth:
        title = "Load data with more workers" if plan.today else "Load data in worker processes"
        subject = f"Loading data in {counted(plan.workers, 'worker process').replace('processs', 'processes')}"
        lever = Lever(Action.INPUT, {TimeClass.INPUT: plan.hidden_ns}, moves=True, workers=plan.workers)
    else:
        title = "Hand batches over faster" if plan.ready else f"Make data loading cheaper: {_too_few(plan)}"
        subject = "Removing the wait for input"
        lever = Lever(Action.INPUT, facts.takes(TimeClass.INPUT), relieves_ns=relieves)
    return Pattern(
        title=title,
        summary=_summary(facts, device, share),
        evidence=_evidence(facts),
        subject=subject,
        lever=lever,
        holds_in=facts.holds(facts.breakdown.parts[:, TimeClass.INPUT] + freed),
        least=_BRIEF if plan.brief or share < FIRES else 0.0,
        code=_beside(plan.workers, pinned=not facts.cpu_only) if plan.worth else _FEWER_TENSORS if plan.ready else _CHEAPER,
    )


def _summary(facts: Facts, device: str, share: float) -> str:
    """What the step waits, and what loading costs it meanwhile."""
    typical = list(facts.breakdown.typical)
    beside = float(facts.crowding.beside_ns[typical].mean()) / facts.step_ns if facts.crowding.cost and typical else 0.0
    waits = f"The {device} waits for input for {percent(share)} of a step ({milliseconds(facts.input.exposed_ns)})"
    if beside < _CROWDED:
        return f"{waits}."
    if share < WORTH:
        return f"The step shares its cores with loading for {percent(beside)} of its time."
    return f"{waits}, and shares its cores with loading for {percent(beside)}."


def _too_few(plan: Loading) -> str:
    if plan.brief:
        return "it is too short for worker processes"
    return (
        f"{'too few CPU cores are' if plan.workers > plan.today else 'no CPU core is'} free for {'more ' if plan.today else ''}workers"
    )


def _room(plan: Loading) -> str:
    """How many more workers find a core; those that run already have theirs."""
    more = plan.workers - plan.today
    if more > 0:
        return f"{counted(more, 'more worker' if plan.today else 'worker')} would fit"
    return f"{counted(plan.today, 'worker')} already use the rest" if plan.today and plan.workers else "no core is free"


def _evidence(facts: Facts) -> tuple[Evidence, ...]:
    found = facts.input
    longest = found.longest_row
    lines: list[Evidence] = []
    if longest != NONE:
        lines.append(Evidence(f"The longest wait: {facts.name(longest)}, {facts.length_text(longest)}.", facts.at(longest)))
    if found.loader is Loader.TORCH_SINGLE:
        lines.append(Evidence("The DataLoader loads in the training process (num_workers=0).", facts.at(longest)))
    elif found.loader is Loader.TORCH_WORKERS:
        lines.append(Evidence(_WORKERS[facts.loading.ready], facts.at(longest)))
    elif found.slowest is not None:
        stage = found.slowest
        lines.append(
            Evidence(f"The slowest stage is {shortened(stage.path)}: {milliseconds(stage.self_ns)} in total.", facts.at(stage.row))
        )
    plan = facts.loading
    if plan.cores is not None and not plan.ready and not plan.brief:
        lines.append(Evidence(f"Apart from loading, at most {plan.used:.1f} of {plan.cores} cores are in use: {_room(plan)}."))
    if plan.limit is not None:
        lines.append(Evidence(plan.limit))
    return tuple(lines)


RULE = Rule(
    id="input_bound",
    title="Waiting for input",
    look=look,
    code=_beside(USUAL_WORKERS, pinned=True),
    wrong_when="In the first step of a run or of an epoch, while the loader fills its buffers.",
)
