"""Who asks and what they may do; the one user of a server without sign-in is a value of this."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """What a user may do; a higher role may do all that a lower one may."""

    VIEWER = 1
    """Sees everything that is served."""
    EDITOR = 2
    """Also changes notes, names and colours, moves runs to the trash and back, asks for a reload, and cancels jobs."""


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who asks. Notes record the id, and what is personal is kept under it, so it never changes."""

    id: str
    name: str
    role: Role


LOCAL_USER = User("local", "Local user", Role.EDITOR)
"""Everybody who reaches a server without sign-in, and whoever works in the terminal."""
