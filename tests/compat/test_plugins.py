"""TensorBoard's plugins inside Stepscope: their routes beside TensorBoard's, hosts, frames, WSGI, and what fails."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest
from starlette.testclient import TestClient

from browser.sample_profiles import write_trace
from log_folder import LogFolder
from sample_files import SAMPLES, needs
from stepscope.cli.serve import parse_plugin_hosts
from stepscope.compat.plugins.frame import frame_page, frame_policy
from stepscope.compat.plugins.host import HostedPlugin, PluginHost
from stepscope.compat.plugins.provider import data_provider
from stepscope.compat.plugins.wsgi import EXPERIMENT, Asked, ask
from stepscope.model.errors import BadInput, NeedsExtra
from stepscope.server.plugin_answers import plugin_tabs
from stepscope.server.settings import Settings

HERE = Path(__file__).parent


@pytest.mark.peers
@pytest.mark.slow
@needs("xplane/synthetic_cuda")
def test_plugins_answer_as_under_tensorboard(logs: Path, tmp_path: Path, run_in_plugins: Callable[..., Any]) -> None:
    shutil.copytree(logs / "all", tmp_path / "logs")
    write_trace(tmp_path / "logs" / "traced", steps=6)
    shutil.copytree(SAMPLES / "xplane" / "synthetic_cuda" / "plugins", tmp_path / "logs" / "torch" / "plugins")
    found = run_in_plugins(HERE / "plugins_beside_tensorboard.py", tmp_path / "logs")
    assert found["different"] == {}
    assert min(found["answered"].values()) > 2, found["answered"]
    assert set(found["answered"]) == {"tensorboard_plugin_customizable_plots", "greeting", "pytorch_profiler", "profile"}
    assert found["failed"] == {"broken/x": 404, "greeting/fail": 500, "nothing/x": 404}
    assert found["tabs"]["greeting"] == ["Greetings", True, False]
    assert found["tabs"]["broken"] == ["broken", False, True]
    assert found["tabs"]["tb-profile"][2] is False
    assert (found["posted"], found["entry"]) == ("some words", 200)


def test_without_tensorboard_each_plugin_says_what_to_install(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    folder.write("a", {"loss": [1.0]})
    client = serve(folder, Settings(plugins=True))
    assert client.get("/data/plugin_entry.html?name=none").status_code == 404
    assert client.get("/data/plugin/none/x").status_code == 404
    entry = EntryPoint("mine", "no_such_module:Plugin", "tensorboard_plugins")
    told: list[bool] = []
    host = PluginHost(None, "", lambda: told.append(True), found=[entry])  # pyright: ignore[reportArgumentType]
    assert host.loaded == {}
    host.load()
    assert "stepscope[plugins]" in host.loaded["mine"].problem
    assert (told, host.plugin("other")) == ([True], None)


def test_a_route_is_found_by_itself_or_by_the_longest_folder() -> None:
    apps: dict[str, Any] = {"/a": 1, "/static/*": 2, "/static/deep/*": 3}
    plugin = HostedPlugin("mine", "Mine", "mine", "/static/index.js", apps)
    found = [plugin.app_at(route) for route in ("/a", "/static/x", "/static/deep/x/y", "/static", "/none", "/")]
    assert found == [1, 2, 3, None, None, None]


def test_a_wsgi_application_gets_the_request_and_no_cookies() -> None:
    seen: dict[str, Any] = {}
    closed: list[bool] = []

    class Parts:
        def __iter__(self) -> Any:
            return iter([b"a", b"b"])

        def close(self) -> None:
            closed.append(True)

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        seen.update(environ, read=environ["wsgi.input"].read())
        start("201 Created", [("Content-Type", "text/plain")])
        return Parts()

    headers = {"cookie": "secret", "authorization": "secret", "content-type": "text/x", "accept-encoding": "gzip"}
    answered = ask(app, Asked("POST", "/data/plugin/mine/ü", "a=1", headers, b"body", "/board", "exp", "https", "lab:8080", "10.0.0.1"))
    assert (answered.status, answered.headers, answered.body, closed) == (201, [("Content-Type", "text/plain")], b"ab", [True])
    assert seen["PATH_INFO"].encode("latin-1").decode() == "/data/plugin/mine/ü"
    assert (seen["SCRIPT_NAME"], seen["QUERY_STRING"], seen["read"], seen[EXPERIMENT]) == (
        "/board/experiment/exp",
        "a=1",
        b"body",
        "exp",
    )
    assert (seen["SERVER_NAME"], seen["SERVER_PORT"], seen["wsgi.url_scheme"]) == ("lab", "8080", "https")
    assert "secret" not in seen.values()


def test_a_frame_may_load_from_this_server_alone_unless_hosts_are_allowed() -> None:
    plugin = HostedPlugin("mine", "Mine", "mine", "/static/</script>.js")
    assert frame_page(plugin).count("</script>") == 1
    policy = dict(part.split(" ", 1) for part in frame_policy("http://h:1", "/p", (), plugin).split("; "))
    own = "http://h:1/p/data/ http://h:1/p/experiment/"
    assert policy["connect-src"] == f"{own} data: blob:"
    assert policy["default-src"] == "'none'"
    assert "'unsafe-inline'" not in policy["script-src"]
    allowed = frame_policy("http://h:1", "", ("https://www.gstatic.com",))
    assert allowed.count("https://www.gstatic.com") == 6


@pytest.mark.parametrize("host", ["gstatic.com", "https://a.b/path", "https://a b", "javascript://x", "https://x;script-src *"])
def test_what_is_no_host_is_refused(host: str) -> None:
    assert parse_plugin_hosts(["https://www.gstatic.com", "http://*.lab:80"]) == ("https://www.gstatic.com", "http://*.lab:80")
    with pytest.raises(BadInput):
        parse_plugin_hosts([host])


def test_the_data_of_plugins_needs_their_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(NeedsExtra):
        data_provider(None)  # pyright: ignore[reportArgumentType]


def test_a_plugin_has_a_tab_when_it_has_a_page_or_failed_and_never_that_of_a_dashboard() -> None:
    class Active:
        def data_plugin_names(self) -> tuple[str, ...]:
            return ("scalars",)

        def is_active(self) -> bool:
            raise RuntimeError

    class Loaded:
        loaded: ClassVar = {
            plugin.name: plugin
            for plugin in (
                HostedPlugin("profile", "Their profile", "x", "/index.js", instance=Active()),
                HostedPlugin("Mine", "Mine", "x", "/index.js", instance=Active()),
                HostedPlugin("routes_only", "None", "x"),
                HostedPlugin("bad", "bad", "x", problem="ImportError: no"),
            )
        }

    host: Any = Loaded()
    assert [(tab.id, tab.name, tab.has_data, tab.problem) for tab in plugin_tabs(host, {"scalars"})] == [
        ("tb-profile", "profile", True, ""),
        ("mine", "Mine", True, ""),
        ("bad", "bad", False, "ImportError: no"),
    ]
    # One that cannot say whether it is active is shown, so that its error is.
    assert plugin_tabs(host, set())[0].has_data
