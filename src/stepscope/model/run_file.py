"""A file of a run that is neither its events nor a profile, as it lies beside them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file that was found by its name and recognised by its first bytes, and not read further."""

    path: str
    size: int
    modified: float
    inode: int
    format: str
    """Id of its format."""

    @property
    def stamp(self) -> tuple[str, int, float, int]:
        """What changes when the file does."""
        return (self.path, self.size, self.modified, self.inode)
