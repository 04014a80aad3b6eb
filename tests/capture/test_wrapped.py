"""What is recorded beside a profiler: begun before it, ended after it, added by whoever saves, and never at the cost of the profile."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import pytest

from stepscope.capture.profilers.profiler import Addition, Recorded, completed
from stepscope.capture.profilers.wrapped import Wrapped


class Told:
    """A profiler that tells what is asked of it."""

    def __init__(self, log: list[str], *, fails: bool = False) -> None:
        self.log, self.fails = log, fails

    def start(self) -> None:
        self.log.append("start")
        if self.fails:
            raise OSError("as a profiler fails")

    def step(self, number: int) -> AbstractContextManager[object]:
        return nullcontext(number)

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext(name)

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        return nullcontext((name, inputs))

    def stop(self, scratch: str) -> list[Recorded]:
        self.log.append("stop")
        return [Recorded(scratch, ".json")]


class Beside(Wrapped):
    def __init__(self, profiler: Told | Beside, log: list[str], name: str, *, fails: bool = False) -> None:
        super().__init__(profiler)
        self.log, self.name, self.fails = log, name, fails

    def begin(self) -> None:
        self.log.append(f"begin {self.name}")

    def end(self) -> Addition:
        self.log.append(f"end {self.name}")
        return self.add

    def add(self, file: Recorded) -> Recorded:
        if self.fails:
            raise ValueError("as an addition fails")
        return replace(file, events=(*file.events, self.name))


def test_the_order_of_what_is_beside() -> None:
    log: list[str] = []
    profiler = Beside(Beside(Told(log), log, "inner"), log, "outer")
    profiler.start()
    (file,) = profiler.stop("scratch")
    assert log == ["begin outer", "begin inner", "start", "stop", "end inner", "end outer"]
    assert file.events == (), "nothing is added while training waits"
    assert completed(file).events == ("inner", "outer")


def test_an_addition_that_fails_leaves_the_others(caplog: pytest.LogCaptureFixture) -> None:
    log: list[str] = []
    profiler = Beside(Beside(Told(log), log, "inner", fails=True), log, "outer")
    profiler.start()
    (file,) = profiler.stop("scratch")
    assert completed(file).events == ("outer",)
    assert len(caplog.records) == 1


def test_a_profiler_that_does_not_start_ends_what_is_beside() -> None:
    log: list[str] = []
    with pytest.raises(OSError, match="as a profiler fails"):
        Beside(Told(log, fails=True), log, "beside").start()
    assert log == ["begin beside", "start", "end beside"]
