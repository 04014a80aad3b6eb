"""A compiled XLA program: its computations and their instructions, with what each costs to execute once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag

from stepscope.model.profile import NONE, Float64, Int8, Int32


class CostDoubt(IntFlag):
    """What is not certain about a cost; the numbers are those of native/profile/hlo_cost.hpp."""

    NONE = 0
    ESTIMATED = 1  # by the shapes of a library call
    LOOP = 2  # holds a loop whose number of rounds is unknown, counted once
    UNKNOWN = 4  # holds a library call of which nothing is known


@dataclass(frozen=True, slots=True)
class HloProgram:
    """Columns by instruction, which lie together by computation. Numbers of texts go into `texts`, of rows into these columns."""

    name: str  # of the program in the profile, such as "jit_step(20)"
    entry: int  # the computation that a call of the program runs
    damaged: bool  # ends early; what was there before is here
    texts: list[str]
    computation_name: Int32
    computation_first: Int32
    computation_last: Int32
    computation_root: Int32  # row, NONE when unknown
    instruction_name: Int32
    opcode: Int32
    shape: Int32  # with its layout, as XLA writes it
    computation: Int32
    op_name: Int32  # what the framework calls it
    op_type: Int32
    source_file: Int32
    source_line: Int32
    attributes: Int32  # what follows the operands in its text
    literal: Int32  # the value of a constant of one number, the number of a parameter
    target: Int32  # of a library call
    backend_config: Int32
    fusion_kind: Int32
    product_type: Int32  # element type of the largest product or convolution in it
    operand_end: Int32  # its operands are operand[operand_end[row - 1] : operand_end[row]]
    operand: Int32
    called_end: Int32
    called: Int32
    flops: Float64
    transcendentals: Float64
    bytes: Float64
    doubts: Int8

    def __len__(self) -> int:
        return len(self.opcode)

    def text(self, column: Int32, row: int) -> str:
        """A cell of a column of texts."""
        return self.texts[int(column[row])]

    def operands(self, row: int) -> list[int]:
        """Rows of the operands."""
        return _slice(self.operand, self.operand_end, row)

    def calls(self, row: int) -> list[int]:
        """Computations that it calls."""
        return _slice(self.called, self.called_end, row)

    def rows_of(self, computation: int) -> range:
        """The instructions of a computation."""
        return range(int(self.computation_first[computation]), int(self.computation_last[computation]))

    def find(self, name: str) -> int:
        """The row of the instruction of that name, the entry computation's first; NONE when there is none."""
        return next(iter(sorted(self._named(name), key=lambda row: int(self.computation[row]) != self.entry)), NONE)

    def _named(self, name: str) -> Iterable[int]:
        wanted = name.removeprefix("%")
        return (row for row in range(len(self)) if self.text(self.instruction_name, row) == wanted)

    def source(self, row: int) -> str:
        """Such as "model.py:12"; empty when unknown."""
        file = self.text(self.source_file, row)
        return f"{file}:{int(self.source_line[row])}" if file else ""


def _slice(column: Int32, ends: Int32, row: int) -> list[int]:
    found: list[int] = column[int(ends[row - 1]) if row else 0 : int(ends[row])].tolist()
    return found
