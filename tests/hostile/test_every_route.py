"""Absurd questions to every route, newest ones included: an answer or one sentence, and nothing outside the log folder is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostile.questions import SECRET, AskedServer, Question
from stepscope.dashboards.route import Route
from stepscope.server.app import all_routes
from stepscope.server.dispatch import MAX_BODY

SHORT, LONG = 6, 150
"""Questions to each route in `make test` and in `make soak`."""
REFUSALS = (400, 403, 404, 405, 409, 413, 415, 422)
ANSWERLESS = {
    "POST /capture",
    "POST /hparams/importance",
    "GET /profile/{session}/hlo_op",
    "GET /projector/sprite",
    "GET /projector/bookmarks",
}
"""About what the served folder has not, and a process that nobody started, which without gRPC is not even looked for."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> AskedServer:
    return AskedServer(tmp_path_factory.mktemp("hostile"))


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


def wrong_with(status: int, body: bytes) -> str:
    """What no answer may be like; empty for an answer or a refusal in one sentence."""
    if status not in (200, *REFUSALS):
        return f"status {status}"
    if SECRET in body:
        return "a file beside the log folder"
    if status == 200:
        return ""
    error = json.loads(body)["error"]
    message, code = error["message"], error["code"]
    one_line = "\n" not in message and (message.endswith(".") or code.startswith("needs_"))  # else it ends with a command to copy
    return "" if code and one_line else "no sentence"


def ask_absurdly(server: AskedServer, seeds: range) -> tuple[int, int]:
    """How many questions were answered and refused; the folder and what is beside it stay as they are."""
    before = contents(server.logs)
    found: list[str] = []
    answered = 0
    for route in all_routes():
        for seed in seeds:
            question = server.absurd(route, seed)
            status, body = server.ask(question)
            answered += status == 200
            if wrong := wrong_with(status, body):
                found.append(f"{named(route)} with seed {seed}: {wrong}: {(question.url, question.body, body)!s:.600}")
    assert found == []
    assert contents(server.logs) == before
    assert server.secret.read_bytes() == SECRET
    assert {path.name for path in server.logs.parent.iterdir()} <= {"logs", "secret", "data"}
    return answered, len(all_routes()) * len(seeds) - answered


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_every_route_answers_a_good_question(server: AskedServer) -> None:
    told = {named(route): server.ask(server.good(route)) for route in all_routes()}
    refused = {name: (status, body[:200]) for name, (status, body) in told.items() if status != 200}
    # No job, and nothing in the trash, has the id that they ask for.
    assert {name for name in refused if not name.endswith("{id}") and "{id}/" not in name} <= ANSWERLESS, refused


@pytest.mark.slow
def test_absurd_questions_are_answered_or_refused(server: AskedServer) -> None:
    answered, refused = ask_absurdly(server, range(SHORT))
    assert answered > 0
    assert refused > answered


@pytest.mark.soak
def test_many_absurd_questions_are_answered_or_refused(server: AskedServer) -> None:
    answered, refused = ask_absurdly(server, range(SHORT, LONG))
    assert answered > 0
    assert refused > answered


def test_bodies_that_are_too_large_are_refused(server: AskedServer) -> None:
    body = b'{"data": "' + b"A" * MAX_BODY + b'"}'
    routes = [route for route in all_routes() if route.method != "GET"]
    found = {server.ask(Question(route.method, server.good(route).url, body))[0] for route in routes}
    assert found == {413}
