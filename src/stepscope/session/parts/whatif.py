"""What-if: how long a step would take after a change, as a range, by replaying the profile with other durations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d
from stepscope.session.limits import Cores, StepMs
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.step_rows import LoggedStepRow

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession


class WhatIfWanted(Wanted, frozen=True, kw_only=True):
    """The changes to try, and what the user knows of the machine and of the run."""

    changes: Annotated[
        str, Meta(max_length=2_000, description="Changes to try one after another, separated by commas, such as `input=0,kernels=2x`.")
    ] = ""
    cores: Cores = None
    step_ms: StepMs = None


class PredictedStep(Struct, frozen=True):
    """A step after a change; all null when the prediction is refused."""

    low: Annotated[float | None, d.ms("Shortest estimated step.")]
    mid: Annotated[float | None, d.ms("Estimated step.")]
    high: Annotated[float | None, d.ms("Longest estimated step.")]


class PredictionRow(Struct, frozen=True, kw_only=True):
    """A step after one change, or after several."""

    change: Annotated[str, d.text("The change, such as `input=0`.")]
    kind: Annotated[str, d.text("removes, moves, or at_best: only an upper bound of the gain is known.")]
    baseline_ms: Annotated[float, d.ms("Step time before the change.")]
    predicted_ms: Annotated[PredictedStep, d.nested("Estimated step time after it.")]
    band: Annotated[float | None, d.fraction("How much less than modelled may be gained, from measured pairs; null when not used.")]
    more: Annotated[float | None, d.fraction("How much faster the rest may become, from measured pairs; null when not used.")]
    pairs: Annotated[int | None, d.count("Measured before-and-after pairs behind the range; null when not used.")]
    weak: Annotated[bool, d.flag("Whether something speaks against the estimate.")]
    refused: Annotated[str | None, d.text("Why there is no estimate; null when there is one.")]
    bound_ms: Annotated[float | None, d.ms("When refused: the step without this time, which the change cannot beat.")]
    notes: Annotated[list[str], d.nested("What limits the estimate.")]
    no_effect: Annotated[bool, d.flag("Whether no typical step waits for what this changes.")]
    unmeasured: Annotated[bool, d.flag("Whether this change was never measured before and after.")]


class ChangeRow(Struct, frozen=True, kw_only=True):
    """A change that has an effect here, tried alone and as far as it goes."""

    name: Annotated[str, d.text("Name of the change.")]
    text: Annotated[str, d.text("What it changes.")]
    moves: Annotated[bool, d.flag("Whether it moves work elsewhere instead of removing it.")]
    workers: Annotated[bool, d.flag("Whether it takes a number of worker processes.")]
    most: Annotated[int, d.count("Most worker processes that fit on the free cores; 0 for other changes.")]
    tried: Annotated[int, d.count("Worker processes that `alone` is of, as recommended; 0 for other changes.")]
    matters: Annotated[bool, d.flag("Whether the change alone could save 0.5% of the step, or has no estimate.")]
    alone: Annotated[PredictionRow, d.nested("The step after this change alone.")]


class WhatIf(Answer, frozen=True, kw_only=True):
    """Today's step, how well a replay of it agrees, the changes there are, and the step after those asked for."""

    typical_ms: Annotated[float, d.ms("Typical step time in the profile, as the report has it.")]
    unprofiled_ms: Annotated[float | None, d.ms("Step time without the profiler, as given or logged; null when unknown.")]
    baseline_ms: Annotated[float, d.ms("Step time that estimates start from: without the profiler where that is known.")]
    logged: Annotated[LoggedStepRow | None, d.nested("Step time that the run has logged; null when it has not.")]
    inflation: Annotated[float | None, d.fraction("How much longer profiled steps are than others; null when unknown.")]
    replay_ms: Annotated[float | None, d.ms("The unchanged step as replayed; null without a replay.")]
    replay_error: Annotated[float | None, d.fraction("Difference of the replay from the profile; null without a replay.")]
    model: Annotated[str | None, d.text("`replay`, the serial model used without a device, or null when refused.")]
    serial: Annotated[bool, d.flag("Whether the serial model is used, because there is no device.")]
    refused: Annotated[str | None, d.text("Why nothing can be estimated; null when something can.")]
    cores: Annotated[int | None, d.count("Cores of the profiled machine; null when unknown.")]
    explanation: Annotated[str, d.text("Why faster kernels save less than compute takes of the step; empty when they do not.")]
    changes: Annotated[list[ChangeRow], d.nested("Changes that have an effect here, each alone.")]
    each: Annotated[list[PredictionRow], d.nested("Each change asked for, after those before it.")]
    together: Annotated[PredictionRow | None, d.nested("All changes asked for; null when none was.")]
    predicted_ms: Annotated[PredictedStep | None, d.nested("Estimated step time after all changes asked for; null when none was.")]


def _make(session: AnalysedSession, wanted: WhatIfWanted) -> WhatIf:
    from stepscope.session.what_if import make_what_if

    return make_what_if(session, wanted)


WHATIF = Part("whatif", "What if", WhatIfWanted, WhatIf, _make, reads_logs=True, kept=True)
