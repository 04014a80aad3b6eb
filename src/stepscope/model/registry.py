"""How the lists of extensions find their members: a module named in the list has one object that describes it."""

from __future__ import annotations

from importlib import import_module
from typing import TypeVar

Member = TypeVar("Member")


def member(module: str, attribute: str, kinds: type[Member] | tuple[type[Member], ...]) -> Member:
    """The object of that name in a module. Raises TypeError when it is of another kind, which only its author sees."""
    found: object = getattr(import_module(module), attribute)
    if not isinstance(found, kinds):
        raise TypeError(f"{module}.{attribute} is a {type(found).__name__}, which its list cannot register.")
    return found
