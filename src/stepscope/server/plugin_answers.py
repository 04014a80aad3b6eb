"""Answers for TensorBoard's plugins: the page in a plugin's frame, and the plugin's own routes, each with the frame's policy."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from stepscope.compat.plugins import frame
from stepscope.compat.plugins.host import HostedPlugin, PluginHost
from stepscope.compat.plugins.wsgi import Asked, ask
from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
from stepscope.dashboards.context import PluginTab
from stepscope.model.errors import NotThere, StepscopeError
from stepscope.server.errors import log
from stepscope.server.settings import Settings

_PLUGIN = "plugin/"
_DROPPED = frozenset({"content-security-policy", "content-length", "connection", "transfer-encoding", "set-cookie", "server", "date"})
_OWN_TABS = frozenset({*(dashboard.id for dashboard in ALL_DASHBOARDS), "media", "table", "run", "compare"})


class PluginAnswers:
    """What is asked below /data and is none of TensorBoard's own routes. Its methods run in worker threads."""

    def __init__(self, host: PluginHost, settings: Settings) -> None:
        self._host = host
        self._settings = settings

    def is_asked(self, rest: str) -> bool:
        """Whether an address below /data is a plugin's, or the page of one."""
        return rest.startswith(_PLUGIN) or f"/data/{rest}" == frame.PATH

    def answer(self, request: Request, body: bytes) -> Response:
        """The answer. Raises StepscopeError."""
        rest = str(request.path_params["rest"])
        if f"/data/{rest}" == frame.PATH:
            return self._frame(request, self._plugin(request.query_params.get("name", "")))
        name, _, route = rest.removeprefix(_PLUGIN).partition("/")
        plugin = self._plugin(name)
        app = plugin.app_at(f"/{route}") or plugin.app_at(f"/{route.removesuffix('/')}")
        if app is None:
            raise NotThere(f"The plugin {name} has no route /{route}.", "unknown_route")
        asked = Asked(
            method=request.method,
            path=f"/data/{rest}",
            query=request.url.query,
            headers=request.headers,
            body=body,
            prefix=self._settings.path_prefix,
            experiment=str(request.path_params.get("experiment", "")),
            scheme=request.url.scheme,
            host=request.url.netloc,
            client=request.client.host if request.client else "",
        )
        try:
            answered = ask(app, asked)
        except StepscopeError:
            raise
        except Exception as problem:  # noqa: BLE001  # a plugin that fails must not take anything with it
            log.error("The plugin %s failed to answer %s", name, rest, exc_info=problem)
            return Response(f"The plugin {name} failed: {problem}", 500, self._headers(request, None), "text/plain")
        headers = self._headers(request, None)
        response = Response(answered.body, answered.status, headers)
        for key, value in answered.headers:
            if key.lower() not in _DROPPED:
                response.headers[key] = value
        return response

    def _frame(self, request: Request, plugin: HostedPlugin) -> Response:
        if not plugin.module_path:
            raise NotThere(f"The plugin {plugin.name} has no page.", "no_page")
        return Response(frame.frame_page(plugin), 200, self._headers(request, plugin), "text/html")

    def _headers(self, request: Request, plugin: HostedPlugin | None) -> dict[str, str]:
        site = f"{request.url.scheme}://{request.url.netloc}"
        policy = frame.frame_policy(site, self._settings.path_prefix, self._settings.plugin_hosts, plugin)
        return {"content-security-policy": policy, "cache-control": "no-store"}

    def _plugin(self, name: str) -> HostedPlugin:
        found = self._host.plugin(name)
        if found is None or found.problem:
            raise NotThere(
                f"There is no plugin {name!r}." if found is None else f"The plugin {name} failed: {found.problem}", "unknown_plugin"
            )
        return found


def plugin_tabs(host: PluginHost, with_data: set[str]) -> Sequence[PluginTab]:
    """A tab for each plugin that has a page or failed; one whose name is that of another tab has another id."""
    return [
        PluginTab(
            id=plugin.name.lower() if plugin.name.lower() not in _OWN_TABS else f"tb-{plugin.name.lower()}",
            label=plugin.tab,
            has_data=plugin.is_active(with_data),
            name=plugin.name,
            problem=plugin.problem,
        )
        for plugin in host.loaded.values()
        if plugin.module_path or plugin.problem
    ]
