"""Python runs between operations while the device has nothing to do."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.host.interpreter import Contention, interpreter_contention
from stepscope.analyses.host.python_kinds import PythonKind, PythonWork, python_work
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.sharing import FEWEST_CORES, cost_of_sharing
from stepscope.model.profile import NONE, Int64
from stepscope.rules.facts import Facts
from stepscope.rules.judge_limits import FIRES
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import NO_CODE, CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_UNQUEUED = 0.5
"""As in the rule host_bound: this share of kernels starts with an empty queue where the host is what the device waits for."""
_UNTRACED = 0.03
"""Untraced time below what a rule needs to fire cannot hide one."""
_MOST_OF_IT = 0.5
"""Of the Python that a step waits for: when another thread ran Python for so much of it, that thread is what to change."""
_TITLES = {
    PythonKind.SLEEPS: "Find out why the step sleeps",
    PythonKind.WAITS: "Find out what the step waits for in another thread",
    PythonKind.INSIDE: "Keep Python out of the compiled step",
    PythonKind.LOADS: "Load data in worker processes",
    PythonKind.FORMATS: "Print and format values less often",
    PythonKind.CALLS: "Call operations with less Python",
    PythonKind.WORKS: "Reduce Python work in the step",
}
_SAYS = {
    PythonKind.SLEEPS: ", mostly sleeping",
    PythonKind.WAITS: ", mostly waiting for a lock or another thread",
    PythonKind.INSIDE: ", mostly called by operations of a compiled function",
    PythonKind.LOADS: ", mostly in functions that load data, by their names",
    PythonKind.FORMATS: ", mostly printing, logging or formatting values",
    PythonKind.CALLS: ", mostly calling layers and operations",
    PythonKind.WORKS: "",
}
_WHO = {PythonKind.INSIDE: "Python runs"}
_LIST_IT = (
    "Its name suggests data loading: annotate it and list the annotation under input in span_kinds.toml, "
    "so that it counts as waiting for input."
)
_CODE = {
    PythonKind.SLEEPS: NO_CODE,
    PythonKind.WAITS: NO_CODE,
    PythonKind.LOADS: NO_CODE,
    PythonKind.INSIDE: Code(
        tensorflow="loss = tf.reduce_mean(tf.square(error))  # no tf.py_function or tf.numpy_function around it",
        pytorch="# No custom operation in Python: the same with torch operations",
        jax="loss = jnp.mean(jnp.square(error))  # no jax.pure_callback or jax.debug.print around it",
    ),
    PythonKind.FORMATS: Code(
        tensorflow='if step % 100 == 0:\n    print(f"loss {float(loss):.3f}")',
        pytorch='if step % 100 == 0:\n    print(f"loss {loss.item():.3f}")',
        jax='if step % 100 == 0:\n    print(f"loss {float(loss):.3f}")',
    ),
    PythonKind.CALLS: Code(
        tensorflow="@tf.function  # one call runs the whole step\ndef train_step(batch):\n    ...",
        pytorch='model = torch.compile(model)  # mode="reduce-overhead": CUDA graphs',
        jax="@jax.jit  # one call runs the whole step\ndef train_step(state, batch):\n    ...",
    ),
}
"""Instead of the rule's own, which is for Python that works itself; nothing is known of what a sleep or a loader is there for."""
_A_PROCESS = "worker = multiprocessing.get_context('spawn').Process(target=work, args=(queue,))  # has an interpreter of its own"
_ELSEWHERE = Code(tensorflow=_A_PROCESS, pytorch=_A_PROCESS, jax=_A_PROCESS)


