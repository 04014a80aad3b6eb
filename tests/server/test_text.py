"""Text over HTTP: every step, tables of strings, what is too long or no text, and the search through all of it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import image_logs as il
from log_folder import LogFolder
from stepscope.dashboards.text import dashboard
from stepscope.jobs.job import Job, State
from stepscope.jobs.queue import JobQueue
from stepscope.queries import text_search, text_values
from text_and_sound_logs import text

LONG = 20.0
HOSTILE = b'<script>alert(1)</script> [x](javascript:alert(2)) <img src=x onerror="alert(3)">'


def run_id(client: TestClient, name: str = "a") -> str:
    return next(run["id"] for run in client.get("/api/v1/runs").json()["runs"] if run["name"] == name)


def get(client: TestClient, tag: str, step: float, route: str = "value", **more: Any) -> Any:
    return client.get(f"/api/v1/text/{route}", params={"run": run_id(client), "tag": tag, "step": step, **more})


def logged(folder: LogFolder, *records: bytes, run: str = "a") -> None:
    il.write(folder.path, run, *records)
    folder.load()


def test_tags_and_every_step(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(text("notes", step, b"at %d" % step) for step in range(50)))
    answer = client.get("/api/v1/text/tags").json()
    assert [(tag["name"], tag["values"]) for tag in answer["tags"]] == [("notes", [50])]
    steps = client.post("/api/v1/text/steps", json={"series": [{"run": run_id(client), "tag": "notes"}]})
    assert steps.status_code == 200
    assert get(client, "notes", 37).json() == {"shape": [1], "cells": ["at 37"], "bytes": 5, "cut": False, "replaced": False}
    assert get(client, "notes", 51).json()["error"]["code"] == "unknown_step"
    assert {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}["text"]


def test_tensors_of_strings_keep_their_shape(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("t", 0, b"a", b"b", b"c", b"d", b"e", b"f", shape=[3, 2]), text("scalar", 0, b"x", shape=[]))
    assert get(client, "t", 0).json()["shape"] == [3, 2]
    assert get(client, "scalar", 0).json()["shape"] == []


@pytest.mark.parametrize("shape", [[7], [2, -1], [1 << 40, 1 << 40], [0]])
def test_a_shape_that_does_not_fit_is_a_list(folder: LogFolder, client: TestClient, shape: list[int]) -> None:
    logged(folder, text("t", 0, b"a", b"b", shape=shape))
    assert get(client, "t", 0).json()["shape"] == [2]


def test_markup_is_answered_as_it_was_logged_and_files_are_saved(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("t", 0, HOSTILE))
    got = get(client, "t", 0)
    assert got.headers["content-type"] == "application/json"
    assert got.json()["cells"] == [HOSTILE.decode()]
    file = get(client, "t", 0, "file")
    assert (file.content, file.headers["content-type"]) == (HOSTILE, "application/octet-stream")
    assert file.headers["content-disposition"].startswith("attachment")


def test_bytes_that_are_no_text_are_replaced_and_said(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("t", 0, b"good \xff\xfe bad"))
    got = get(client, "t", 0).json()
    assert (got["cells"], got["replaced"]) == (["good \ufffd\ufffd bad"], True)


def test_long_text_is_cut_between_letters_and_can_be_saved_whole(
    folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_values, "MOST_BYTES", 10)
    logged(folder, text("t", 0, "abcdefgh€€".encode()), text("many", 0, b"abcdef", b"ghijkl", b"m"))
    assert get(client, "t", 0).json() == {"shape": [1], "cells": ["abcdefgh"], "bytes": 14, "cut": True, "replaced": False}
    many = get(client, "many", 0).json()
    assert (many["cells"], many["cut"]) == (["abcdef", "ghij"], True)
    assert get(client, "many", 0, "file").content == b"abcdef\nghijkl\nm"


def test_a_value_without_strings_says_so(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("t", 0, shape=[3]), text("none", 0, shape=[0]))
    assert get(client, "t", 0).json()["error"]["code"] == "bad_text"
    assert get(client, "none", 0).json()["cells"] == []


SEARCH = "/api/v1/text/search"


def search(client: TestClient, words: str, **more: Any) -> Any:
    """The answer of a search that has ended, or the error."""
    answer = client.post(SEARCH, json={"words": words, **more}).json()
    while answer.get("job", {}).get("state") in {"queued", "running"}:
        answer = client.get(f"{SEARCH}/{answer['job']['id']}").json()
    return answer


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A search stops before its third value until this is set, and is not waited for."""
    go = threading.Event()
    looked_at = itertools.count()
    original = text_search._match

    def slow(*arguments: Any) -> Any:
        if next(looked_at) == 2:
            assert go.wait(LONG)
        return original(*arguments)

    monkeypatch.setattr(text_search, "_match", slow)
    monkeypatch.setattr(dashboard, "SEARCH_WAIT", 0.05)
    yield go
    go.set()


