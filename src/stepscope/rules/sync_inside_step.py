"""A call in the middle of a step waits for the device, which then has nothing to do until the host launches again."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.waits import Waits, waits_inside_steps
from stepscope.model.profile import NONE, Int64, SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_IDLE_NS = 20_000
"""About twice what a launch takes to arrive: less than that is no wait of its own."""
_END_OF_STEP = 0.95
_NAMED = 3


def look(facts: Facts) -> Seen:
    """Gaps of the device that begin while the host waits for it, not at the end of the step."""
    if facts.cpu_only:
        return _without_device(facts)
    if not facts.linked:
        return CannotTell(
            "The recording does not tell which call launched which kernel.",
            how_to_show(facts.profile, Shows.HOST),
        )
    places = _inside_steps(facts)
    if not len(places):
        return Quiet("No call inside a step waits for the device.")
    gaps = facts.idle.gaps
    typical = places[np.isin(gaps.step[places], facts.breakdown.typical)]
    steps = max(1, len(facts.breakdown.typical))
    parts = gaps.parts[typical].sum(axis=0) / steps
    lost = float(parts.sum())
    per_step = np.bincount(gaps.step[places], gaps.end[places] - gaps.start[places], len(facts.breakdown.steps))
    return Pattern(
        title="Do not wait for the device inside the step",
        summary=f"{len(typical) / steps:.3g} calls a step wait for the device, which is then idle for {milliseconds(lost)}, "
        f"{percent(lost / facts.step_ns)} of the step.",
        evidence=_evidence(facts, typical),
        subject="Launching on without waiting",
        lever=Lever(
            Action.SYNC,
            {each: float(parts[each]) for each in TimeClass if parts[each] > 0},
            rank=facts.rank,
            rows=facts.only_here(np.unique(gaps.waited[places]).astype(np.int64)),
        ),
        holds_in=facts.holds(per_step),
    )


def _without_device(facts: Facts) -> Seen:
    """Waits for the framework's own threads; where operations run on the thread that calls them there is nothing to wait for."""
    found = waits_inside_steps(facts.profile, facts.breakdown)
    if not len(found.rows):
        return Quiet("No call inside a step waits for the framework's threads.")
    hidden = found.per_step_ns(len(facts.breakdown.steps))
    lost = float(hidden[list(facts.breakdown.typical)].mean())
    calls = len(found.rows) / max(1, len(facts.breakdown.steps))
    return Pattern(
        title="Do not wait for results inside the step",
        summary=f"{calls:.3g} calls a step wait for operations that run on other threads, which then have nothing to do; "
        f"{milliseconds(lost)}, {percent(lost / facts.step_ns)} of the step, could run at the same time.",
        evidence=tuple(
            Evidence(
                f"{_caller(facts, row)}: {milliseconds(int(waited))} of work waited for, {milliseconds(int(idle))} idle after it.",
                facts.at(row),
            )
            for row, waited, idle in _longest(found)
        ),
        subject="Going on without waiting",
        lever=Lever(Action.SYNC, {TimeClass.COMPUTE: lost}, rank=facts.rank),
        holds_in=facts.holds(hidden),
    )


def _longest(found: Waits) -> list[tuple[int, int, int]]:
    order = np.argsort(-found.hidden_ns, kind="stable")[:_NAMED]
    return list(zip(found.rows[order].tolist(), found.waited_ns[order].tolist(), found.idle_ns[order].tolist(), strict=True))


def _inside_steps(facts: Facts) -> Int64:
    """Gaps that such a call has caused; the one that ends the step is meant to be there."""
    gaps, spans, steps = facts.idle.gaps, facts.profile.spans, facts.breakdown.steps
    waits = np.flatnonzero((gaps.waited != NONE) & (gaps.end - gaps.start >= _IDLE_NS))
    row, begin, length = gaps.waited[waits], steps.bounds[gaps.step[waits]], steps.length[gaps.step[waits]]
    early = (spans.start[row] >= begin) & (spans.end[row] <= begin + _END_OF_STEP * length)
    return waits[early]


def _evidence(facts: Facts, places: Int64) -> tuple[Evidence, ...]:
    """The callers with most idle time after them."""
    gaps = facts.idle.gaps
    by_caller: dict[str, list[int]] = {}
    for place in places.tolist():
        by_caller.setdefault(_caller(facts, int(gaps.waited[place])), []).append(place)
    idle = {caller: int((gaps.end[mine] - gaps.start[mine]).sum()) for caller, mine in by_caller.items()}
    lines: list[Evidence] = []
    for caller in sorted(by_caller, key=lambda one: -idle[one])[:_NAMED]:
        mine = by_caller[caller]
        longest = mine[int(np.argmax(gaps.end[mine] - gaps.start[mine]))]
        text = f"{caller}: {len(mine)} times, {milliseconds(idle[caller] / len(mine))} idle after each."
        lines.append(Evidence(text, facts.at(int(gaps.waited[longest]))))
    return tuple(lines)


def _caller(facts: Facts, row: int) -> str:
    """The call with the operation around it, and the Python function around that."""
    spans = facts.profile.spans
    names = [facts.name(row)]
    wanted = [SpanKind.OP, SpanKind.PYTHON]
    above = int(spans.parent[row])
    while above != NONE and wanted:
        kind = int(spans.kind[above])
        if kind in wanted:
            names.append(facts.name(above))
            wanted = wanted[wanted.index(SpanKind(kind)) + 1 :]
        above = int(spans.parent[above])
    return " in ".join(names)


RULE = Rule(
    id="sync_inside_step",
    title="Waiting for the device inside the step",
    look=look,
    code=Code(
        tensorflow="if step % 100 == 0:\n    print(float(loss))  # not in every step",
        pytorch="total += loss.detach()  # stays on the device\nif step % 100 == 0:\n    print(total.item() / 100)",
        jax="if step % 100 == 0:\n    print(float(loss))  # other steps are dispatched without waiting",
    ),
    wrong_when="For the one wait that ends a step on purpose, such as a timer that measures it.",
)
