"""What kind of work an instruction of a compiled program is."""

from __future__ import annotations

from stepscope.analyses.programs.text import fusion_contents
from stepscope.model.hlo import HloProgram

CONTAINERS = frozenset({"while", "call", "conditional", "async-start"})
"""Instructions whose time is that of what they call."""

_FORMATTING = frozenset(
    {"bitcast-convert", "broadcast", "concatenate", "copy", "pad", "reshape", "reverse", "slice", "transpose"},
)
_COLLECTIVES = (
    "all-gather",
    "all-reduce",
    "all-to-all",
    "collective-broadcast",
    "collective-permute",
    "ragged-all-to-all",
    "reduce-scatter",
)
_REMATERIALISED = (".remat", "rematted_computation")


def category_of(program: HloProgram, row: int) -> str:
    """One of a few words; fusions go by the product in them, else by how XLA emits them."""
    opcode = program.text(program.opcode, row)
    if opcode == "fusion":
        return _fusion_category(program, row)
    if opcode == "custom-call":
        target = program.text(program.target, row)
        if not program.text(program.product_type, row):
            return "custom call"
        return "convolution" if "onv" in target else "dot"
    if opcode in _FORMATTING:
        return "data formatting"
    return next((each for each in _COLLECTIVES if opcode.startswith(each)), opcode)


def is_collective(category: str) -> bool:
    """Whether time in it is communication."""
    return category.startswith(_COLLECTIVES)


def is_rematerialised(program: HloProgram, row: int) -> bool:
    """Whether it computes again what was not kept: by XLA's name for it, or by JAX's checkpoint."""
    rows = [row, *fusion_contents(program, row)]
    return any(
        mark in text
        for each in rows
        for text in (program.text(program.instruction_name, each), program.text(program.op_name, each))
        for mark in _REMATERIALISED
    )


def _fusion_category(program: HloProgram, row: int) -> str:
    opcodes = {program.text(program.opcode, each) for each in fusion_contents(program, row)}
    for product in ("convolution", "dot"):
        if product in opcodes:
            return f"{product} fusion"
    if opcodes and opcodes <= _FORMATTING | {"convert"}:
        return "data formatting"
    kind = program.text(program.fusion_kind, row).removeprefix("k").lower()
    return f"{kind} fusion" if kind else "fusion"
