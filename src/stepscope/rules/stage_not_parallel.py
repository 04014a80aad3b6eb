"""The stage that holds up a tf.data pipeline handles one element at a time."""

from __future__ import annotations

from stepscope.analyses.input.pipeline import Loader, Stage
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.model.span_names import NameRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SEQUENTIAL = {"Map", "Interleave", "FlatMap", "ParseExample"}
_PARALLEL = {"ParallelMap", "ParallelInterleave", "ParallelBatch", "MapAndBatch", "ParallelParseExample", "LegacyParallelInterleave"}
"""Stages that take num_parallel_calls; what was asked for is among the attributes of their events."""


def look(facts: Facts) -> Seen:
    """The slowest stage of a pipeline that the step waits for, and how many elements it was told to handle at once."""
    found = facts.input
    if found.loader is Loader.NONE and facts.profile.framework != "PyTorch":
        return CannotTell(
            "No call that fetches a batch is recorded in this profile.", "Fetch batches with tf.data and capture its stages."
        )
    if found.loader is not Loader.TF_DATA:
        return Quiet("The input does not use tf.data.")
    share = facts.share(TimeClass.INPUT)
    if share <= 0:
        return Quiet("Input loading overlaps the step.")
    stage = found.slowest
    if stage is None or stage.name not in _SEQUENTIAL | _PARALLEL:
        return Quiet("The slowest pipeline stage cannot run in parallel.")
    if len(facts.find(NameRole.PYTHON_OPERATION, SpanKind.OP)):
        return Quiet("The pipeline calls Python: parallel calls help only if the Python code waits instead of computing.")
    at_once = 1 if stage.name in _SEQUENTIAL else _told(facts, stage)
    if at_once is None:
        return CannotTell(
            f"The slowest stage is {shortened(stage.path)}; its parallelism is not recorded in this profile.",
            "Keep the profile file with the report: the attributes of its events show the parallelism.",
        )
    if at_once > 1:
        return Quiet(f"The slowest stage, {shortened(stage.name)}, processes up to {at_once} elements in parallel.")
    if not facts.loading.worth:
        return Quiet(f"The slowest stage processes one element at a time. {facts.loading.limit}")
    return Pattern(
        title="Run the slowest input stage in parallel",
        summary=f"A step waits for input for {percent(share)} of its time, and {stage.name} processes one element at a time.",
        evidence=(
            Evidence(f"{shortened(stage.path)}: {milliseconds(stage.self_ns)} in total.", facts.at(stage.row)),
            *(
                (Evidence("Its parallelism is set to 1, and autotuning is off.", facts.at(stage.row)),)
                if stage.name in _PARALLEL
                else ()
            ),
        ),
        subject="Running the stage in parallel",
        lever=Lever(Action.INPUT, {TimeClass.INPUT: facts.loading.hidden_ns}, moves=True, workers=facts.loading.workers),
        holds_in=facts.holds_in(TimeClass.INPUT),
    )


def _told(facts: Facts, stage: Stage) -> int | None:
    """How many elements a parallel stage may handle at once, None when the file does not say; autotuning finds its own number."""
    said = facts.attributes_of(stage.row)
    parallelism, tunes = said.get("parallelism"), said.get("autotune")
    if not isinstance(parallelism, int):
        return None
    return max(2, parallelism) if tunes in (True, "true") else parallelism


RULE = Rule(
    id="stage_not_parallel",
    title="Sequential input stage",
    look=look,
    code=Code(
        tensorflow="dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)\ndataset = dataset.prefetch(tf.data.AUTOTUNE)",
        pytorch="# If tf.data feeds the model:\ndataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)",
        jax="# If tf.data feeds the model:\ndataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)",
    ),
    wrong_when="When the calls share one resource, such as a disk: running them in parallel does not make them faster.",
    case_of="input_bound",
)
