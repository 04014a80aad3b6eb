"""What an instruction of a compiled program takes from and gives to, up to a number of steps away."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.model.hlo import HloProgram

MOST_NODES = 300


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An instruction; `distance` is negative towards operands, positive towards users, 0 for the one asked for."""

    row: int
    distance: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Instructions of one computation and the values that go between them, as (from, to) rows."""

    nodes: tuple[Neighbour, ...]
    edges: tuple[tuple[int, int], ...]
    cut: bool  # there are more than are shown


def neighbourhood(program: HloProgram, row: int, width: int) -> Neighbourhood:
    """Operands of operands and users of users, `width` steps each way; nearest first."""
    users = _users(program, int(program.computation[row]))
    found = {row: 0}
    cut = False
    for towards in (-1, 1):
        edge = [row]
        for distance in range(1, width + 1):
            reached: list[int] = []
            for each in edge:
                for other in program.operands(each) if towards < 0 else users.get(each, []):
                    if other in found:
                        continue
                    if len(found) >= MOST_NODES:
                        cut = True
                        break
                    found[other] = towards * distance
                    reached.append(other)
            edge = reached
    edges = sorted({(operand, each) for each in found for operand in program.operands(each) if operand in found})
    nodes = sorted((Neighbour(each, distance) for each, distance in found.items()), key=lambda node: (abs(node.distance), node.row))
    return Neighbourhood(tuple(nodes), tuple(edges), cut)


def _users(program: HloProgram, computation: int) -> dict[int, list[int]]:
    users: dict[int, list[int]] = {}
    for row in program.rows_of(computation):
        for operand in dict.fromkeys(program.operands(row)):
            users.setdefault(operand, []).append(row)
    return users
