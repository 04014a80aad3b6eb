"""The stage that holds up a tf.data pipeline handles one element at a time."""

from __future__ import annotations

import re

from stepscope.analyses.input.pipeline import Loader, Stage
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts, shortened
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SEQUENTIAL = {"Map", "Interleave", "FlatMap", "ParseExample"}
_PARALLEL = {"ParallelMap", "ParallelInterleave", "ParallelBatch", "MapAndBatch", "ParallelParseExample", "LegacyParallelInterleave"}
"""Stages that take num_parallel_calls; what was asked for is among the attributes of their events."""
_PYTHON = re.compile(r":(?:Eager)?PyFunc(?:Stateless)?$")


def look(facts: Facts) -> Seen:
    """The slowest stage of a pipeline that the step waits for, and how many elements it was told to handle at once."""
    found = facts.input
    if found.loader is Loader.NONE and facts.profile.framework != "PyTorch":
        return CannotTell("No call that fetches the next batch was recorded.", "Fetch batches through tf.data, and record its stages.")
    if found.loader is not Loader.TF_DATA:
        return Quiet("The input does not come from tf.data.")
    share = facts.share(TimeClass.INPUT)
    if share <= 0:
        return Quiet("Input is loaded beside the step.")
    stage = found.slowest
    if stage is None or stage.name not in _SEQUENTIAL | _PARALLEL:
        return Quiet("The slowest stage of the pipeline is none that could run in parallel.")
    if len(facts.find(_PYTHON, SpanKind.OP)):
        return Quiet("The pipeline calls Python: several calls at a time help only while they wait rather than compute.")
    at_once = 1 if stage.name in _SEQUENTIAL else _told(facts, stage)
    if at_once is None:
        return CannotTell(
            f"The slowest stage is {shortened(stage.path)}; how many elements it handles at once was not recorded.",
            "Keep the recorded file beside the report: the attributes of its events tell.",
        )
    if at_once > 1:
        return Quiet(f"The slowest stage, {shortened(stage.name)}, handles up to {at_once} elements at once.")
    if not facts.loading.worth:
        return Quiet(f"The slowest stage handles one element at a time. {facts.loading.limit}")
    return Pattern(
        title="Let the slowest stage of the input run in parallel",
        summary=f"{percent(share)} of a step waits for input, and {stage.name} handles one element at a time.",
        evidence=(
            Evidence(f"{shortened(stage.path)} takes {milliseconds(stage.self_ns)} in all.", facts.at(stage.row)),
            *(
                (Evidence("It was told to: its parallelism is 1, and autotuning is off.", facts.at(stage.row)),)
                if stage.name in _PARALLEL
                else ()
            ),
        ),
        subject="A parallel input",
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
    title="An input stage that handles one element at a time",
    look=look,
    code=Code(
        tensorflow="dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)\ndataset = dataset.prefetch(tf.data.AUTOTUNE)",
        pytorch="# If tf.data feeds the model:\ndataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)",
        jax="# If tf.data feeds the model:\ndataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)",
    ),
    wrong_when="When the function is limited by something that calls share, such as one disk: several at once take as long in sum.",
    case_of="input_bound",
)
