"""A compiled program computes the same twice, or something that nobody uses."""

from __future__ import annotations

from itertools import islice

from stepscope.analyses.programs.costs import InstructionFinder
from stepscope.analyses.programs.duplicate_instructions import superfluous
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.model.hlo import HloProgram
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_NAMED = 3


def look(facts: Facts) -> Seen:
    """Instructions with the same operands and settings as an earlier one, and those without users, by the time of their spans."""
    if not any(op.program for op in facts.profile.ops):
        return Quiet("No compiled program ran; the inputs of other operations are not recorded.")
    found = [(program, superfluous(program)) for program in facts.programs]
    known = [(program, each) for program, each in found if each is not None]
    if not known:
        return CannotTell(
            "The compiled programs (HLO) are not recorded in this profile, or cannot be read.",
            "Keep enable_hlo_proto on: JAX and TensorFlow then save the programs with the trace.",
        )
    said = {
        (program.name, row): f"computes the same result as {program.text(program.instruction_name, first)}"
        for program, each in known
        for row, first in each.again.items()
    } | {(program.name, row): "computes an unused result" for program, each in known for row in each.unused}
    ops = _operations(facts, [program for program, _ in known], said)
    rows = facts.rank_spans.of_operations(ops)
    lost = facts.exposed_ns(rows)
    if lost <= 0:
        return Quiet("The compiled programs compute no duplicate or unused results, or these cost no time.")
    return Pattern(
        title="Compute duplicate results once",
        summary=f"A program computes duplicate or unused results for {percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=tuple(
            facts.evidence(
                f"{shortened(facts.profile.ops[own.key].name)} {shortened(ops[own.key])}: {milliseconds(own.ns)} per step.", own.first
            )
            for own in islice(facts.rank_spans.by_operation(rows), _NAMED)
        ),
        subject="Computing each result once",
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
    title="Duplicate work",
    look=look,
    code=Code(
        tensorflow="features = encoder(batch)  # once, for both heads\nloss = head(features) + other_head(features)",
        pytorch="features = encoder(batch)  # once, for both heads\nloss = head(features) + other_head(features)",
        jax="features = encoder(params, batch)  # once, for both heads\nloss = head(features) + other_head(features)",
    ),
    wrong_when="When the compiler recomputes on purpose: computing a value again can cost less than storing it.",
)
