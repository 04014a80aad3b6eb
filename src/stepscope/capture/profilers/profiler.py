"""What a capture needs from a framework's profiler, and the options that users give for all of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

_log = logging.getLogger("stepscope.capture")


@dataclass(frozen=True, slots=True)
class Options:
    """What is recorded beside the operations; a profiler ignores what it cannot record or always records."""

    shapes: bool = True
    memory: bool = False
    stacks: bool = False
    python: bool | None = None
    """Whether the Python stacks of all threads and workers are sampled beside; None where no framework's profiler records."""
    allocations: bool = False
    """Whether memory of the host that Python allocates is recorded by the line that allocates it."""
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
    facts: Mapping[str, object] = field(default_factory=dict[str, object])
    """What is said of the whole trace, before its events."""
    additions: tuple[Addition, ...] = ()
    """What was recorded beside it and is still to be added, by whoever saves the file."""


Addition = Callable[[Recorded], Recorded]
"""Adds something to a file, or returns it as it is."""


def completed(file: Recorded) -> Recorded:
    """The file with everything that was recorded beside it; what cannot be added is left out, with a warning."""
    for addition in file.additions:
        try:
            file = addition(file)
        except Exception as error:  # noqa: BLE001 (the profile itself is there)
            _log.warning("Samples or counters are missing in the profile: %s: %s", type(error).__name__, error)
    return replace(file, additions=())


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
