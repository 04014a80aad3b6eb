"""Live updates: hello first, then at most four deltas a second with everything that is new, however slow the client."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.model.errors import TooMuch
from stepscope.model.identity import RunId, TagId
from stepscope.model.user import LOCAL_USER
from stepscope.queries.changes import Changes
from stepscope.server import live as live_module
from stepscope.server.live import Live
from stepscope.session.reads import Reads
from stepscope.store.library import MAX_NAMED_CHANGES, Change, Progress
from stepscope.store.user_state import UserState

Scenario = Callable[[Live], Any]


def run_live(folder: LogFolder, notes: UserState, scenario: Scenario) -> None:
    """Runs a scenario with a started Live."""

    async def main() -> None:
        with ThreadPoolExecutor(2) as workers:
            live = Live(Project(Reads(folder.library), folder.loader, notes), workers)
            live.start()
            try:
                await asyncio.wait_for(scenario(live), 20)
            finally:
                live.close()

    asyncio.run(main())


async def next_event(stream: AsyncIterator[bytes]) -> tuple[str, dict[str, Any]]:
    """The next event's name and data."""
    name, data = (await anext(stream)).decode().strip().split("\n", 1)
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_hello_then_what_is_new_under_its_shown_name(folder: LogFolder, notes: UserState) -> None:
    folder.write("a", {"lr": [1]})
    folder.write("a/loss_train", {"loss": [1]})
    folder.load()
    run = next(run.id for run in folder.library.snapshot.runs if run.name == "a")

    async def scenario(live: Live) -> None:
        stream = live.stream(LOCAL_USER)
        name, data = await next_event(stream)
        assert (name, data["points"], data["runs"]) == ("hello", 2, 1)
        folder.write("a/loss_train", {"loss": [(1, 2.0)]}, version=False)
        await asyncio.to_thread(folder.load)
        name, data = await next_event(stream)
        assert (name, data["changed"]) == ("delta", {run: ["loss/train"]})
        assert (data["runs_changed"], data["tags_changed"], data["changed_all"]) == (False, False, False)
        while data["points"] != 3:
            _, data = await next_event(stream)
        folder.write("b", {"acc": [1]})
        await asyncio.to_thread(folder.load)
        _, data = await next_event(stream)
        assert (data["runs_changed"], data["tags_changed"]) == (True, True)
        while data["points"] != 4:
            _, data = await next_event(stream)
        await stream.aclose()
        assert live.clients == 0

    run_live(folder, notes, scenario)


def test_many_publications_are_few_events(folder: LogFolder, notes: UserState) -> None:
    folder.write("a", {"loss": [1]})
    folder.load()
    run = folder.library.snapshot.runs[0].id

    async def scenario(live: Live) -> None:
        stream = live.stream(LOCAL_USER)
        await next_event(stream)
        start = time.monotonic()
        events = 0
        seen: set[str] = set()
        for place in range(200):
            folder.library.publish(series={run: frozenset({TagId(folder.library.names.intern(f"t{place}".encode()))})})
        while len(seen) < 200:
            _, data = await next_event(stream)
            seen |= set(data["changed"].get(run, []))
            events += 1
        assert events <= 4 * (time.monotonic() - start) + 1
        await stream.aclose()

    run_live(folder, notes, scenario)


def test_progress_without_new_data_is_told(folder: LogFolder, notes: UserState) -> None:
    folder.library.report_progress(Progress("loading", 0, 10))

    async def scenario(live: Live) -> None:
        stream = live.stream(LOCAL_USER)
        await next_event(stream)
        folder.library.report_progress(Progress("loading", 5, 10))
        _, data = await next_event(stream)
        assert data["loading"]["files_done"] == 5
        await stream.aclose()

    run_live(folder, notes, scenario)


def test_a_quiet_stream_pings(folder: LogFolder, notes: UserState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "PING_SECONDS", 0.3)
    folder.write("a", {"loss": [1]})
    folder.load()

    async def scenario(live: Live) -> None:
        stream = live.stream(LOCAL_USER)
        await next_event(stream)
        assert (await next_event(stream))[0] == "ping"
        assert (await next_event(stream))[0] == "ping"
        await stream.aclose()

    run_live(folder, notes, scenario)


def test_closing_ends_the_streams(folder: LogFolder, notes: UserState) -> None:
    folder.load()

    async def scenario(live: Live) -> None:
        stream = live.stream(LOCAL_USER)
        await next_event(stream)
        rest = asyncio.create_task(_drain(stream))
        await asyncio.sleep(0.05)
        live.close()
        await asyncio.wait_for(rest, 60)
        folder.library.publish()

    run_live(folder, notes, scenario)


async def _drain(stream: AsyncIterator[bytes]) -> None:
    async for _ in stream:
        pass


def test_there_is_a_limit_of_clients(folder: LogFolder, notes: UserState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "MAX_CLIENTS", 1)
    folder.load()

    async def scenario(live: Live) -> None:
        first = live.stream(LOCAL_USER)
        await next_event(first)
        with pytest.raises(TooMuch):
            await anext(live.stream(LOCAL_USER))
        await first.aclose()

    run_live(folder, notes, scenario)


def test_changes_are_bounded() -> None:
    changes = Changes()
    for start in range(0, 3 * MAX_NAMED_CHANGES, 1000):
        changes.add(Change(start, series={RunId("r"): frozenset(TagId(tag) for tag in range(start, start + 1000))}))
    assert (changes.too_many, changes.series) == (True, {})
    changes.add(Change(9, runs_changed=True, series={RunId("r"): frozenset({TagId(1)})}))
    assert (changes.runs_changed, changes.series) == (True, {})
