"""How many examples are in a batch: what each source says, and the size that they agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepscope.analyses.input.pipeline import InputPipeline

GIVEN = "given"
OF_TF_DATA = "tf.data's batch stage"
NOT_TOLD = "Examples a second cannot be told: neither the recording nor a logged hyperparameter says how many are in a batch."


@dataclass(frozen=True, slots=True)
class BatchSource:
    """What one source says of the examples in one rank's step."""

    size: int
    origin: str  # in words that follow "from": "tf.data's batch stage"


def agreed(sources: Sequence[BatchSource]) -> tuple[int | None, str, str]:
    """The size that all sources have, the origin of the first of them, and why there is none when there is none."""
    if not sources:
        return None, "", NOT_TOLD
    if len({source.size for source in sources}) == 1:
        return sources[0].size, sources[0].origin, ""
    said = ", ".join(f"{source.size:,} by {source.origin}" for source in sources)
    return None, "", f"Examples a second cannot be told, because sources disagree on what is in one rank's batch: {said}."


def of_tf_data(pipelines: Sequence[InputPipeline]) -> list[BatchSource]:
    """The size that tf.data was told to make batches of, where one stage alone does and every rank has the same."""
    sizes = {
        tuple(stage.settings.batch_size for stage in pipeline.stages if stage.settings.batch_size is not None) for pipeline in pipelines
    }
    if len(sizes) == 1 and len(only := sizes.pop()) == 1:
        return [BatchSource(only[0], OF_TF_DATA)]
    return []
