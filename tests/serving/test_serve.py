"""stepscope.serve: a server beside the caller's own work, its address, and the proxy that an environment may name (serving)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import stepscope
from log_folder import LogFolder
from stepscope.model.errors import BadInput, Refused
from stepscope.serving import PROXY_VARIABLE, RunningServer, Serving, address, server_settings


def answer(url: str, host: str | None = None) -> object:
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    with urllib.request.urlopen(request, timeout=60) as found:
        return json.load(found)


def test_a_folder_is_served_and_its_address_returned(tmp_path: Path) -> None:
    LogFolder(tmp_path).write("a", {"loss": [1.0]})
    url = stepscope.serve(tmp_path, port=0, path_prefix="/board/", cache=False)
    try:
        assert isinstance(url, str)
        assert url.startswith("http://localhost:")
        assert url.endswith("/board/")
        assert answer(f"{url}data/logdir") == {"logdir": str(tmp_path)}
        with pytest.raises(BadInput):
            stepscope.serve(tmp_path, port=int(url.split(":")[2].split("/")[0]))
    finally:
        url.close()
    url.close()
    with pytest.raises(urllib.error.URLError):
        answer(f"{url}data/logdir")


def test_other_machines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        RunningServer([], Serving(host="0.0.0.0"))


@pytest.mark.parametrize(
    ("proxy", "url", "host"),
    [
        ("https://lab.example/user/me/proxy/%PORT%/", "https://lab.example/user/me/proxy/6007/", "lab.example"),
        ("https://6006-%PORT%.example.dev", "https://6006-6007.example.dev", "6006-6007.example.dev"),
        ("/user/me/proxy/%PORT%/", "/user/me/proxy/6007/", None),
        ("http://[", "http://[", None),
        ("", "http://localhost:6007/", None),
    ],
)
def test_a_proxy_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, proxy: str, url: str, host: str | None) -> None:
    plain = server_settings(Serving()).hosts
    monkeypatch.setenv(PROXY_VARIABLE, proxy)
    assert address(Serving(), 6007) == url
    assert server_settings(Serving(), 6007).hosts - plain == ({host} if host else set())
