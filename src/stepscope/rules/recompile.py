"""Functions are traced or compiled again and again, not only in the first steps."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.host.compilations import argument_shapes, compilations, recorded_shapes
from stepscope.analyses.host.compiled_functions import compiled_functions
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent

_FIRST_STEPS = 2
_OFTEN = 2
_SHARE = 0.01
_NAMED = 3
_EVERY_STEP = 0.9
"""In so many typical steps compilation is a part of the step; in fewer it is a part of the recording."""


_NOT_SHAPES = Code(
    tensorflow="# Tensors, not Python numbers, and one function made outside of the loop:\ntrain_step(batch, tf.constant(step))",
    pytorch="torch._logging.set_logs(recompiles=True)  # prints what changed in each call",
    jax='jax.config.update("jax_explain_cache_misses", True)  # logs what changed\ntrain_step = jax.jit(step)  # once, before the loop',
)
"""Where no shape is seen to change: a Python number, a static argument or a new function in every step may be what does."""


def look(facts: Facts) -> Seen:
    """Compilation in any step but the first two of the recording: twice, or a hundredth of the time."""
    steps, first = facts.breakdown.steps, _first_steps(facts)
    if len(steps) <= first:
        return CannotTell("There are too few steps to compare the first steps with later ones.", "Capture at least five steps.")
    rows = compilations(facts.profile, facts.breakdown, first)
    later = facts.breakdown.parts[first:, TimeClass.COMPILE]
    share = float(later.sum()) / max(1.0, float(steps.length[first:].sum()))
    if not len(rows):
        return Quiet("Nothing is compiled after the first two steps.")
    if len(rows) < _OFTEN and share < _SHARE:
        return Quiet("Only one short compilation runs after the first two steps.")
    hit = int((later > 0).sum())
    often = facts.holds_in(TimeClass.COMPILE) >= _EVERY_STEP
    return Pattern(
        title="Avoid recompilation",
        summary=f"Compilation is {percent(share)} of the time after the first two steps, in {counted(hit, 'step')}.",
        evidence=_functions(facts, rows) or _evidence(facts, rows),
        subject="Compiling only once",
        lever=Lever(Action.COMPILING, facts.takes(TimeClass.COMPILE), rank=facts.rank) if often else None,
        of_window=None if often else {TimeClass.COMPILE: share},
        holds_in=facts.holds_in(TimeClass.COMPILE) if often else None,
        code=None if _shapes_change(facts, rows) else _NOT_SHAPES,
    )


def _shapes_change(facts: Facts, rows: Int64) -> bool:
    """Whether the recording shows one function compiled for several shapes: only then do fixed shapes help."""
    functions = compiled_functions(facts.profile, facts.breakdown)
    if any(len(argument_shapes(facts.programs, one.name)) >= _OFTEN for one in functions):
        return True
    return any(len(recorded_shapes(facts.profile, rows, one.key)) >= _OFTEN for one in facts.rank_spans.counted_by_name(rows))


def _first_steps(facts: Facts) -> int:
    """How many of the steps are among the first of the recording; of a chosen range there may be none."""
    return max(0, _FIRST_STEPS - facts.breakdown.steps.before)


def _functions(facts: Facts, compiled: Int64) -> tuple[Evidence, ...]:
    """The functions of the program that are traced again, with the shapes that come to them."""
    lines: list[Evidence] = []
    for one in compiled_functions(facts.profile, facts.breakdown)[:_NAMED]:
        if one.traces < _OFTEN:
            break
        again = f"{counted(one.calls, 'call')}, traced in {one.traces:,} of them"
        kinds = f" in {counted(one.versions, 'version')}" if one.versions is not None and one.versions > 1 else ""
        held = facts.rank_spans.within(np.array([one.row], np.int64), compiled)
        shapes = _of_shapes(argument_shapes(facts.programs, one.name))
        length = milliseconds(one.traced_ns / one.traces)
        lines.append(facts.evidence(f"{one.name}: {again}{kinds}{shapes}, {length} each time.", int(held[0]) if len(held) else one.row))
    return tuple(lines)


def _of_shapes(shapes: set[str]) -> str:
    """`, with 3 shapes such as f32[2,8] and f32[2,9]`, where shapes were recorded and differ."""
    if len(shapes) < _OFTEN:
        return ""
    some = sorted(shapes)
    return f", with {len(shapes)} shapes such as {shortened(some[0])} and {shortened(some[-1])}"


def _evidence(facts: Facts, rows: Int64) -> tuple[Evidence, ...]:
    lines: list[Evidence] = []
    for one in facts.rank_spans.counted_by_name(rows)[:_NAMED]:
        length = milliseconds(facts.rank_spans.length_ns(one.row))
        change = _of_shapes(recorded_shapes(facts.profile, rows, one.key))
        lines.append(Evidence(f"{facts.name(one.row)}: {counted(one.count, 'time')}{change}, {length} at most.", facts.at(one.row)))
    return tuple(lines)


RULE = Rule(
    id="recompile",
    on_host_alone=True,
    title="Recompilation",
    look=look,
    code=Code(
        tensorflow="@tf.function(input_signature=[tf.TensorSpec([None, 128], tf.int32)])\ndef train_step(tokens):\n    ...",
        pytorch="model = torch.compile(model, dynamic=True)\n# or pad batches to a few fixed lengths",
        jax="rows = -len(tokens) % 128  # a few fixed shapes\ntokens = jnp.pad(tokens, ((0, rows), (0, 0)))",
    ),
    wrong_when="When the capture started with the training, and a later step runs another branch for the first time.",
)
