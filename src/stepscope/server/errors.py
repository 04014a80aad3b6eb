"""The one place where an error becomes an HTTP answer: `{"error": {"code", "message"}}`."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Annotated

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from stepscope.model import declared as d
from stepscope.model.errors import StepscopeError

log = logging.getLogger("stepscope.server")


class ErrorBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong."""

    code: Annotated[str, d.text("A word for programs, such as `unknown_run`.")]
    message: Annotated[str, d.text("A sentence that says what to do.")]
    position: Annotated[int | None, d.number("Where in the given query the problem is; only there when known.", "character")] = None


class ErrorAnswer(msgspec.Struct, frozen=True):
    """The shape of every error."""

    error: Annotated[ErrorBody, d.nested("What went wrong.")]


def error_response(
    status: int, code: str, message: str, headers: dict[str, str] | None = None, position: int | None = None
) -> Response:
    """An answer in the one error shape."""
    body = msgspec.json.encode(ErrorAnswer(ErrorBody(code, message, position)))
    return Response(body, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


def answer_error(problem: BaseException) -> Response:
    """The answer for anything that was raised on the way."""
    match problem:
        case StepscopeError():
            return error_response(problem.status, problem.code, problem.message, position=problem.position)
        case msgspec.ValidationError() | msgspec.DecodeError() | UnicodeError():
            return error_response(400, "bad_request", f"The request is not valid: {problem}.")
        case HTTPException():
            return error_response(problem.status_code, *_words(problem.status_code), dict(problem.headers or {}))
        case _:
            log.error("An answer failed", exc_info=problem)
            return error_response(500, "our_mistake", "Stepscope failed to answer; see the server's terminal for the error.")


async def on_exception(_: Request, problem: Exception) -> Response:
    """The same, as Starlette calls it."""
    return answer_error(problem)


def _words(status: int) -> tuple[str, str]:
    if status == HTTPStatus.NOT_FOUND:
        return "not_there", "This address does not exist; see /api/v1/openapi.json."
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return "wrong_method", "This address needs another method; see the Allow header."
    return "refused", HTTPStatus(status).phrase + "."
