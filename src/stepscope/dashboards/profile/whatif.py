"""What a change would bring, on the Profile tab: the levers that reach anything in a session, and the step with those pulled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.steps import find_steps
from stepscope.analyses.what_if.levers import LEVERS, Lever, LeverKind, parse_lever
from stepscope.analyses.what_if.moving import workers_that_fit
from stepscope.analyses.what_if.prediction import NOTHING_OF_IT, Context, Prediction, predict, replay_context
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepMs, StepsText
from stepscope.dashboards.profile.unprofiled import LoggedStep, logged_step
from stepscope.model.errors import BadInput
from stepscope.queries.profiles import Opened

MOST_LEVERS = 20
_TRIED_WORKERS = 16
_IN_THE_TERMINAL = "say it with --cores"
_ON_THE_PAGE = "say it in the field above"


class WhatIfRequest(Struct, frozen=True):
    """Which session, the levers as in the terminal with commas between, and what the user knows of the machine and of the run.

    `cores` are those of the machine that was recorded, `step_ms` a median step without the profiler.
    """

    session: SessionText
    levers: Annotated[str, Meta(max_length=2_000)] = ""
    cores: Annotated[int, Meta(ge=1, le=65_536)] | None = None
    step_ms: StepMs | None = None
    steps: StepsText = ""
    range: RangeText = ""


class PredictionRow(Struct, frozen=True):
    """A step after a change. `kind` is removes, moves or at_best; a refused one has a reason and no times but perhaps a bound."""

    lever: str
    kind: str
    baseline_ms: float
    low_ms: float | None
    mid_ms: float | None
    high_ms: float | None
    band: float | None
    more: float | None
    pairs: int | None
    weak: bool
    refused: str | None
    bound_ms: float | None
    notes: list[str]


class LeverRow(Struct, frozen=True):
    """A lever that reaches something, pulled alone as far as it goes. One that moves work is on or off, or has a number of workers.

    `most` is how many workers there are cores for, at most those that anybody would try; 0 for other levers and without a free core.
    """

    name: str
    text: str
    moves: bool
    workers: bool
    most: int
    alone: PredictionRow


class WhatIf(Struct, frozen=True):
    """Today's step, how well a replay of it agrees, the levers there are, and the step with those asked for.

    `each` has every lever after those before it; `together` is null when none is pulled. The step is that of the run without the
    profiler where the user says it, or else the run has `logged` it; `inflation` is by which fraction recorded steps take longer.
    """

    baseline_ms: float
    logged: LoggedStep | None
    inflation: float | None
    replay_ms: float | None
    replay_error: float | None
    serial: bool
    refused: str | None
    cores: int | None
    levers: list[LeverRow]
    each: list[PredictionRow]
    together: PredictionRow | None


class WhatIfAnswer(Struct, frozen=True):
    """The answer, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    what_if: WhatIf | None


@dataclass(frozen=True, slots=True)
class Start:
    """What all predictions of a session start from, and what the run has logged of its steps."""

    context: Context
    logged: LoggedStep | None


def start_from(opened: Opened, request: WhatIfRequest) -> Start:
    """Replays the unchanged recording. Raises BadInput."""
    breakdowns = [break_down(profile, find_steps(profile, request.steps or None)) for profile in opened.profiles]
    logged = logged_step(opened)
    known_ms = request.step_ms or (None if logged is None else logged.ms)
    unprofiled_ns = None if known_ms is None else 1e6 * known_ms
    return Start(replay_context(opened.profiles, breakdowns, cores=request.cores, unprofiled_ns=unprofiled_ns), logged)


def read_levers(text: str) -> list[str]:
    """The words between commas. Raises BadInput."""
    words = [word for word in (part.strip() for part in text.split(",")) if word]
    if len(words) > MOST_LEVERS:
        raise BadInput(f"{len(words)} levers are too many; give at most {MOST_LEVERS}.", "too_many_levers")
    return words


def what_if(start: Start, words: Sequence[str]) -> WhatIf:
    """The step with the levers named. Raises BadInput."""
    context = start.context
    levers = [parse_lever(word, context.profiles) for word in words]
    return WhatIf(
        baseline_ms=context.baseline_ns / 1e6,
        logged=start.logged,
        inflation=context.inflation,
        replay_ms=context.replay_ms,
        replay_error=context.replay_error,
        serial=context.serial,
        refused=context.refused,
        cores=context.cores,
        levers=[row for name in LEVERS if (row := _lever_row(context, name)) is not None],
        each=[_row(predict(context, [lever], after=levers[:place])) for place, lever in enumerate(levers)],
        together=_row(predict(context, levers)) if levers else None,
    )


def _lever_row(context: Context, name: str) -> LeverRow | None:
    """None for a lever that changes nothing here."""
    facts = LEVERS[name]
    moves = facts.kind is LeverKind.MOVES
    if name == "straggler" and len(context.profiles) < 2:
        return None
    most = _most_workers(context) if name == "workers" else 0
    found = predict(context, [Lever(name, workers=max(1, most))])
    if NOTHING_OF_IT in found.notes:
        return None
    return LeverRow(name, facts.text, moves, name == "workers", most, _row(found))


def _most_workers(context: Context) -> int:
    """Without cores that anybody knows, as many as are usually tried."""
    if context.cores is None or context.refused is not None:
        return _TRIED_WORKERS
    return min(_TRIED_WORKERS, workers_that_fit(context.ranks, context.cores))


def _row(found: Prediction) -> PredictionRow:
    return PredictionRow(
        lever=found.lever,
        kind=found.kind.value,
        baseline_ms=found.baseline_ms,
        low_ms=found.low_ms,
        mid_ms=found.mid_ms,
        high_ms=found.high_ms,
        band=found.band,
        more=found.more,
        pairs=found.pairs,
        weak=found.weak,
        refused=found.refused,
        bound_ms=found.bound_ms,
        notes=[note.replace(_IN_THE_TERMINAL, _ON_THE_PAGE) for note in found.notes],
    )
