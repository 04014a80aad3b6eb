"""What a capture needs from a framework's profiler, and the options that users give for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Options:
    """What is recorded beside the operations; a profiler ignores what it cannot record or always records."""

    shapes: bool = True
    memory: bool = False
    stacks: bool = False
    python: bool = False
    """Whether the Python stacks of all threads are sampled beside."""
    system: bool = True
    """Whether the use of processors, memory, disks and GPUs is sampled beside, as counters."""
    all_threads: bool = False
    """Whether threads that run already are recorded too; torch records only the one that starts it and those started by it."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One file that a profiler has written, and the ending that it gets in the session's folder."""

    path: str
    ending: str
    notable: bool = False
    """Whether warnings can be appended to it: an XSpace, whose messages may be written one behind the other."""
    events: tuple[str, ...] = ()
    """Events, as JSON, that go in front of those of the file, which is a Chrome trace."""


class Profiler(Protocol):
    """A profiler that records one stretch of time. It is used by the thread that trains."""

    def start(self) -> None:
        """Begins to record. Raises what the framework raises."""
        ...

    def step(self, number: int) -> AbstractContextManager[object]:
        """Marks the block as a step while it records."""
        ...

    def span(self, name: str) -> AbstractContextManager[object]:
        """Marks the block by name while it records."""
        ...

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        """Marks the block as an operation with these inputs while it records."""
        ...

    def stop(self, scratch: str) -> list[Recorded]:
        """Ends, and writes what was recorded into the folder."""
        ...
