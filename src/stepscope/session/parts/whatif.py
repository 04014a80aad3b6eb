"""What-if: how long a step would take after a change, as a range, by replaying the profile with other durations."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.what_if.levers import LEVERS, Lever, LeverKind, parse_lever
from stepscope.analyses.what_if.moving import workers_that_fit
from stepscope.analyses.what_if.prediction import NEVER_MEASURED, NOTHING_OF_IT, SERIAL, Context, Prediction, predict, replay_context
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Cores, StepMs
from stepscope.session.part import Answer, Part, Wanted

MOST_CHANGES = 20
_TRIED_WORKERS = 16


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
    alone: Annotated[PredictionRow, d.nested("The step after this change alone.")]


class LoggedStepRow(Struct, frozen=True):
    """Step time without the profiler, as the run has logged it."""

    ms: Annotated[float, d.ms("Median step time.")]
    tag: Annotated[str, d.text("Series that it was logged in.")]
    steps: Annotated[int, d.count("Number of logged steps outside of the profile.")]


class WhatIf(Answer, frozen=True, kw_only=True):
    """Today's step, how well a replay of it agrees, the changes there are, and the step after those asked for."""

    baseline_ms: Annotated[float, d.ms("Median step time: without the profiler where that is known, else as profiled.")]
    logged: Annotated[LoggedStepRow | None, d.nested("Step time that the run has logged; null when it has not.")]
    inflation: Annotated[float | None, d.fraction("How much longer profiled steps are than others; null when unknown.")]
    replay_ms: Annotated[float | None, d.ms("The unchanged step as replayed; null without a replay.")]
    replay_error: Annotated[float | None, d.fraction("Difference of the replay from the profile; null without a replay.")]
    model: Annotated[str | None, d.text("`replay`, the serial model used without a device, or null when refused.")]
    serial: Annotated[bool, d.flag("Whether the serial model is used, because there is no device.")]
    refused: Annotated[str | None, d.text("Why nothing can be estimated; null when something can.")]
    cores: Annotated[int | None, d.count("Cores of the profiled machine; null when unknown.")]
    changes: Annotated[list[ChangeRow], d.nested("Changes that have an effect here, each alone.")]
    each: Annotated[list[PredictionRow], d.nested("Each change asked for, after those before it.")]
    together: Annotated[PredictionRow | None, d.nested("All changes asked for; null when none was.")]
    predicted_ms: Annotated[PredictedStep | None, d.nested("Estimated step time after all changes asked for; null when none was.")]


def _make(session: AnalysedSession, wanted: WhatIfWanted) -> WhatIf:
    words = _words(wanted.changes)
    levers = [parse_lever(word, session.profiles) for word in words]
    logged = session.logged_step
    known_ms = wanted.step_ms or (None if logged is None else logged.ms)
    context = session.once(("what if", wanted.cores, known_ms), lambda: _context(session, wanted.cores, known_ms))
    together = _row(predict(context, levers)) if levers else None
    return WhatIf(
        baseline_ms=context.baseline_ns / 1e6,
        logged=None if logged is None else fill(LoggedStepRow, logged),
        inflation=context.inflation,
        replay_ms=context.replay_ms,
        replay_error=context.replay_error,
        model=SERIAL if context.serial else "replay" if context.refused is None else None,
        serial=context.serial,
        refused=context.refused,
        cores=context.cores,
        changes=session.once(("changes", wanted.cores, known_ms), lambda: _changes(context)),
        each=[_row(predict(context, [lever], after=levers[:place])) for place, lever in enumerate(levers)],
        together=together,
        predicted_ms=None if together is None else together.predicted_ms,
    )


def _context(session: AnalysedSession, cores: int | None, known_ms: float | None) -> Context:
    breakdowns = [session.breakdown(place) for place in range(len(session.profiles))]
    return replay_context(session.profiles, breakdowns, cores=cores, unprofiled_ns=None if known_ms is None else 1e6 * known_ms)


def _words(text: str) -> list[str]:
    words = [word for word in (part.strip() for part in text.split(",")) if word]
    if len(words) > MOST_CHANGES:
        raise BadInput(f"{len(words)} changes are too many; give at most {MOST_CHANGES}.", "too_many_changes")
    return words


def _changes(context: Context) -> list[ChangeRow]:
    return [row for name in LEVERS if (row := _change(context, name)) is not None]


def _change(context: Context, name: str) -> ChangeRow | None:
    """None for one that changes nothing here."""
    if name == "straggler" and len(context.profiles) < 2:
        return None
    facts = LEVERS[name]
    most = _most_workers(context) if name == "workers" else 0
    alone = _row(predict(context, [Lever(name, workers=max(1, most))]))
    if alone.no_effect:
        return None
    return ChangeRow(name=name, text=facts.text, moves=facts.kind is LeverKind.MOVES, workers=name == "workers", most=most, alone=alone)


def _most_workers(context: Context) -> int:
    """Without a known number of cores, as many as people usually try."""
    if context.cores is None or context.refused is not None:
        return _TRIED_WORKERS
    return min(_TRIED_WORKERS, workers_that_fit(context.ranks, context.cores))


def _row(found: Prediction) -> PredictionRow:
    return fill(
        PredictionRow,
        found,
        change=found.lever,
        predicted_ms=PredictedStep(found.low_ms, found.mid_ms, found.high_ms),
        no_effect=NOTHING_OF_IT in found.notes,
        unmeasured=any(NEVER_MEASURED in note for note in found.notes),
    )


WHATIF = Part("whatif", "What if", WhatIfWanted, WhatIf, _make, reads_logs=True, kept=True)
