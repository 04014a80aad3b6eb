"""A profiling session as it lies on disk: the files that several hosts or ranks wrote of the same moment."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace

_OF_RANK = " rank "
_LONGEST_RANK = 10


@dataclass(frozen=True, slots=True)
class InsideFile:
    """Where a recording lies in a file that holds other things as well: an event file."""

    offset: int
    length: int
    tag: str
    step: int


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """One process's recording, seen but not read."""

    path: str
    size: int
    modified: float
    inode: int
    format: str
    """Id of the format its content has; empty when only its name speaks for a profile."""
    worker: str
    """The host or rank that wrote it, as far as its name tells."""
    has_steps: bool = True
    """Whether it records time that can be divided into steps; a memory profile does not."""
    problem: str | None = None
    """Why it cannot be read, in a sentence; None as long as nothing speaks against it."""
    inside: InsideFile | None = None
    """Set when the recording is only a part of the file; size and time are then its own, since the file may grow after it."""
    rank: int | None = None
    """Set when the recording is that of one rank of a file that contains several."""

    @property
    def stamp(self) -> tuple[str, int, float, int]:
        """What changes when the file does."""
        return (self.path, self.size, self.modified, self.inode)

    @property
    def identity(self) -> Hashable:
        """The stamp, which several recordings inside one file may share, and which of them it is."""
        return (self.stamp, self.inside, self.rank)

    def of_rank(self, rank: int) -> ProfileFile:
        """The recording of one rank of this file, with a worker's name of its own."""
        return replace(self, rank=rank, worker=f"{self.worker}{_OF_RANK}{rank}")

    def called(self, worker: str) -> ProfileFile | None:
        """This file, or the rank of it, that has the worker's name; None when that is another file's."""
        if worker == self.worker:
            return self
        rank = worker.removeprefix(f"{self.worker}{_OF_RANK}")
        return self.of_rank(int(rank)) if rank != worker and rank.isdecimal() and len(rank) < _LONGEST_RANK else None


@dataclass(frozen=True, slots=True)
class ProfileSession:
    """What was recorded at one time in one run. `files` is ordered by worker, numbers in names as numbers."""

    id: str
    name: str
    time: float
    """Unix time: of the file names where they tell, else of the last write."""
    files: tuple[ProfileFile, ...]

    @property
    def has_steps(self) -> bool:
        """Whether any of its files records time."""
        return any(file.has_steps for file in self.files)


def is_rank_of(name: str, worker: str) -> bool:
    """Whether a worker's name is that of one rank of another worker's file."""
    return name.startswith(f"{worker}{_OF_RANK}") and name.removeprefix(f"{worker}{_OF_RANK}").isdecimal()


def session_id(run: str, name: str) -> str:
    """12 hexadecimal digits, the same for the same run and session name on any machine."""
    return hashlib.blake2b(f"{run}\0{name}".encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
