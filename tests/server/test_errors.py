"""Every error becomes one shape of answer, and nothing of an unexpected one leaves the server."""

from __future__ import annotations

import json
import logging

import msgspec
import pytest
from starlette.exceptions import HTTPException
from starlette.responses import Response

from stepscope.model.errors import BadInput, NotThere, Refused
from stepscope.server.errors import answer_error, error_response


def told(answer: Response) -> tuple[int, str]:
    body = json.loads(bytes(answer.body))
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message"}
    assert body["error"]["message"]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, body["error"]["code"]


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (NotThere("No such run.", "unknown_run"), (404, "unknown_run")),
        (BadInput("No such step.", "bad_step"), (400, "bad_step")),
        (Refused("Not now.", "busy"), (Refused("", "").status, "busy")),
        (msgspec.ValidationError("Expected `int`"), (400, "bad_request")),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), (400, "bad_request")),
        (HTTPException(404), (404, "not_there")),
        (HTTPException(405), (405, "wrong_method")),
        (HTTPException(413), (413, "refused")),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_status_and_code(problem: Exception, expected: tuple[int, str]) -> None:
    assert told(answer_error(problem)) == expected


def test_an_unexpected_error_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "stepscope.server"):
        answer = answer_error(ZeroDivisionError("secret"))
    assert told(answer) == (500, "our_mistake")
    assert b"secret" not in bytes(answer.body)
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ZeroDivisionError)


def test_headers_of_a_refusal_are_kept() -> None:
    assert answer_error(HTTPException(405, headers={"Allow": "GET"})).headers["allow"] == "GET"
    assert error_response(429, "slow_down", "Later.", {"retry-after": "3"}).headers["retry-after"] == "3"
