"""Instructions of a compiled program that compute again what another has computed, and those whose result nobody uses."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE

MOST_INSTRUCTIONS = 50_000
"""Of one program; beyond that looking takes longer than a report may."""

_OWN_NAME = re.compile(r"(?:calls|to_apply|condition|body|branch_computations|called_computations)=(?:\{[^}]*\}|[^,]*)(?:, )?")
"""Names of called computations, which differ where what they do is the same."""
_CARRY_VALUES = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "iota", "broadcast", "after-all"})
_NOT_ITS_RESULT_ALONE = (
    *("rng", "infeed", "outfeed", "send", "recv", "custom-call", "while", "call", "conditional", "async", "copy-start", "copy-done"),
    *(
        "all-",
        "collective-",
        "reduce-scatter",
        "ragged-all-to-all",
        "opt-barrier",
        "optimization-barrier",
        "partition-id",
        "replica-id",
    ),
    *("add-dependency", "domain"),
)
"""Beginnings of opcodes that do more than compute a value, or not the same one each time."""

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Superfluous:
    """Rows of one program."""

    again: dict[int, int]  # a row, and the earlier one that computes the same of the same
    unused: tuple[int, ...]


def superfluous(program: HloProgram) -> Superfluous | None:
    """None for a program that is damaged or too large to look through."""
    if program.damaged or len(program) > MOST_INSTRUCTIONS:
        return None
    return Superfluous(_again(program), _unused(program))


def _again(program: HloProgram) -> dict[int, int]:
    """Numbers values as compilers do: equal operations on equal operands are one value."""
    number = list(range(len(program)))
    meaning: dict[int, int] = {}
    meanings: dict[_Key, int] = {}
    for computation in range(len(program.computation_name)):
        rows = program.rows_of(computation)
        known: dict[_Key, int] = {}
        relative: list[_Key] = []
        for row in rows:
            key = _key(program, row, number, meaning)
            unique = _is_unique(program, row)
            number[row] = row if unique else known.setdefault(key, row)
            itself = row if unique and program.text(program.opcode, row) != "parameter" else NONE
            relative.append((*key[:-2], tuple(number[each] - rows.start for each in program.operands(row)), key[-1], itself))
        root = int(program.computation_root[computation])
        meaning[computation] = meanings.setdefault((tuple(relative), root - rows.start), len(meanings))
    return {row: first for row, first in enumerate(number) if first != row and _counts(program, row)}


def _key(program: HloProgram, row: int, number: list[int], meaning: dict[int, int]) -> _Key:
    """All that makes an instruction's value; a computation that is called goes by what it does."""
    return (
        int(program.opcode[row]),
        int(program.shape[row]),
        _OWN_NAME.sub("", program.text(program.attributes, row)),
        int(program.literal[row]),
        int(program.target[row]),
        int(program.backend_config[row]),
        tuple(number[each] for each in program.operands(row)),
        tuple(meaning.get(each, NONE - each) for each in program.calls(row)),
    )


def _is_unique(program: HloProgram, row: int) -> bool:
    """Parameters, constants of several numbers, of which the file does not tell all, and what does more than compute."""
    opcode = program.text(program.opcode, row)
    if opcode == "constant":
        return not program.text(program.literal, row)
    return opcode == "parameter" or opcode.startswith(_NOT_ITS_RESULT_ALONE)


def _counts(program: HloProgram, row: int) -> bool:
    return program.text(program.opcode, row) not in _CARRY_VALUES


def _unused(program: HloProgram) -> tuple[int, ...]:
    used = np.bincount(program.operand, minlength=len(program)) > 0
    used[program.computation_root[program.computation_root >= 0]] = True
    rows: list[int] = np.flatnonzero(~used).tolist()
    return tuple(row for row in rows if _counts(program, row) and not _is_unique(program, row))
