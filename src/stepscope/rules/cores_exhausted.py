"""More threads want to run than there are cores, and the step stands still in between."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.intervals import lengths_between
from stepscope.analyses.rank_spans import SpanReference
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent

_SHARE = 0.05
_SPREAD = 1.3
_NAMED = 3


def look(facts: Facts) -> Seen:
    """Stretches in which no thread works although the framework was called, and more threads at work than there are cores.

    A pool larger than the machine is no evidence: its threads may never work at once.
    """
    threads = facts.threads
    if not threads.framework_calls:
        return CannotTell(
            "Framework calls are not recorded in this profile, so a thread that waits for a core cannot be recognized.",
            "Log system metrics during training to see how busy the cores are."
            if facts.profile.framework == "PyTorch"
            else how_to_show(facts.profile, Shows.HOST),
        )
    per_step = lengths_between(threads.quiet, facts.breakdown.steps.bounds)
    lost = threads.quiet_per_step_ns
    window = float(per_step.sum()) / max(1.0, float(facts.breakdown.steps.length.sum()))
    spread = facts.breakdown.p95_ns / max(1.0, facts.breakdown.median_ns)
    if lost < _SHARE * facts.step_ns and (spread <= _SPREAD or window < _SHARE):
        return Quiet(f"For {percent(window)} of the time a framework call is open while no thread works.")
    if threads.cores is None:
        return CannotTell(
            f"For {percent(window)} of the time a framework call is open while no thread works; the number of cores is not recorded.",
            "Log system metrics during training to see how busy the cores are.",
        )
    if threads.crowded < _SHARE:
        return Quiet(
            f"{threads.busy:.1f} threads work on {counted(threads.cores, 'core')} on average, and more than that for "
            f"{percent(threads.crowded)} of the time."
        )
    takes = {each: min(lost, float(facts.parts[each])) for each in (TimeClass.FRAMEWORK,) if facts.parts[each] > 0}
    return Pattern(
        title="Use fewer threads than there are cores",
        summary=f"No thread works during open framework calls for {percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=_evidence(facts),
        subject="Fewer threads",
        lever=Lever(Action.CORES, takes, rank=facts.rank) if lost >= _SHARE * facts.step_ns else None,
        of_window=None if lost >= _SHARE * facts.step_ns else {TimeClass.FRAMEWORK: window},
        holds_in=facts.holds(per_step) if lost >= _SHARE * facts.step_ns else None,
    )


def _evidence(facts: Facts) -> tuple[Evidence, ...]:
    threads = facts.threads
    start, end = threads.quiet
    track = facts.breakdown.classified.control[0]
    lines = [
        Evidence(
            f"More threads work than there are cores ({threads.cores}) for {percent(threads.crowded)} of the time; "
            f"{threads.busy:.1f} do on average."
        )
    ]
    for place in np.argsort(start - end, kind="stable")[:_NAMED].tolist():
        where = SpanReference(facts.rank, track, NONE, NONE, int(start[place]), int(end[place]))
        lines.append(Evidence(f"{milliseconds(int(end[place] - start[place]))} without any running thread.", where))
    return tuple(lines)


RULE = Rule(
    id="cores_exhausted",
    title="CPU oversubscription",
    look=look,
    code=Code(
        tensorflow="tf.config.threading.set_intra_op_parallelism_threads(cores - 1)\n"
        "options = tf.data.Options()\noptions.threading.private_threadpool_size = 1\ndataset = dataset.with_options(options)",
        pytorch="torch.set_num_threads(cores - workers)\nloader = DataLoader(dataset, batch_size, num_workers=workers)",
        jax='# Fewer loader workers, or:\nos.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"',
    ),
    wrong_when="When other programs use the machine, or when the process is limited to fewer cores than the machine has.",
)
