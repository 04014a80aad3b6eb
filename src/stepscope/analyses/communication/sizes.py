"""How much a collective moves, and how fast: sizes from the file or from the compiled program, and the bandwidths of each kind."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE, Operation

# What crosses the slowest link of a ring for each byte of the message, with n ranks; see docs/profiles/communication.md.
_BUS: dict[str, Callable[[int], float]] = {
    "allreduce": lambda n: 2 * (n - 1) / n,
    "allgather": lambda n: (n - 1) / n,
    "reduce_scatter": lambda n: (n - 1) / n,
    "alltoall": lambda n: (n - 1) / n,
    "gather": lambda n: (n - 1) / n,
    "scatter": lambda n: (n - 1) / n,
    "broadcast": lambda _: 1.0,
    "reduce": lambda _: 1.0,
    "sendrecv": lambda _: 1.0,
    "send": lambda _: 1.0,
    "recv": lambda _: 1.0,
}
_GATHERS = ("allgather", "gather")
_SCATTERS = ("reduce_scatter", "scatter")

_SHAPE = re.compile(r"([a-z][a-z0-9]*)\[([0-9,]*)\]")
_BITS = re.compile(r"(?:[a-z]+?)(\d+)")
_GROUPS = re.compile(r"replica_groups=\{\{([0-9,]+)\}")
_IOTA_GROUPS = re.compile(r"replica_groups=\[\d+,(\d+)\]")
_MOST_BYTES = 1 << 60


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """What a compiled program says of one of its collectives; None is unknown."""

    in_bytes: int | None
    out_bytes: int | None
    dtype: str
    ranks: int | None


def message_bytes(kind: str, in_bytes: int | None, out_bytes: int | None, ranks: int | None) -> int | None:
    """The message as bandwidths count it: the whole buffer of a reduction, all that is gathered or that is scattered."""
    whole, part = (out_bytes, in_bytes) if kind in _GATHERS else (in_bytes, out_bytes)
    if whole is not None:
        return whole
    if part is None:
        return None
    if kind in _GATHERS or kind in _SCATTERS:
        return part * ranks if ranks else None
    return part


def algorithm_bandwidth(size: int | None, seconds: float) -> float | None:
    """Bytes of the message a second; None when either is unknown."""
    return size / seconds if size and seconds > 0 else None


def bus_bandwidth(kind: str, algorithm: float | None, ranks: int | None) -> float | None:
    """What the slowest link carried, comparable between kinds and numbers of ranks; None where nothing defines it."""
    factor = _BUS.get(kind)
    if algorithm is None or factor is None or not ranks or ranks < 2:
        return None
    return algorithm * factor(ranks)


class ProgramMessages:
    """Finds what compiled programs say of collectives, by program and instruction."""

    def __init__(self, programs: Sequence[HloProgram]) -> None:
        self._programs = {program.name: program for program in programs}
        self._known: dict[tuple[str, str], MessageFacts | None] = {}

    def __call__(self, op: Operation) -> MessageFacts | None:
        """None when the operation is in no program that is here."""
        key = (op.program, op.name)
        if key not in self._known:
            self._known[key] = self._find(op)
        return self._known[key]

    def _find(self, op: Operation) -> MessageFacts | None:
        program = self._programs.get(op.program)
        row = program.find(op.name) if program is not None else NONE
        if program is None or row == NONE:
            return None
        operands = [program.text(program.shape, operand) for operand in program.operands(row)]
        sizes = [_shape_bytes(text) for text in operands]
        known = [size for size in sizes if size is not None]
        return MessageFacts(
            in_bytes=sum(known) if known and len(known) == len(sizes) else None,
            # The result of a start holds its operands once more, so that only what was put in tells.
            out_bytes=None if op.type.endswith("-start") else _shape_bytes(program.text(program.shape, row)),
            dtype=next((match[1] for text in operands if (match := _SHAPE.search(text))), ""),
            ranks=_ranks(program.text(program.attributes, row)),
        )


def _shape_bytes(text: str) -> int | None:
    """Bytes of all arrays of a shape such as "f32[8,128]{1,0}" or "(f32[2], s32[])"; None when an element has no fixed size."""
    total = 0
    found = _SHAPE.findall(text)
    for element, dims in found:
        bits = _element_bits(element)
        if bits is None:
            return None
        total += math.prod(int(dim) for dim in dims.split(",") if dim) * bits // 8
    return total if found and total < _MOST_BYTES else None


def _element_bits(element: str) -> int | None:
    if element == "pred":
        return 8
    match = _BITS.match(element)
    return int(match[1]) if match else None


def _ranks(attributes: str) -> int | None:
    """How many take part: members of the first group, or the second number of the short form "[2,4]<=[8]"."""
    if match := _GROUPS.search(attributes):
        return match[1].count(",") + 1
    if match := _IOTA_GROUPS.search(attributes):
        return int(match[1])
    return None
