"""The ASGI application: all routes below /api/v1, TensorBoard's below /data, the page's and Perfetto's files, guards around all."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as Endpoint
from starlette.types import ASGIApp, Receive, Scope, Send

from stepscope.compat.logged import plugins_with_data
from stepscope.compat.plugins.host import PluginHost
from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
from stepscope.dashboards.capture_routes import CAPTURE_ROUTES
from stepscope.dashboards.context import Project
from stepscope.dashboards.folder_routes import FOLDER_ROUTES
from stepscope.dashboards.job_routes import JOB_ROUTES
from stepscope.dashboards.route import Route
from stepscope.dashboards.trash_routes import TRASH_ROUTES
from stepscope.model.user import Role
from stepscope.server.dispatch import endpoint, json_response
from stepscope.server.errors import answer_error, on_exception
from stepscope.server.guards import Guards
from stepscope.server.live import Live
from stepscope.server.openapi import openapi
from stepscope.server.page_files import PageFiles
from stepscope.server.perfetto_page import PLACE, PerfettoPage
from stepscope.server.plugin_answers import PluginAnswers, plugin_tabs
from stepscope.server.settings import Settings
from stepscope.server.tensorboard_routes import served_by, tensorboard_routes
from stepscope.server.who import Who, local_user, request_context

API = "/api/v1"


class Application:
    """The application and the parts of it that must be told to stop."""

    def __init__(self, project: Project, settings: Settings | None = None, who: Who = local_user) -> None:
        settings = settings or Settings()
        self.workers = ThreadPoolExecutor(min(8, (os.cpu_count() or 2) + 2), thread_name_prefix="stepscope-read")
        self._served = served_by(project)
        self._plugins: PluginAnswers | None = None
        if settings.plugins:
            host = PluginHost(self._served, _logdir(project), partial(_announce, project))
            project = replace(project, plugin_tabs=lambda: plugin_tabs(host, plugins_with_data(self._served)))
            self._plugins = PluginAnswers(host, settings)
            self._served = replace(self._served, hosted=host.listing)
            host.start()
        self.live = Live(project, self.workers)
        self._project = project
        self._who = who
        self.asgi: ASGIApp = Guards(self._starlette(settings), settings)

    def _starlette(self, settings: Settings) -> Starlette:
        routes: list[BaseRoute] = []
        for route in all_routes():
            answer = endpoint(route, self._project, self.workers, self._who)
            routes.append(Endpoint(API + route.path, answer, methods=[route.method]))
        routes += [Endpoint(API + path, _WrongMethod(allowed)) for path, allowed in _methods().items()]
        routes.append(Endpoint(f"{API}/openapi.json", _openapi(settings.path_prefix), methods=["GET"]))
        routes.append(Endpoint(f"{API}/live", _live(self.live, self._project, self._who), methods=["GET"]))
        routes.append(Endpoint(f"{API}/{{rest:path}}", _nothing_here))
        routes += tensorboard_routes(self._project, self.workers, self._who, self._served, self._plugins)
        perfetto = PerfettoPage(settings.perfetto_folder, settings.path_prefix, API)
        routes.append(Endpoint(f"{PLACE}{{path:path}}", _perfetto(perfetto, self.workers), methods=["GET"]))
        routes.append(Endpoint("/{path:path}", _page(PageFiles(settings.page_folder), self.workers), methods=["GET"]))
        prefix = settings.path_prefix
        if prefix:
            routes = [Endpoint(prefix, _redirect(f"{prefix}/"), methods=["GET"]), Mount(prefix, routes=routes)]
        handlers = {HTTPException: on_exception, Exception: on_exception}
        return Starlette(routes=routes, lifespan=self._lifespan, exception_handlers=handlers)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        self.live.start()
        try:
            yield
        finally:
            self.live.close()

    def close(self) -> None:
        """Lets the worker threads go; the application cannot answer afterwards."""
        self.workers.shutdown(wait=False, cancel_futures=True)
        self._project.jobs.close()


def _announce(project: Project) -> None:
    """Tells pages that the tabs have changed."""
    project.reads.library.publish(runs_changed=True)


def _logdir(project: Project) -> str:
    """The log folder as plugins get it: of several the names and paths, as TensorBoard has them."""
    return project.roots[0].path if len(project.roots) == 1 else served_by(project).location


def all_routes() -> tuple[Route, ...]:
    """Every declared route: those of the folder, of jobs, of the trash and of capturing, then those of the dashboards in tab order."""
    own = FOLDER_ROUTES + JOB_ROUTES + TRASH_ROUTES + CAPTURE_ROUTES
    return own + tuple(route for dashboard in ALL_DASHBOARDS for route in dashboard.routes)


class _WrongMethod:
    """The answer to a method that an address does not take; the page's catch-all would say that nothing is there."""

    def __init__(self, allowed: str) -> None:
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers 405."""
        await answer_error(HTTPException(405, headers={"allow": self._allowed}))(scope, receive, send)


def _methods() -> dict[str, str]:
    """The methods of each path, as the Allow header lists them."""
    found: dict[str, set[str]] = {}
    for route in all_routes():
        found.setdefault(route.path, set()).update({route.method} | ({"HEAD"} if route.method == "GET" else set[str]()))
    return {path: ", ".join(sorted(methods)) for path, methods in found.items()}


def _openapi(prefix: str) -> Callable[[Request], Awaitable[Response]]:
    made: list[bytes] = []

    async def answer(request: Request) -> Response:
        if not made:
            made.append(msgspec.json.encode(openapi(all_routes(), prefix + API)))
        return json_response(made[0], "gzip" in request.headers.get("accept-encoding", ""))

    return answer


def _live(live: Live, project: Project, who: Who) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        try:
            stream = live.stream(request_context(request, project, who, Role.VIEWER).user)
            first = await anext(stream)
        except Exception as problem:  # noqa: BLE001  # as everywhere, an error becomes an answer in one place
            return answer_error(problem)

        async def events() -> AsyncGenerator[bytes]:
            try:
                yield first
                async for event in stream:
                    yield event
            finally:
                await stream.aclose()

        # Proxies must not hold events back.
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(events(), 200, headers, "text/event-stream")

    return answer


def _page(files: PageFiles, workers: ThreadPoolExecutor) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            job = partial(files.answer, request.path_params["path"], request.headers)
            return await asyncio.get_running_loop().run_in_executor(workers, job)
        except Exception as problem:  # noqa: BLE001  # as everywhere, an error becomes an answer in one place
            return answer_error(problem)

    return answer


def _perfetto(page: PerfettoPage, workers: ThreadPoolExecutor) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            site = f"{request.url.scheme}://{request.url.netloc}"
            job = partial(page.answer, request.path_params["path"], site, request.headers)
            return await asyncio.get_running_loop().run_in_executor(workers, job)
        except Exception as problem:  # noqa: BLE001  # as everywhere, an error becomes an answer in one place
            return answer_error(problem)

    return answer


def _redirect(place: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        return RedirectResponse(place)

    return answer


async def _nothing_here(_: Request) -> Response:
    return answer_error(HTTPException(404))