def look(facts: Facts) -> Seen:
    """Recorded Python functions with time of their own; untraced time may be Python or anything else, and is not called so."""
    untraced = facts.share(TimeClass.UNTRACED)
    found = python_work(facts.profile, facts.breakdown)
    rows, kind = _removable(facts, found)
    python = facts.exposed_ns(rows) / facts.step_ns
    contention = interpreter_contention(facts.profile, facts.breakdown)
    if (shared := sum(contention.takes.values()) / facts.step_ns) > max(FIRES, _MOST_OF_IT * python):
        return _contended(facts, contention, shared)
    if python <= 0 and len(found.rows):
        return Quiet("Python does nothing but call operations, and they keep the device busy: fewer calls would not help.")
    if python <= 0:
        if untraced >= _UNTRACED and not facts.parts[TimeClass.PYTHON]:
            return CannotTell(
                f"{percent(untraced)} of a step is not covered by the trace, and Python functions are not recorded in this profile.",
                how_to_show(facts.profile, Shows.PYTHON),
            )
        return Quiet("No Python code runs while the device waits.")
    per_step = facts.per_step(rows)
    if kind is PythonKind.INSIDE:  # beside other operations too, whose cores it takes then
        per_step = facts.running_per_step(found.by_kind[PythonKind.INSIDE])
        python = float(per_step[list(facts.breakdown.typical)].mean()) / facts.step_ns
    return Pattern(
        title=_TITLES[kind],
        summary=f"{_WHO.get(kind, 'Only Python runs')} for {percent(python)} of a step ({milliseconds(python * facts.step_ns)})"
        f"{_SAYS[kind]}.",
        evidence=(
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
            *_whose(facts, found),
        ),
        subject="Removing this Python work",
        lever=Lever(Action.PYTHON, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(per_step),
        code=_CODE.get(kind),
    )


def _contended(facts: Facts, found: Contention, share: float) -> Pattern:
    """Another thread has the interpreter. How long it then keeps it was never measured before and after, so there is only a bound."""
    name, cost = facts.name(found.row), cost_of_sharing(facts.threads.cores, FEWEST_CORES)
    return Pattern(
        title="Run Python of other threads in a process of its own",
        summary=f"Another thread runs Python for {percent(share)} of a step ({milliseconds(share * facts.step_ns)}) in which the step "
        "needs the interpreter too; only one thread has it at a time.",
        evidence=(facts.evidence(f"The other thread runs {name}, {milliseconds(facts.rank_spans.length_ns(found.row))}.", found.row),),
        subject="Moving that work to another process",
        lever=Lever(Action.INTERPRETER, found.takes, rank=facts.rank, relieves_ns=found.beside_ns * cost / (1 + cost)),
        holds_in=facts.holds(found.per_step_ns),
        code=_ELSEWHERE,
    )


def _removable(facts: Facts, found: PythonWork) -> tuple[Int64, PythonKind]:
    """Python that a change would take away, and what most of it is.

    Calling operations is only overhead where a device waits for it: on a CPU the same calls run what is computed, and compiling
    trainings whose Python only calls operations made their steps up to 60 % longer. What text is made of goes with the text.
    A program of plain Python has no other work than its Python.
    """
    kinds = {kind: rows for kind, rows in found.by_kind.items() if kind is not PythonKind.CALLS or _waits_for_calls(facts)}
    if facts.profile.framework == "Python":
        kinds[PythonKind.WORKS] = kinds[PythonKind.WORKS][:0]
    inside = facts.rank_spans.within(kinds[PythonKind.FORMATS], facts.rank_spans.exposed)
    kinds[PythonKind.FORMATS] = np.union1d(kinds[PythonKind.FORMATS], inside)
    main = max(kinds, key=lambda kind: facts.exposed_ns(kinds[kind]))
    return np.unique(np.concatenate(list(kinds.values()))), main


def _waits_for_calls(facts: Facts) -> bool:
    """Whether the device runs out of work while Python calls operations; a queue that is never empty hides all of it."""
    launches = facts.launches
    return not facts.cpu_only and (launches is None or launches.unqueued >= _UNQUEUED)


def _whose(facts: Facts, found: PythonWork) -> tuple[Evidence, ...]:
    """What is to be known of Python that no code of ours would change: who sleeps, and what loads."""
    lines: list[Evidence] = []
    if found.sleeper != NONE:
        lines.append(facts.evidence(f"{facts.name(found.sleeper)} calls the longest sleep.", found.sleeper))
    if found.loads:
        lines.append(Evidence(_LIST_IT))
    return tuple(lines)


RULE = Rule(
    id="python_between_ops",
    title="Python between operations",
    look=look,
    code=Code(
        tensorflow="@tf.function  # the loop over items becomes part of the graph\ndef train_step(batch):\n    ...",
        pytorch="# One operation on the whole tensor instead of a loop over its items:\nloss = torch.where(mask, error, 0.0).sum()",
        jax="loss = jax.vmap(loss_of_item)(batch).sum()  # instead of a loop",
    ),
    wrong_when="When the profiler itself slows Python down: it records every call, so many small functions look longer than they are.",
)
