"""The input pipeline: what a step waits for before it has its batch, by phase and by tf.data stage."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.input.phases import PhaseTime
from stepscope.analyses.input.pipeline import Loader, input_pipeline
from stepscope.analyses.input.stages import Stage
from stepscope.analyses.what_if.loading import remedies_text
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Host, Rank, Worker
from stepscope.session.part import Answer, Part, Wanted

_US = 1e3


class InputWanted(Wanted, frozen=True, kw_only=True):
    """Nothing beside what all parts take."""


class InputPhase(Struct, frozen=True, kw_only=True):
    """A phase of preparing a batch, in a typical step."""

    phase: Annotated[str, d.text("Key of the phase, such as read, decode or collate.")]
    title: Annotated[str, d.text("Name of the phase for people.")]
    waited_us: Annotated[float, d.us("Time the step waits for it; all phases sum to the wait of the step.")]
    beside_us: Annotated[float, d.us("Time it overlaps with the step, summed over all threads.")]


class InputStage(Struct, frozen=True, kw_only=True):
    """One stage of a tf.data pipeline. What the profile does not record is null."""

    path: Annotated[str, d.text("Path of the stage, from the consumer on.")]
    name: Annotated[str, d.text("Last word of the path, such as Map or Prefetch.")]
    depth: Annotated[int, d.number("Distance from the consumer, from 0.", "level")]
    count: Annotated[int, d.count("Number of calls in the whole profile.")]
    total_us: Annotated[float, d.us("Total duration in the whole profile, summed over all threads.")]
    self_us: Annotated[float, d.us("Total duration in the whole profile without the stages before it.")]
    waited_us: Annotated[float, d.us("Time a typical step waits for it.")]
    beside_us: Annotated[float, d.us("Its self time in a typical step while the step does something else.")]
    threads: Annotated[int, d.count("Number of threads it ran on.")]
    at_once: Annotated[float, d.number("Mean number of threads inside it while there is any.", "threads")]
    parallelism: Annotated[int | None, d.count("Number of calls that it may run in parallel.")]
    autotune: Annotated[bool | None, d.flag("Whether tf.data chooses its parallelism.")]
    buffer_size: Annotated[int | None, d.count("Number of elements that fit in its buffer.")]
    batch_size: Annotated[int | None, d.count("Number of elements that it batches.")]
    buffered: Annotated[float | None, d.number("Mean number of elements in its buffer.", "elements")]
    empty: Annotated[float | None, d.fraction("Share of requests that found its buffer empty.")]


class InputOfWorker(Struct, frozen=True, kw_only=True):
    """The input pipeline of one worker. Times are of a typical step."""

    worker: Worker
    host: Host
    rank: Rank
    loader: Annotated[str, d.text("Data loader, such as tf.data; `none` when no fetch of a batch is recorded.")]
    in_processes: Annotated[bool, d.flag("Whether batches come from worker processes, which are not in the profile.")]
    fetches: Annotated[int, d.count("Number of batches fetched in the whole profile.")]
    step_us: Annotated[float, d.us("Typical step time.")]
    waited_us: Annotated[float, d.us("Time the step waits for its batch.")]
    hidden_us: Annotated[float, d.us("Time of fetching that is hidden behind the work of devices.")]
    copied_waited_us: Annotated[float, d.us("Time the step waits for copies to the device.")]
    copied_beside_us: Annotated[float, d.us("Time of copies to the device that overlaps with other work.")]
    batch_bytes: Annotated[float | None, d.size("Median size of a batch; null when not recorded.")]
    cores: Annotated[int | None, d.count("CPU cores that tf.data may use; null when not recorded.")]
    phases: Annotated[list[InputPhase], d.nested("What preparing a batch consists of.")]
    stages: Annotated[list[InputStage], d.nested("The stages of tf.data, nearest to the consumer first.")]
    slowest: Annotated[str, d.text("Path of the slowest stage; empty when there is none.")]
    remedies: Annotated[list[str], d.nested("Changes that may help the slowest stage.")]


class Inputs(Answer, frozen=True, kw_only=True):
    """The input pipelines."""

    inputs: Annotated[list[InputOfWorker], d.nested("The input pipeline of each worker.")]


def _make(session: AnalysedSession, wanted: InputWanted) -> Inputs:
    return Inputs(inputs=[_of_worker(session, place) for place in session.places(wanted.worker)])


def _of_worker(session: AnalysedSession, place: int) -> InputOfWorker:
    profile, breakdown = session.profiles[place], session.breakdown(place)
    found = input_pipeline(profile, breakdown, session.attributes)
    return fill(
        InputOfWorker,
        found,
        **session.whose(place),
        in_processes=found.loader is Loader.TORCH_WORKERS,
        fetches=found.calls,
        step_us=breakdown.typical_ns / _US,
        waited_us=found.exposed_ns / _US,
        hidden_us=found.overlapped_ns / _US,
        copied_waited_us=found.copied_exposed_ns / _US,
        phases=[_phase(each) for each in found.phases],
        stages=[_stage(each) for each in found.stages],
        slowest="" if found.slowest is None else found.slowest.path,
        remedies=list(remedies_text(profile, breakdown, found)),
    )


def _phase(each: PhaseTime) -> InputPhase:
    return fill(InputPhase, each, title=each.phase.title, waited_us=each.exposed_ns / _US)


def _stage(each: Stage) -> InputStage:
    return fill(
        InputStage,
        each,
        depth=each.path.count("::") - 1,
        waited_us=each.exposed_ns / _US,
        parallelism=each.settings.parallelism,
        autotune=each.settings.autotune,
        buffer_size=each.settings.buffer_size,
        batch_size=each.settings.batch_size,
    )


INPUT = Part("input", "Input", InputWanted, Inputs, _make)
