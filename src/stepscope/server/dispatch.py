"""From a route to an endpoint: find out who asks, decode the request, work in a thread, encode the answer."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, get_origin, get_type_hints

import msgspec
from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from stepscope.dashboards.context import Project
from stepscope.dashboards.frame import CONTENT_TYPE
from stepscope.dashboards.route import Answer, Download, Frame, Media, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model.errors import BadInput, TooMuch
from stepscope.server.errors import answer_error
from stepscope.server.who import Who, request_context

MAX_BODY = 8 << 20
"""Bytes of a request's body; 5,000 series of the longest usual names fit several times."""

_GZIP_FROM = 1_400
_NO_STORE = {"cache-control": "no-store"}
_SANDBOX = "default-src 'none'; sandbox"

Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(route: Route, project: Project, workers: Executor, who: Who) -> Endpoint:
    """The Starlette endpoint of a route. Work runs in `workers`, so that the event loop never waits for it."""

    async def answer(request: Request) -> Response:
        try:
            context = request_context(request, project, who, route.role)
            fields = await _fields(route, request)
            zipped = "gzip" in request.headers.get("accept-encoding", "")
            loop = asyncio.get_running_loop()
            known = request.headers.get("if-none-match", "")
            answer = await loop.run_in_executor(workers, route.handler, context, fields, dict(request.path_params))
            if isinstance(answer, Waiting):
                await _finished(answer.job, answer.seconds)
                return await loop.run_in_executor(workers, lambda: _encoded(answer.answer(), zipped, known))
            return await loop.run_in_executor(workers, _encoded, answer, zipped, known)
        except Exception as problem:  # noqa: BLE001  # every error becomes an answer, in one place
            return answer_error(problem)

    return answer


async def _fields(route: Route, request: Request) -> msgspec.Struct:
    if route.method == "GET":
        return query_fields(route.request, request)
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BadInput("The body must be JSON; send content-type: application/json.", "not_json")
    body = await body_of(request)
    try:
        return msgspec.json.decode(body or b"{}", type=route.request)
    except RecursionError:
        raise BadInput("The body is nested too deeply; send the fields that the route declares.", "too_deep") from None


def query_fields(kind: type[msgspec.Struct], request: Request) -> msgspec.Struct:
    """The query string as the struct; a field that is a list takes every value of a repeated name."""
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in request.query_params:
            values = request.query_params.getlist(field.encode_name)
            given[field.encode_name] = values if get_origin(hints[field.name]) is list else values[-1]
    return msgspec.convert(given, kind, strict=False)


async def body_of(request: Request) -> bytes:
    """The body of a request. Raises TooMuch."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise TooMuch(f"The body can be at most {MAX_BODY >> 20} MiB; ask for less at once.", "body_too_large")
        parts.append(part)
    return b"".join(parts)


async def _finished(job: Job[Any], seconds: float) -> None:
    """Waits until the job has finished, at most that long, without a thread."""
    loop = asyncio.get_running_loop()
    finished = asyncio.Event()

    def tell() -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(finished.set)

    leave = job.watch(tell)
    try:
        async with asyncio.timeout(seconds):
            await finished.wait()
    except TimeoutError:
        return
    finally:
        leave()


def _encoded(answer: Answer, zipped: bool, known: str) -> Response:
    """Runs in a worker thread: encoding and compression take their time too."""
    match answer:
        case Frame():
            return _tile_response(answer, known) if answer.tile else Response(answer.data, 200, _NO_STORE, CONTENT_TYPE)
        case Download():
            name = {"content-disposition": f'attachment; filename="{answer.file_name}"'}
            pieces = iterate_in_threadpool(answer.pieces)
            return StreamingResponse(pieces, 200, _NO_STORE | name, answer.content_type)
        case Media():
            return _media_response(answer, known)
        case _:
            return json_response(msgspec.json.encode(answer), zipped)


def _media_response(media: Media, known: str) -> Response:
    """Bytes that may be hostile: of one fixed type, in a sandbox, and saved rather than shown unless they are an image."""
    shown = media.content_type.startswith("image/")
    headers = {
        **_kept_by_the_browser(media.data, media.forever),
        "content-security-policy": _SANDBOX,
        "content-disposition": f'{"inline" if shown else "attachment"}; filename="{media.file_name}"',
        **{name: str(fact) for name, fact in msgspec.to_builtins(media.facts).items()},
    }
    if known == headers["etag"]:
        return Response(None, 304, headers)
    return Response(media.data, 200, headers, media.content_type)


def _tile_response(tile: Frame, known: str) -> Response:
    headers = _kept_by_the_browser(tile.data, tile.forever)
    if known == headers["etag"]:
        return Response(None, 304, headers)
    return Response(tile.data, 200, headers, CONTENT_TYPE)


def _kept_by_the_browser(data: bytes, forever: bool) -> dict[str, str]:
    """Headers with which a browser keeps the bytes, and asks again whether they changed unless they never do."""
    return {
        "etag": f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"',
        "cache-control": "private, max-age=31536000, immutable" if forever else "private, no-cache",
    }


def json_response(body: bytes, zipped: bool) -> Response:
    """JSON, compressed when that helps and the client can take it."""
    headers = _NO_STORE | {"vary": "accept-encoding"}
    if zipped and len(body) >= _GZIP_FROM:
        body = gzip.compress(body, 1, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(body, 200, headers, "application/json")
