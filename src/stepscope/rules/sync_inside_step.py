"""A call in the middle of a step waits for the device, which then has nothing to do until the host launches again."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.gap_patterns import gap_time, gaps_after_waits
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.waits import Waits, waits_inside_steps
from stepscope.model.number_text import three_digits
from stepscope.model.profile import Int64
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_NAMED = 3


def look(facts: Facts) -> Seen:
    """Gaps of the device that begin while the host waits for it, not at the end of the step."""
    if facts.cpu_only:
        return _without_device(facts)
    if not facts.linked:
        return CannotTell(
            "Links between launches and kernels are not recorded in this profile.",
            how_to_show(facts.profile, Shows.HOST),
        )
    gaps = facts.idle.gaps
    places = gaps_after_waits(facts.profile, facts.breakdown, gaps)
    if not len(places):
        return Quiet("No call inside a step waits for the device.")
    cost = gap_time(facts.breakdown, gaps, places)
    lost, steps = cost.lost_ns, max(1, len(facts.breakdown.typical))
    return Pattern(
        title="Avoid device synchronization inside the step",
        summary=f"{three_digits(len(cost.typical) / steps)} calls per step wait for the device, which is then idle for "
        f"{percent(lost / facts.step_ns)} "
        f"of the step ({milliseconds(lost)}).",
        evidence=_evidence(facts, cost.typical),
        subject="Launching without synchronization",
        lever=Lever(
            Action.SYNC,
            cost.takes,
            rank=facts.rank,
            rows=facts.only_here(np.unique(gaps.waited[places]).astype(np.int64)),
        ),
        holds_in=facts.holds(cost.per_step_ns),
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
        title="Avoid waiting for results inside the step",
        summary=f"{three_digits(calls)} calls per step wait for operations on other threads, which are then idle; "
        f"{percent(lost / facts.step_ns)} of the step ({milliseconds(lost)}) could overlap.",
        evidence=tuple(
            Evidence(
                f"{_caller(facts, row)}: {milliseconds(int(waited))} of work waited for, {milliseconds(int(idle))} idle after it.",
                facts.at(row),
            )
            for row, waited, idle in _longest(found)
        ),
        subject="Continuing without waiting",
        lever=Lever(Action.SYNC, {TimeClass.COMPUTE: lost}, rank=facts.rank),
        holds_in=facts.holds(hidden),
    )


def _longest(found: Waits) -> list[tuple[int, int, int]]:
    order = np.argsort(-found.hidden_ns, kind="stable")[:_NAMED]
    return list(zip(found.rows[order].tolist(), found.waited_ns[order].tolist(), found.idle_ns[order].tolist(), strict=True))


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
    return " in ".join(facts.name(each) for each in facts.rank_spans.callers(row))


RULE = Rule(
    id="sync_inside_step",
    title="Synchronization inside the step",
    look=look,
    code=Code(
        tensorflow="if step % 100 == 0:\n    print(float(loss))  # not in every step",
        pytorch="total += loss.detach()  # stays on the device\nif step % 100 == 0:\n    print(total.item() / 100)",
        jax="if step % 100 == 0:\n    print(float(loss))  # other steps are dispatched without waiting",
    ),
    wrong_when="When the wait ends the step on purpose, such as a timer that measures it.",
    case_of="python_between_ops",
)
