"""Makes the answer of what-if: predictions for the changes that are asked for, and for each that has an effect."""

from __future__ import annotations

from stepscope.analyses.what_if.levers import LEVERS, Lever, LeverKind, parse_lever
from stepscope.analyses.what_if.loading import loading
from stepscope.analyses.what_if.moving import workers_that_fit
from stepscope.analyses.what_if.prediction import (
    NEVER_MEASURED,
    NOTHING_OF_IT,
    SERIAL,
    Context,
    Prediction,
    behind_the_host,
    predict,
    replay_context,
)
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.whatif import ChangeRow, PredictedStep, PredictionRow, WhatIf, WhatIfWanted
from stepscope.session.step_rows import LoggedStepRow

MOST_CHANGES = 20
_MOST_TRIED = 16
_MATTERS = 0.005
"""Of a step: a change that alone saves less is listed apart."""


def make_what_if(session: AnalysedSession, wanted: WhatIfWanted) -> WhatIf:
    """All of it."""
    levers = levers_of(session, wanted.changes)
    logged = session.logged_step
    known_ms = session.unprofiled_ms(wanted.step_ms)
    context = what_if_context(session, wanted.cores, wanted.step_ms)
    together = _row(predict(context, levers)) if levers else None
    return WhatIf(
        typical_ms=context.typical_ns / 1e6,
        unprofiled_ms=known_ms,
        baseline_ms=context.baseline_ns / 1e6,
        logged=None if logged is None else fill(LoggedStepRow, logged),
        inflation=context.inflation,
        replay_ms=context.replay_ms,
        replay_error=context.replay_error,
        model=SERIAL if context.serial else "replay" if context.refused is None else None,
        serial=context.serial,
        refused=context.refused,
        cores=context.cores,
        explanation=session.once(("behind the host", wanted.cores, known_ms), lambda: behind_the_host(context)),
        changes=session.once(("changes", wanted.cores, known_ms), lambda: _changes(context)),
        each=[_row(predict(context, [lever], after=levers[:place])) for place, lever in enumerate(levers)],
        together=together,
        predicted_ms=None if together is None else together.predicted_ms,
    )


def levers_of(session: AnalysedSession, changes: str) -> list[Lever]:
    """The changes of a question. Raises BadInput."""
    return [parse_lever(word, session.profiles) for word in _words(changes)]


def what_if_context(session: AnalysedSession, cores: int | None, step_ms: float | None) -> Context:
    """What predictions start from, made once for what the user knows of the machine and of the run."""
    known_ms = session.unprofiled_ms(step_ms)
    return session.once(("what if", cores, known_ms), lambda: _context(session, cores, known_ms))


def _context(session: AnalysedSession, cores: int | None, known_ms: float | None) -> Context:
    breakdowns = [session.breakdown(place) for place in range(len(session.profiles))]
    known_ns = None if known_ms is None else 1e6 * known_ms
    return replay_context(session.profiles, breakdowns, cores=cores, typical_ns=session.summary.typical_ns, unprofiled_ns=known_ns)


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
    tried = _tried_workers(context, most) if name == "workers" else 0
    alone = _row(predict(context, [Lever(name, workers=max(1, tried))]))
    if alone.no_effect:
        return None
    low = alone.predicted_ms.low
    return ChangeRow(
        name=name,
        text=facts.text,
        moves=facts.kind is LeverKind.MOVES,
        workers=name == "workers",
        most=most,
        tried=tried,
        matters=low is None or low <= (1 - _MATTERS) * alone.baseline_ms,
        alone=alone,
    )


def _most_workers(context: Context) -> int:
    """Without a known number of cores, as many as people usually try."""
    if context.cores is None or context.refused is not None:
        return _MOST_TRIED
    return min(_MOST_TRIED, workers_that_fit(context.ranks, context.cores))


def _tried_workers(context: Context, most: int) -> int:
    """As many as the recommendation has."""
    return max(1, min(most, max(loading(*rank, context.cores).workers for rank in context.ranks)))


def _row(found: Prediction) -> PredictionRow:
    return fill(
        PredictionRow,
        found,
        change=found.lever,
        predicted_ms=PredictedStep(found.low_ms, found.mid_ms, found.high_ms),
        no_effect=NOTHING_OF_IT in found.notes,
        unmeasured=any(NEVER_MEASURED in note for note in found.notes),
    )
