"""Finds repeated parts of a scope, such as `block_0` to `block_11`, that are shown as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 5
"""Members of a series; fewer are shown one by one, as TensorBoard does."""
_DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Item:
    """A node or scope of which a series may consist: its name in its scope, and what it has to share with the others."""

    name: str
    likeness: object


def series_of(items: Sequence[Item]) -> dict[str, list[int]]:
    """The series among the items, by the name that their members share: places of the members, by number."""
    found: dict[tuple[str, object], list[tuple[int, int]]] = {}
    for place, item in enumerate(items):
        stem, number = numbered(item.name)
        found.setdefault((stem, item.likeness), []).append((number, place))
    named: dict[str, list[int]] = {}
    for (stem, _), members in found.items():
        if len(members) >= FEWEST and any(number >= 0 for number, _ in members):
            name, other = stem, 1
            while name in named:  # of one stem, but of different content
                other += 1
                name = f"{stem} ({other})"
            named[name] = [place for _, place in sorted(members)]
    return named


def numbered(name: str) -> tuple[str, int]:
    """`dense_12`, `layer12` and `Block[12]` are number 12 of `dense`, `layer` and `Block`; -1 for a name without a number."""
    bracket = name.endswith("]")
    text = name[:-1] if bracket else name
    stem = text.rstrip(_DIGITS)
    digits = text[len(stem) :]
    if bracket and not stem.endswith("["):
        return name, -1
    return stem.rstrip("_[") or name, int(digits[-18:]) if digits else -1
