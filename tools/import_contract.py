"""The import contract: which part of the package may import which, as a table that reads like the design."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

VOCABULARY = "model"
FRONT_DOORS = {"__init__", "__main__"}


@dataclass(frozen=True, slots=True)
class Breach:
    """One import that the table does not allow."""

    importer: str
    imported: str
    why: str


def part_of(module: str, root: str) -> str:
    """The part of the package a module belongs to; the package itself and __main__ are its front doors."""
    inside = module.removeprefix(root).lstrip(".")
    return inside.split(".")[0] or "__init__"


def member_of(module: str, prefix: str) -> str | None:
    """The folder or file inside a part that a module belongs to, or None for the part itself."""
    inside = module.removeprefix(prefix).lstrip(".")
    return inside.split(".")[0] or None


def parse_table(lines: list[str]) -> dict[str, set[str]]:
    """Reads lines such as "a: b, c": a may import b and c."""
    table: dict[str, set[str]] = {}
    for line in lines:
        part, _, allowed = line.partition(":")
        table[part.strip()] = {name.strip() for name in allowed.split(",") if name.strip()} | {VOCABULARY, part.strip()}
    return table


def breaches(graph: ImportGraph, root: str, table: dict[str, set[str]], independent: list[str]) -> list[Breach]:
    """Every import that breaks the table, in reading order."""
    found: list[Breach] = []
    for importer in sorted(graph.modules):
        part = part_of(importer, root)
        if part in FRONT_DOORS:
            continue
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            target = part_of(imported, root)
            if target in FRONT_DOORS:
                continue
            if part not in table:
                found.append(Breach(importer, imported, f"the contract does not know {part}"))
            elif target not in table[part]:
                found.append(Breach(importer, imported, f"{part} may not import {target}"))
            elif part == target and part in independent and crosses_members(graph, importer, imported, f"{root}.{part}"):
                found.append(Breach(importer, imported, f"members of {part} may not import each other"))
    return found


def crosses_members(graph: ImportGraph, importer: str, imported: str, prefix: str) -> bool:
    """Whether a member folder imports another one. Plain modules beside the folders are shared ground; all_*.py imports all."""
    own, other = member_of(importer, prefix), member_of(imported, prefix)
    if own is None or other is None or own == other:
        return False
    return all(graph.find_children(f"{prefix}.{member}") for member in (own, other))


def room_cycle(graph: ImportGraph, prefix: str) -> tuple[str, ...]:
    """Rooms of a part that import each other in a circle, the first one again at the end; empty when there is no circle.

    A folder is a room, and all modules beside the folders are one, called like the part itself.
    """
    imports: dict[str, set[str]] = {}
    for importer in sorted(graph.find_descendants(prefix)):
        for imported in sorted(graph.find_modules_directly_imported_by(importer) & graph.find_descendants(prefix)):
            own, other = room_of(graph, importer, prefix), room_of(graph, imported, prefix)
            if own != other:
                imports.setdefault(own, set()).add(other)
    return next((found for room in sorted(imports) if (found := _way_back(imports, (room,)))), ())


def room_of(graph: ImportGraph, module: str, prefix: str) -> str:
    """The folder inside a part that a module is in, or the part itself."""
    member = f"{prefix}.{member_of(module, prefix)}"
    return member if graph.find_children(member) else prefix


def _way_back(imports: dict[str, set[str]], way: tuple[str, ...], seen: set[str] | None = None) -> tuple[str, ...]:
    """The imports from the first room of the way back to itself."""
    seen = set() if seen is None else seen
    for room in sorted(imports.get(way[-1], ())):
        if room == way[0]:
            return (*way, room)
        if room not in seen:
            seen.add(room)
            if found := _way_back(imports, (*way, room), seen):
                return found
    return ()


class AllowedImports(Contract):
    """Checks the whole package against the table."""

    allowed = fields.ListField(subfield=fields.StringField())
    independent = fields.ListField(subfield=fields.StringField(), required=False)
    acyclic = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 (import-linter's signature)
        """Finds every breach."""
        root: str = self.session_options["root_packages"][0]
        table = parse_table([str(line) for line in self.allowed])  # pyright: ignore[reportGeneralTypeIssues]
        independent = [str(part) for part in self.independent or []]  # pyright: ignore[reportGeneralTypeIssues]
        found = breaches(graph, root, table, independent)
        for part in self.acyclic or []:  # pyright: ignore[reportGeneralTypeIssues]
            circle = room_cycle(graph, f"{root}.{part}")
            found += [Breach(one, other, f"rooms of {part} import each other in a circle") for one, other in pairwise(circle)]
        return ContractCheck(kept=not found, metadata={"breaches": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """One line for each breach."""
        for breach in check.metadata["breaches"]:
            output.print_error(f"{breach.importer} imports {breach.imported}: {breach.why}.", bold=False)
            output.new_line()
