"""How many examples are in a batch: what each source says, and the size that they agree on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.input.batch_hyperparameters import Reading, batch_readings, steps_accumulate
from stepscope.analyses.input.batch_parameters import batch_by_parameters
from stepscope.analyses.input.batch_shapes import batch_by_shapes
from stepscope.analyses.input.pipeline import InputPipeline
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Profile

GIVEN = "given"
OF_TF_DATA = "tf.data's batch stage"
OF_PARAMETERS = "the inputs of the compiled step"

ReadPrograms = Callable[[int], Sequence[HloProgram]]
"""Compiled programs of the profile at a place, read when asked for."""
NOT_TOLD = "Examples per second are unknown: neither the profile nor a logged hyperparameter gives the batch size."


@dataclass(frozen=True, slots=True)
class BatchSource:
    """What one source says of the examples in one rank's step."""

    size: int
    origin: str  # in words that follow "from": "tf.data's batch stage"


def batch_size(
    ranks: Sequence[tuple[Profile, Breakdown]],
    world: int,
    pipelines: Sequence[InputPipeline],
    logged: Mapping[str, str],
    programs: ReadPrograms | None,
) -> tuple[list[BatchSource], str]:
    """What everything says that may tell, the most direct first, and why there is no size when there is none.

    `ranks` are those that are looked at, of `world`; they run one program, so that what differs between them tells nothing.
    """
    sources = of_tf_data(pipelines)
    fetches = [pipeline.calls for pipeline in pipelines] or [0] * len(ranks)
    by_shapes = {batch_by_shapes(*rank, count) for rank, count in zip(ranks, fetches, strict=True)}
    if len(by_shapes) == 1 and (told := by_shapes.pop()) is not None:
        sources.append(BatchSource(told.size, f"the shapes of {told.places}"))
    if programs is not None and ranks[0][0].programs and (size := batch_by_parameters(*ranks[0], programs(0))) is not None:
        sources.append(BatchSource(size, OF_PARAMETERS))
    accumulates = steps_accumulate(*ranks[0]) if logged else None
    return with_readings(sources, batch_readings(logged, world, accumulates))


def with_readings(sources: list[BatchSource], readings: Sequence[Reading]) -> tuple[list[BatchSource], str]:
    """The sources with what is logged, read in the way that another source confirms, and why there is no size when there is none."""
    told = {source.size for source in sources}
    fitting = [reading for reading in readings if reading.size in told] or readings
    if len(fitting) > 1 and not sources:
        ways = " or ".join(f"{reading.size:,} ({reading.words})" for reading in fitting)
        return [], f"Examples per second are unknown: the logged hyperparameters allow more than one batch size: {ways}."
    found = [*sources, *(BatchSource(reading.size, reading.words) for reading in fitting[:1])]
    return found, agreed(found)[2]


def agreed(sources: Sequence[BatchSource]) -> tuple[int | None, str, str]:
    """The size that all sources have, the origin of the first of them, and why there is none when there is none."""
    if not sources:
        return None, "", NOT_TOLD
    if len({source.size for source in sources}) == 1:
        return sources[0].size, sources[0].origin, ""
    said = ", ".join(f"{source.size:,} by {source.origin}" for source in sources)
    return None, "", f"Examples per second are unknown: sources disagree on the batch size of one rank: {said}."


def of_tf_data(pipelines: Sequence[InputPipeline]) -> list[BatchSource]:
    """The size that tf.data was told to make batches of, where one stage alone does and every rank has the same."""
    sizes = {
        tuple(stage.settings.batch_size for stage in pipeline.stages if stage.settings.batch_size is not None) for pipeline in pipelines
    }
    if len(sizes) == 1 and len(only := sizes.pop()) == 1:
        return [BatchSource(only[0], OF_TF_DATA)]
    return []