def started(client: TestClient) -> Any:
    """A search that has looked at two values and is held there."""
    answer = client.post(SEARCH, json={"words": "word"}).json()
    while answer["searched"] < 2:
        answer = client.get(f"{SEARCH}/{answer['job']['id']}").json()
    return answer


def test_search_finds_all_words_in_any_case_newest_first(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("notes", 1, b"The loss went DOWN"), text("notes", 2, b"down"), text("notes", 3, b"down again,\n  the  loss"))
    logged(folder, text("notes", 9, b"loss down"), run="b")
    found = search(client, "LOSS down", runs=[run_id(client)])
    assert [(one["tag"], one["step"]) for one in found["matches"]] == [("notes", 3), ("notes", 1)]
    assert found["matches"][0]["before"] + found["matches"][0]["found"] == "down again, the loss"
    assert (found["searched"], found["values"], found["complete"]) == (3, 3, True)
    assert [one["step"] for one in search(client, "down loss")["matches"]] == [3, 1, 9]


def test_what_looks_like_a_pattern_is_words(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("notes", 1, b"a.*b (c"), text("notes", 2, b"axxb"))
    assert [one["step"] for one in search(client, ".*")["matches"]] == [1]
    assert search(client, "(c")["matches"][0]["found"] == "(c"


def test_search_stops_at_its_limit_and_says_so(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(text("notes", step, b"word") for step in range(20)))
    found = search(client, "word", limit=5)
    assert (len(found["matches"]), found["complete"], found["searched"], found["values"]) == (5, False, 5, 20)
    everything = search(client, "word", limit=20)
    assert (len(everything["matches"]), everything["complete"], everything["job"]["state"]) == (20, True, "done")


def test_a_running_search_answers_what_it_has_found_so_far(folder: LogFolder, client: TestClient, held: threading.Event) -> None:
    logged(folder, *(text("notes", step, b"word") for step in range(5)))
    answer = started(client)
    assert ([one["step"] for one in answer["matches"]], answer["values"], answer["complete"]) == ([4, 3], 5, False)
    job = answer["job"]
    assert (job["state"], job["done"], job["total"], job["unit"], job["result_at"]) == ("running", 2, 5, "texts", None)
    assert client.get("/api/v1/jobs").json()["jobs"] == []  # who waits shows it
    assert client.get("/api/v1/text/tags").status_code == 200  # no other request waits for it
    held.set()
    done = search(client, "word")
    assert (len(done["matches"]), done["complete"], done["job"]["id"]) == (5, True, job["id"])
    assert done["job"]["result_at"] == f"text/search/{job['id']}"


def test_a_search_can_be_cancelled(folder: LogFolder, client: TestClient, held: threading.Event) -> None:
    logged(folder, *(text("notes", step, b"word") for step in range(5)))
    answer = started(client)
    client.post(f"/api/v1/jobs/{answer['job']['id']}/cancel")
    held.set()
    ended = answer
    while "error" not in ended:
        ended = client.get(f"{SEARCH}/{answer['job']['id']}").json()
    assert ended["error"]["code"] == "cancelled"


def test_a_search_that_nobody_asks_for_stops(
    folder: LogFolder, client: TestClient, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[Job[Any]] = []
    submit = JobQueue.submit

    def noted(*arguments: Any, **named: Any) -> Job[Any]:
        jobs.append(submit(*arguments, **named))
        return jobs[-1]

    monkeypatch.setattr(JobQueue, "submit", noted)
    logged(folder, *(text("notes", step, b"word") for step in range(5)))
    started(client)
    (job,) = jobs
    assert job.lease == dashboard.SEARCH_LEASE
    job.lease = 0.0  # it has run out
    held.set()
    while not job.over:
        time.sleep(0.01)
    assert job.state is State.CANCELLED


def test_the_result_of_another_job_is_no_search(folder: LogFolder, client: TestClient) -> None:
    logged(folder, text("notes", 1, b"word"))
    job = client.post("/api/v1/reload").json()["job"]
    assert client.get(f"{SEARCH}/{job['id']}").json()["error"]["code"] == "unknown_job"
    assert client.get(f"{SEARCH}/nothing").json()["error"]["code"] == "unknown_job"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"words": "  "}, "no_words"),
        ({"words": "a " * 21}, "too_many_words"),
        ({"words": "a", "runs": ["x"] * 10_001}, "too_many_runs"),
        ({"words": "a" * 1001}, "bad_request"),
        ({"words": "a", "limit": 0}, "bad_request"),
    ],
)
def test_bad_searches_get_one_sentence(client: TestClient, body: dict[str, Any], code: str) -> None:
    error = search(client, **body)["error"]
    assert error["code"] == code
    assert error["message"].endswith(".")
