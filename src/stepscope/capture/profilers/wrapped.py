"""A profiler with something recorded beside it, which is added to its files after training has gone on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from stepscope.capture.profilers.profiler import Addition, Profiler, Recorded


class Wrapped(ABC):
    """Passes marks on to the profiler inside: no frame of ours is between, since some profilers record and slow down each call."""

    def __init__(self, profiler: Profiler) -> None:
        """Around a profiler that does not record yet."""
        self._profiler = profiler
        self.step, self.span, self.op = profiler.step, profiler.span, profiler.op
        self.size: Callable[[], int] | None = getattr(profiler, "size", None)

    def start(self) -> None:
        """Begins beside, then the profiler; what it raises ends what is beside."""
        self.begin()
        try:
            self._profiler.start()
        except BaseException:
            self.end()
            raise

    def stop(self, scratch: str) -> list[Recorded]:
        """What the profiler has written, and what is to be added to it."""
        files = self._profiler.stop(scratch)
        addition = self.end()
        return files if addition is None else [replace(file, additions=(*file.additions, addition)) for file in files]

    @abstractmethod
    def begin(self) -> None:
        """Starts what is recorded beside."""

    @abstractmethod
    def end(self) -> Addition | None:
        """Ends it, and returns what adds it to a file; None where there is nothing to add."""
