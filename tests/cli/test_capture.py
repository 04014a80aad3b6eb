"""`stepscope capture` before it connects: addresses, durations, and the extra that it needs."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stepscope.capture.remote.client import Target, parse_targets
from stepscope.cli.capture import parse_duration
from stepscope.model.errors import BadInput

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("localhost:6009", [Target("localhost", 6009)]),
        ("a:1, b:2,a:1", [Target("a", 1), Target("b", 2)]),
        ("[::1]:6009", [Target("::1", 6009)]),
        ("grpc://host:80", [Target("host", 80)]),
    ],
)
def test_addresses(text: str, expected: list[Target]) -> None:
    assert parse_targets(text) == expected
    assert parse_targets(",".join(target.text for target in expected)) == expected


@pytest.mark.parametrize("text", ["", ",", "host", "host:", ":80", "host:0", "host:70000", "http://host:80", "a b:1", "u@h:1", "x:1/y"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(BadInput):
        parse_targets(text)


@pytest.mark.parametrize(("text", "ms"), [("2s", 2000), ("500ms", 500), ("1.5", 1500), ("2min", 120_000), ("60min", 3_600_000)])
def test_durations(text: str, ms: int) -> None:
    assert parse_duration(text) == ms


@pytest.mark.parametrize("text", ["", "0", "0s", "-1s", "2h", "61min", "fast", "nan"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(BadInput):
        parse_duration(text)


@pytest.mark.skipif(importlib.util.find_spec("grpc") is not None, reason="gRPC is installed")
def test_without_grpc_the_extra_is_named(verbs: Run, tmp_path: Path) -> None:
    said = verbs("capture", "localhost:1", "--to", tmp_path, check=False)
    assert said.returncode == 2
    assert "stepscope[capture]" in said.stderr
