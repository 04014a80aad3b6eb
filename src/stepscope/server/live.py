"""Live updates: one stream of server-sent events per page, with everything new since the last event, four times a second at most.

Nothing is queued: each client has one record of what changed since its last event, and that record is bounded. A slow client
gets fewer, larger deltas.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from stepscope.dashboards.context import Project, RequestContext
from stepscope.dashboards.delta import Change, Changes, Progress, read_delta
from stepscope.dashboards.folder_routes import folder
from stepscope.dashboards.job_routes import jobs
from stepscope.dashboards.route import NoFields
from stepscope.model.errors import TooMuch
from stepscope.model.user import User

MAX_CLIENTS = 200
DELTA_SECONDS = 0.25
PING_SECONDS = 15.0

Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Client:
    changes: Changes = field(default_factory=Changes)
    new_data: bool = False
    new_jobs: bool = False
    wake: asyncio.Event = field(default_factory=asyncio.Event)


class Live:
    """Tells every connected page what is new."""

    def __init__(self, project: Project, workers: Executor) -> None:
        self._project = project
        self._workers = workers
        self._clients: set[_Client] = set()
        self._closed = False
        self._jobs_told = False
        self._unlisten: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begins to listen; called in the event loop."""
        loop = asyncio.get_running_loop()
        self._closed = False

        def collect(change: Change) -> None:
            for client in self._clients:
                client.changes.add(change)
                client.new_data = True
                client.wake.set()

        def collect_jobs() -> None:
            self._jobs_told = False
            for client in self._clients:
                client.new_jobs = True
                client.wake.set()

        def notice(change: Change) -> None:
            # Called in the loader's thread, which may publish once more while the loop is being closed.
            if not self._closed:
                loop.call_soon_threadsafe(collect, change)

        def notice_jobs() -> None:
            # Jobs may report thousands of times a second; one call to the loop at a time is enough.
            if not self._closed and not self._jobs_told:
                self._jobs_told = True
                loop.call_soon_threadsafe(collect_jobs)

        self._unlisten = [self._project.reads.library.listen(notice), self._project.jobs.listen(notice_jobs)]

    def close(self) -> None:
        """Ends all streams; called in the event loop."""
        self._closed = True
        for unlisten in self._unlisten:
            unlisten()
        self._unlisten = []
        for client in self._clients:
            client.wake.set()

    @property
    def clients(self) -> int:
        """How many pages are connected."""
        return len(self._clients)

    async def stream(self, user: User) -> AsyncGenerator[bytes]:
        """The events of one client, until it goes or the server stops."""
        if len(self._clients) >= MAX_CLIENTS:
            raise TooMuch(f"At most {MAX_CLIENTS} pages can be connected at once; close some.", "too_many_clients")
        client = _Client()
        self._clients.add(client)
        try:
            progress = self._project.reads.library.snapshot.progress
            context = RequestContext(user, self._project)
            yield _event("hello", await self._work(partial(folder, context)))
            listed = jobs(context)
            if listed.jobs:
                yield _event("jobs", listed)
            async for event in self._deltas(client, context, progress):
                yield event
        finally:
            self._clients.discard(client)

    async def _deltas(self, client: _Client, context: RequestContext, shown: Progress) -> AsyncGenerator[bytes]:
        sent = pinged = time.monotonic()
        behind = False
        while not self._closed:
            progress = self._project.reads.library.snapshot.progress
            busy = behind or progress.state in ("scanning", "loading")
            await _wait(client.wake, DELTA_SECONDS if busy else PING_SECONDS - (time.monotonic() - pinged))
            await asyncio.sleep(max(0.0, DELTA_SECONDS - (time.monotonic() - sent)))
            progress = self._project.reads.library.snapshot.progress
            if self._closed:
                return
            client.wake.clear()
            if client.new_jobs:
                client.new_jobs, sent = False, time.monotonic()
                yield _event("jobs", jobs(context))
            if client.new_data or behind or progress != shown:
                changes, client.changes, client.new_data = client.changes, Changes(), False
                delta, behind = await self._work(partial(read_delta, self._project.reads, changes))
                shown, sent = progress, time.monotonic()
                yield _event("delta", delta)
            if time.monotonic() - pinged >= PING_SECONDS:
                pinged = time.monotonic()
                yield _event("ping", NoFields())

    def _work(self, job: Callable[[], Result]) -> Awaitable[Result]:
        return asyncio.get_running_loop().run_in_executor(self._workers, job)


async def _wait(wake: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await wake.wait()
    except TimeoutError:
        return


def _event(name: Literal["hello", "delta", "jobs", "ping"], data: Struct) -> bytes:
    """One event; LiveEvents declares what each of them carries."""
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"
