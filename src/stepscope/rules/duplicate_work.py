"""A compiled program computes the same twice, or something that nobody uses."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.programs.costs import InstructionFinder
from stepscope.analyses.programs.duplicate_instructions import superfluous
from stepscope.analyses.summary import milliseconds
from stepscope.model.hlo import HloProgram
from stepscope.rules.facts import Facts, shortened
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_NAMED = 3


def look(facts: Facts) -> Seen:
    """Instructions with the same operands and settings as an earlier one, and those without users, by the time of their spans."""
    if not any(op.program for op in facts.profile.ops):
        return Quiet("No compiled program ran; of other operations nothing tells what they read.")
    found = [(program, superfluous(program)) for program in facts.programs]
    known = [(program, each) for program, each in found if each is not None]
    if not known:
        return CannotTell(
            "The compiled programs are not in the recording, or cannot be looked through.",
            "Record them: JAX and TensorFlow write programs beside the trace unless enable_hlo_proto is off.",
        )
    said = {
        (program.name, row): f"computes what {program.text(program.instruction_name, first)} does, of the same"
        for program, each in known
        for row, first in each.again.items()
    } | {(program.name, row): "computes what nobody uses" for program, each in known for row in each.unused}
    ops = _operations(facts, [program for program, _ in known], said)
    spans = facts.profile.spans
    rows = np.flatnonzero(np.isin(spans.op, list(ops)) & (facts.breakdown.exposed > 0)) if ops else np.zeros(0, np.int64)
    lost = facts.exposed_ns(rows)
    if lost <= 0:
        return Quiet("Nothing in the compiled programs is computed twice or for nobody, or it takes no time.")
    sums = np.bincount(spans.op[rows], facts.breakdown.exposed[rows], len(facts.profile.ops)) / max(1, len(facts.breakdown.typical))
    most: list[int] = [op for op in map(int, np.argsort(-sums, kind="stable")[:_NAMED]) if sums[op] > 0]
    return Pattern(
        title="Compute it once",
        summary=f"{percent(lost / facts.step_ns)} of a step, {milliseconds(lost)}, a program computes the same again or for nobody.",
        evidence=tuple(
            facts.evidence(
                f"{shortened(facts.profile.ops[op].name)} {shortened(ops[op])}: {milliseconds(float(sums[op]))} of a step.",
                int(rows[spans.op[rows] == op][0]),
            )
            for op in most
        ),
        subject="Computing it once",
        lever=Lever(Action.KERNELS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _operations(facts: Facts, programs: list[HloProgram], said: dict[tuple[str, int], str]) -> dict[int, str]:
    """Places of the profile's operations that are such instructions, and what is said of them."""
    if not said:
        return {}
    find = InstructionFinder(programs)
    found: dict[int, str] = {}
    for place, op in enumerate(facts.profile.ops):
        program, row = find(op)
        if program is not None and (program.name, row) in said:
            found[place] = said[program.name, row]
    return found


RULE = Rule(
    id="duplicate_work",
    title="The same work done twice",
    look=look,
    code=Code(
        tensorflow="features = encoder(batch)  # once, for both heads\nloss = head(features) + other_head(features)",
        pytorch="features = encoder(batch)  # once, for both heads\nloss = head(features) + other_head(features)",
        jax="features = encoder(params, batch)  # once, for both heads\nloss = head(features) + other_head(features)",
    ),
    wrong_when="When the compiler does so on purpose: computing a value again may cost less than keeping it.",
)
