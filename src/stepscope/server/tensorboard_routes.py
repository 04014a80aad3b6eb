"""TensorBoard's routes below /data, also below /experiment/ID as its page asks for them; errors are plain text there."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from stepscope.compat.all_routes import all_routes
from stepscope.compat.route import JSON, TEXT, Answer, CompatRoute, Pieces, Question
from stepscope.compat.served import Served, location_of
from stepscope.dashboards.context import Project
from stepscope.model.errors import StepscopeError
from stepscope.model.user import Role
from stepscope.server.dispatch import body_of
from stepscope.server.errors import log
from stepscope.server.form_fields import form_fields, is_form, text_fields
from stepscope.server.plugin_answers import PluginAnswers
from stepscope.server.who import Who, request_context

_GZIP_FROM = 1_400
_METHODS = ["GET", "HEAD", "POST"]
_TEXTS = (JSON, "text/")
# Bytes and texts come from logs: whatever they are, no browser runs them.
_HEADERS = {"cache-control": "no-store", "content-security-policy": "default-src 'none'; sandbox"}


def tensorboard_routes(
    project: Project, workers: Executor, who: Who, served: Served, plugins: PluginAnswers | None = None
) -> list[BaseRoute]:
    """The endpoints of all routes, those of plugins too."""
    answer = _endpoint(project, served, workers, who, plugins)
    paths = ("/data/{rest:path}", "/experiment/{experiment}/data/{rest:path}")
    return [Route(path, answer, methods=_METHODS) for path in paths]


def served_by(project: Project) -> Served:
    """What the routes answer from, in a project."""
    reads = project.reads
    location = location_of([(root.name, root.path) for root in project.roots])
    return Served(reads.views, reads.series, reads.blobs, reads.histograms, reads.embeddings, location, project.title)


def _endpoint(
    project: Project, served: Served, workers: Executor, who: Who, plugins: PluginAnswers | None
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            route = all_routes().get("/data/" + request.path_params["rest"].removesuffix("/"))
            if route is None and plugins is not None and plugins.is_asked(request.path_params["rest"]):
                request_context(request, project, who, Role.VIEWER)
                body = await body_of(request)
                return await asyncio.get_running_loop().run_in_executor(workers, plugins.answer, request, body)
            route = _found(request)
            request_context(request, project, who, route.role)
            question = await _question(request)
            zipped = "gzip" in request.headers.get("accept-encoding", "")
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(workers, lambda: _encoded(route.handler(served, question), zipped))
        except Exception as problem:  # noqa: BLE001  # every error becomes an answer, in one place
            return _error(problem)

    return answer


def _found(request: Request) -> CompatRoute:
    """The route of an address, with or without a slash at its end. Raises HTTPException."""
    route = all_routes().get("/data/" + request.path_params["rest"].removesuffix("/"))
    if route is None:
        raise HTTPException(404)
    if route.post_only and request.method != "POST":
        raise HTTPException(405, headers={"allow": "POST"})
    return route


async def _question(request: Request) -> Question:
    args = text_fields(request.url.query)
    if request.method != "POST":
        return Question(args)
    body = await body_of(request)
    kind = request.headers.get("content-type", "")
    return Question(args, form_fields(kind, body), b"", True) if is_form(kind) else Question(args, {}, body, True)


def _encoded(answer: Answer, zipped: bool) -> Response:
    """Runs in a worker thread: compression takes its time."""
    if isinstance(answer, Pieces):
        return StreamingResponse(iterate_in_threadpool(answer.pieces), 200, _HEADERS, answer.content_type)
    headers = _HEADERS | {"vary": "accept-encoding"}
    data = answer.data
    if zipped and len(data) >= _GZIP_FROM and answer.content_type.startswith(_TEXTS):
        data = gzip.compress(data, 1, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(data, 200, headers, answer.content_type)


def _error(problem: Exception) -> Response:
    match problem:
        case StepscopeError():
            return _sentence(problem.status, problem.message)
        case HTTPException(status_code=404):
            return _sentence(404, "Not found")
        case HTTPException():
            return _sentence(
                problem.status_code, "This address needs another method; see the Allow header.", dict(problem.headers or {})
            )
        case _:
            log.error("An answer to TensorBoard's API failed", exc_info=problem)
            return _sentence(500, "Stepscope failed to answer; see the server's terminal for the error.")


def _sentence(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return Response(message, status, _HEADERS | (headers or {}), TEXT)
