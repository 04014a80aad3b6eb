"""Drawings that take long: they say how far they are, are asked for by their id, and stop when nobody asks any more."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import histogram_logs as hl
from log_folder import LogFolder
from stepscope.dashboards import drawing
from stepscope.jobs.job import Job, State
from stepscope.jobs.queue import JobQueue
from stepscope.queries import histograms

LONG = 20.0
GRID = "/api/v1/histograms/grid"
STEPS = 6


class Held:
    """Reading stops before its second part until `go` is set; `jobs` are those that were started."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.reached = threading.Event()
        self.parts = 0
        self.jobs: list[Job[Any]] = []


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Two values at a time are read, and no drawing is waited for."""
    held = Held()
    facts, submit = histograms.histogram_facts, JobQueue.submit

    def slow(*arguments: Any) -> Any:
        held.parts += 1
        if held.parts == 2:
            held.reached.set()
            assert held.go.wait(LONG)
        return facts(*arguments)

    def noted(*arguments: Any, **named: Any) -> Job[Any]:
        held.jobs.append(submit(*arguments, **named))
        return held.jobs[-1]

    monkeypatch.setattr(histograms, "histogram_facts", slow)
    monkeypatch.setattr(histograms, "_AT_ONCE", 2)
    monkeypatch.setattr(drawing, "WAIT", 0.05)
    monkeypatch.setattr(JobQueue, "submit", noted)
    yield held
    held.go.set()


@pytest.fixture
def asked(folder: LogFolder, client: TestClient) -> dict[str, Any]:
    """A question about one series of six steps."""
    hl.write(folder.path, "a", *(hl.new("w", step, hl.bell(step)) for step in range(STEPS)))
    folder.load()
    return {"series": [{"run": client.get("/api/v1/runs").json()["runs"][0]["id"], "tag": "w"}]}


def header(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    return json.loads(answer.content[4 : 4 + int.from_bytes(answer.content[:4], "little")])


def until_over(job: Job[Any]) -> State:
    while not job.over:
        time.sleep(0.01)
    return job.state


def test_a_long_drawing_says_how_far_it_is_and_is_asked_for_by_its_id(client: TestClient, asked: dict[str, Any], held: Held) -> None:
    first = header(client.post(GRID, json=asked))
    assert held.reached.wait(LONG)
    again = header(client.get(f"{GRID}/{first['job']['id']}"))
    assert (again["series"], again["job"]["state"], again["job"]["done"], again["job"]["unit"]) == ([], "running", 4, "histograms")
    held.go.set()
    while again["job"] is not None:
        again = header(client.get(f"{GRID}/{first['job']['id']}"))
    assert (again["series"][0]["steps"], again["series"][0]["in_range"]) == (STEPS, STEPS)


def test_a_drawing_that_nobody_asks_for_stops(client: TestClient, asked: dict[str, Any], held: Held) -> None:
    client.post(GRID, json=asked)
    assert held.reached.wait(LONG)
    (job,) = held.jobs
    assert job.lease == drawing.LEASE
    job.lease = 0.0  # it has run out
    held.go.set()
    assert until_over(job) is State.CANCELLED
    assert held.parts == 2


def test_a_drawing_goes_on_when_the_one_it_waited_for_has_stopped(client: TestClient, asked: dict[str, Any], held: Held) -> None:
    client.post(GRID, json=asked)
    assert held.reached.wait(LONG)
    client.post("/api/v1/histograms/bands", json=asked)  # waits for what the first reads of the same series
    first, second = held.jobs
    while second.state is State.QUEUED:
        time.sleep(0.01)
    first.lease = 0.0
    held.go.set()
    assert (until_over(first), until_over(second)) == (State.CANCELLED, State.DONE)


def test_ids_of_other_jobs_are_refused(client: TestClient, asked: dict[str, Any], held: Held) -> None:
    job = header(client.post(GRID, json=asked))["job"]
    for address in (f"/api/v1/histograms/bands/{job['id']}", f"{GRID}/nothing"):
        assert client.get(address).json()["error"]["code"] == "unknown_job"
