"""Guards: other hosts, other origins and other paths get nothing, and a browser is told what it may do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from stepscope.server.app import all_routes
from stepscope.server.guards import host_name
from stepscope.server.settings import LOCAL_NAMES, Settings

MakeClient = Callable[..., TestClient]


@pytest.mark.parametrize("host", ["localhost", "localhost:6006", "LOCALHOST:1", "127.0.0.1:80", "[::1]:6006", "localhost."])
def test_its_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/folder", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:6006", "localhost.evil.example", "192.168.0.1", "127.0.0.2", "", "[::1]evil", "localhost:6006@evil"],
)
@pytest.mark.parametrize("path", ["/", "/api/v1/folder", "/api/v1/live"])
def test_dns_rebinding_fails(client: TestClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_host")


def test_a_name_can_be_allowed(make_client: MakeClient) -> None:
    client = make_client(Settings(hosts=LOCAL_NAMES | {"lab.example"}))
    assert client.get("/api/v1/folder", headers={"host": "lab.example"}).status_code == 200
    proxied = {"host": "localhost:6006", "origin": "https://lab.example"}
    assert client.post("/api/v1/reload", headers=proxied).status_code == 200
    assert client.get("/api/v1/folder", headers={"host": "10.0.0.1"}).status_code == 403


def test_on_all_interfaces_addresses_are_accepted_and_names_are_not(make_client: MakeClient) -> None:
    client = make_client(Settings(any_address=True))
    assert client.get("/api/v1/folder", headers={"host": "10.0.0.1:6006"}).status_code == 200
    assert client.get("/api/v1/folder", headers={"host": "[fe80::1]:6006"}).status_code == 200
    assert client.get("/api/v1/folder", headers={"host": "evil.example"}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:9999", "host": "localhost:6006"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://[::1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_cannot_change_anything(client: TestClient, headers: dict[str, str]) -> None:
    for method, path in (("POST", "/api/v1/reload"), ("PATCH", "/api/v1/runs/x"), ("DELETE", "/")):
        answer = client.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_origin")


@pytest.mark.parametrize("headers", [{}, {"origin": "http://localhost"}, {"sec-fetch-site": "same-origin"}])
def test_its_own_page_and_scripts_can(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/v1/reload", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/v1/folder", "/api/v1/nothing", "/assets/index-abc123.js"])
def test_every_answer_is_marked(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self'"
    assert "unsafe-eval" not in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_refusals_are_marked_too(client: TestClient) -> None:
    assert "content-security-policy" in client.get("/", headers={"host": "evil.example"}).headers


def test_every_route_declares_its_role() -> None:
    for route in all_routes():
        captures = (route.method, route.path) == ("POST", "/capture")
        changes = captures or route.method == "PATCH" or route.path == "/reload" or route.path.startswith("/trash/")
        expected = "EDITOR" if changes else "VIEWER"
        assert route.role.name == expected, route.path


@pytest.mark.parametrize(
    ("host", "name"),
    [("a:1", "a"), ("A.B.", "a.b"), ("[::1]:5", "[::1]"), ("a:b", ""), ("a:1:2", ""), ("[::1", ""), ("[::1]x", "")],
)
def test_names_in_host_headers(host: str, name: str) -> None:
    assert host_name(host) == name


def test_the_page_and_its_assets(client: TestClient) -> None:
    index = client.get("/")
    assert (index.text, index.headers["cache-control"]) == ("<!doctype html><title>page</title>", "no-cache")
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    asset = client.get("/assets/index-abc123.js")
    assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert asset.headers["content-encoding"] == "gzip"
    assert asset.headers["content-type"].startswith("text/javascript")
    assert asset.text.startswith("export const answer")
    assert client.get("/assets/index-abc123.js", headers={"accept-encoding": "identity"}).text == asset.text


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "/assets", "//etc/passwd"],
)
def test_no_path_leads_out_of_the_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "not for the web" not in answer.text


def test_a_rebuilt_page_is_served(client: TestClient, page_folder: Path) -> None:
    assert client.get("/").status_code == 200
    index = page_folder / "index.html"
    index.write_text("new")
    os.utime(index, (1, 1))
    assert client.get("/").text == "new"


def test_without_a_bundle_a_plain_page_says_what_to_do(make_client: MakeClient, tmp_path: Path) -> None:
    answer = make_client(Settings(page_folder=tmp_path / "none")).get("/")
    assert answer.status_code == 200
    assert "make page" in answer.text
    assert "<script" not in answer.text


def test_asking_for_headers_alone_starts_no_stream(client: TestClient) -> None:
    answer = client.head("/api/v1/live")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")


@pytest.mark.slow
def test_behind_a_prefix(make_client: MakeClient, page_folder: Path) -> None:
    client = make_client(Settings(path_prefix="/p/q", page_folder=page_folder))
    assert client.get("/p/q/api/v1/folder").status_code == 200
    assert client.get("/p/q/").text.startswith("<!doctype html>")
    moved = client.get("/p/q")
    assert (moved.status_code, moved.headers["location"]) == (307, "/p/q/")
    assert client.get("/api/v1/folder").status_code == 404
    assert "/p/q/api/v1/runs" in client.get("/p/q/api/v1/openapi.json").json()["paths"]
