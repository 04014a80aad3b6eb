"""Python runs between operations while the device has nothing to do."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.host.work import WAITS
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.python_kinds import PythonKind, by_kind, caller_of, loads_data, most_of, without_profiler
from stepscope.rules.rule import NO_CODE, CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_UNTRACED = 0.03
"""Untraced time below what a rule needs to fire cannot hide one."""
_TITLES = {
    PythonKind.SLEEPS: "Find out why the step sleeps",
    PythonKind.LOADS: "Load the data beside the step",
    PythonKind.CALLS: "Start operations with less Python",
    PythonKind.WORKS: "Take Python out of the step",
}
_SAYS = {
    PythonKind.SLEEPS: ", mostly to sleep",
    PythonKind.LOADS: ", mostly in functions that by their names load data",
    PythonKind.CALLS: ", mostly to call layers and operations",
    PythonKind.WORKS: "",
}
_LIST_IT = (
    "Its name says that it loads data: mark it with an annotation and list that as input in span_kinds.toml, "
    "and it is judged as waiting for input."
)
_CODE = {
    PythonKind.SLEEPS: NO_CODE,
    PythonKind.LOADS: NO_CODE,
    PythonKind.CALLS: Code(
        tensorflow="@tf.function  # one call runs the whole step\ndef train_step(batch):\n    ...",
        pytorch='model = torch.compile(model)  # mode="reduce-overhead": CUDA graphs',
        jax="@jax.jit  # one call runs the whole step\ndef train_step(state, batch):\n    ...",
    ),
}
"""Instead of the rule's own, which is for Python that works itself; nothing is known of what a sleep or a loader is there for."""


def look(facts: Facts) -> Seen:
    """Recorded Python functions with time of their own; untraced time may be Python or anything else, and is not called so."""
    untraced = facts.share(TimeClass.UNTRACED)
    rows = _working(facts)
    python = float(facts.breakdown.exposed[rows].sum()) / max(1, len(facts.breakdown.typical)) / facts.step_ns
    if python <= 0:
        if untraced >= _UNTRACED and not facts.parts[TimeClass.PYTHON]:
            return CannotTell(
                f"In {percent(untraced)} of a step nothing that was traced runs, and Python functions were not recorded.",
                how_to_show(facts.profile, Shows.PYTHON),
            )
        return Quiet("No Python works while the device waits.")
    kinds = by_kind(facts.profile, rows)
    kind = most_of(facts, kinds)
    return Pattern(
        title=_TITLES[kind],
        summary=f"{percent(python)} of a step, {milliseconds(python * facts.step_ns)}, Python runs and nothing else does{_SAYS[kind]}.",
        evidence=(
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
            *_whose(facts, kind, kinds[kind]),
        ),
        subject="A step without that Python",
        lever=Lever(Action.PYTHON, {TimeClass.PYTHON: python * facts.step_ns}, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds_in(TimeClass.PYTHON),
        code=_CODE.get(kind),
    )


def _whose(facts: Facts, kind: PythonKind, rows: Int64) -> tuple[Evidence, ...]:
    """What is to be known of Python that no code of ours would change: who sleeps, and what loads."""
    longest = int(rows[int(np.argmax(facts.breakdown.exposed[rows]))])
    lines: list[Evidence] = []
    if kind is PythonKind.SLEEPS:
        longest = caller_of(facts.profile, longest)
        if longest != NONE:
            lines.append(facts.evidence(f"The longest sleep is called by {facts.name(longest)}.", longest))
    if kind is PythonKind.LOADS or (kind is PythonKind.SLEEPS and loads_data(facts.profile, longest)):
        lines.append(Evidence(_LIST_IT))
    return tuple(lines)


def _working(facts: Facts) -> Int64:
    """Python spans with time of their own, without those that only wait for the device or another thread, and the profiler's own."""
    profile = facts.profile
    rows = without_profiler(profile, facts.labelled(TimeClass.PYTHON))
    waits = np.zeros(len(profile.names) + 1, bool)
    for name in map(int, np.unique(profile.spans.name[rows])):
        waits[name] = bool(WAITS.search(profile.names[name]))
    return rows[~waits[profile.spans.name[rows]]]


RULE = Rule(
    id="python_between_ops",
    title="Python between operations",
    look=look,
    code=Code(
        tensorflow="@tf.function  # the loop over items becomes part of the graph\ndef train_step(batch):\n    ...",
        pytorch="# One operation on the whole tensor instead of a loop over its items:\nloss = torch.where(mask, error, 0.0).sum()",
        jax="loss = jax.vmap(loss_of_item)(batch).sum()  # instead of a loop",
    ),
    wrong_when="When recording made Python slow: every call is recorded, so many small functions look longer than they are.",
)
