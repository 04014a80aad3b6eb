"""Files that end inside a record: waited for while they may be written, and searched behind it when they have settled."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
import stepscope
from log_places import LocalPlace, MemoryPlace, Place
from memory_source import MemorySource
from stepscope.ingest import settling
from stepscope.ingest.shelf import Root
from stepscope.queries.health import file_health
from stepscope.sources import all_sources, files

NAME = "run/events.out.tfevents.1"
GOOD = eb.version(1000.0) + eb.scalars(b"loss", range(3))
TORN = eb.header((1 << 31) - 1) + b"the beginning of two gigabytes"
MORE = eb.scalars(b"loss", range(3, 7), 1003.0)


@pytest.fixture(params=["local", "memory"])
def place(request: pytest.FixtureRequest, logs: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A local folder, and a source without files or notification; what is written there is new."""
    if request.param == "local":
        return LocalPlace(logs)
    source = MemorySource(clock=int(time.time()))
    monkeypatch.setitem(all_sources.OPENED, "memory", source)
    return MemoryPlace(source)


@pytest.fixture
def follow_place(place: Place, follow: Any) -> Callable[..., Any]:
    return lambda interval=0.05: follow(Root("", place.root), interval=interval)


@pytest.fixture
def settle(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets a minute pass: whatever was written, and whatever was waited for, is older than what counts as settled."""

    def pass_time() -> None:
        monkeypatch.setattr(files, "SETTLED_SECONDS", -3600.0)
        monkeypatch.setattr(settling, "SETTLED_SECONDS", -3600.0)

    return pass_time


def health(one: Any) -> tuple[str, int, int | None]:
    """State, skipped regions and where the first begins, of the one file."""
    (row,) = file_health(one.library.snapshot)
    return row.state, row.skipped, row.offset


def test_an_old_file_is_searched_at_once(logs: Path, follow: Any) -> None:
    path = eb.write(logs / NAME, GOOD + TORN + MORE)
    os.utime(path, (time.time() - 3600, time.time() - 3600))
    one = follow(interval=0)
    one.loader.load()
    assert one.runs() == {"run": 7}
    assert health(one) == ("damaged", 1, len(GOOD))
    assert stepscope.open(logs, cache=False).runs["run"].scalars("loss").step.tolist() == list(range(7))


def test_a_new_file_is_searched_when_it_has_settled(place: Place, follow_place: Any, settle: Callable[[], None]) -> None:
    place.write(NAME, GOOD + TORN + MORE)
    one = follow_place()
    one.loader.start()
    one.wait(lambda: one.library.snapshot.progress.state == "live")
    one.loader.reload()
    assert one.runs() == {"run": 3}
    assert health(one) == ("waiting", 0, len(GOOD))
    settle()
    one.wait(lambda: one.runs() == {"run": 7})
    assert health(one) == ("damaged", 1, len(GOOD))
    place.append(NAME, eb.scalars(b"loss", [7], 1007.0))
    one.wait(lambda: one.runs() == {"run": 8})


def test_a_reload_searches_what_has_settled_since(place: Place, follow_place: Any, settle: Callable[[], None]) -> None:
    place.write(NAME, GOOD + TORN + MORE)
    one = follow_place(interval=0)
    one.loader.load()
    one.loader.reload()
    assert one.runs() == {"run": 3}
    settle()
    one.loader.reload()
    assert one.runs() == {"run": 7}


def test_a_file_that_goes_on_growing_behind_a_torn_record(place: Place, follow_place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is always new, so it never settles by that; what counts is how long it has ended inside the same record."""
    place.write(NAME, GOOD + TORN)
    one = follow_place(interval=0)
    one.loader.load()
    place.append(NAME, MORE[: len(MORE) // 2])
    one.loader.reload()
    assert one.runs() == {"run": 3}
    monkeypatch.setattr(settling, "SETTLED_SECONDS", -1.0)
    place.append(NAME, MORE[len(MORE) // 2 :])
    one.loader.reload()
    assert one.runs() == {"run": 7}


@pytest.mark.parametrize("settled", [False, True])
def test_a_record_that_is_still_being_written_is_never_lost(
    place: Place, follow_place: Any, settle: Callable[[], None], settled: bool
) -> None:
    """However long its writer pauses, and even when the record holds event records itself."""
    inner = eb.scalars(b"inner", range(5))
    whole = eb.record(eb.event(1, 1003.0, eb.summary(eb.value(b"blob", eb.message(8, eb.tensor(eb.STRING, eb.message(8, inner)))))))
    place.write(NAME, GOOD)
    one = follow_place(interval=0)
    one.loader.load()
    if settled:
        settle()
    for start in range(0, len(whole), 17):
        place.append(NAME, whole[start : start + 17])
        one.loader.reload()
    place.append(NAME, MORE)
    one.loader.reload()
    assert one.runs() == {"run": 7}
    assert health(one)[:2] == ("good", 0)
    (run,) = one.library.snapshot.runs
    assert {one.library.names.name(int(tag)) for tag in run.files[0].events.tag_ids()} == {b"loss", b"blob"}
