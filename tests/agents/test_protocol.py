"""The protocol line by line: versions, errors, hostile messages, and answers that are too long."""

from __future__ import annotations

import io
import json

import pytest

from agents.asking import ask, call
from dashboards.profile_server import ProfileServer
from stepscope.agents import protocol, tool
from stepscope.agents.protocol import LONGEST_LINE, VERSIONS, AgentServer


@pytest.mark.parametrize(("asked", "spoken"), [(VERSIONS[-1], VERSIONS[-1]), ("1999-01-01", VERSIONS[0]), (None, VERSIONS[0])])
def test_a_version_is_agreed_on(server: AgentServer, asked: str | None, spoken: str) -> None:
    assert ask(server, "initialize", {"protocolVersion": asked})["result"]["protocolVersion"] == spoken


def test_tools_declare_their_arguments_and_read_only(server: AgentServer) -> None:
    listed = ask(server, "tools/list")["result"]["tools"]
    assert all(each["annotations"]["readOnlyHint"] and each["inputSchema"]["type"] == "object" for each in listed)
    series = next(each for each in listed if each["name"] == "series")
    assert series["inputSchema"]["required"] == ["runs", "tag"]
    assert series["inputSchema"]["properties"]["points"]["maximum"] == 1_000


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b'"x"', -32600),
        (b"{}", -32600),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b" " * LONGEST_LINE + b"{}", -32600),
        (b'{"id": 1, "method": "resources/list"}', -32601),
        (b'{"id": 1, "method": "tools/call", "params": {"name": "rm"}}', -32602),
        (b'{"id": 1, "method": "tools/call", "params": [1]}', -32602),
    ],
)
def test_what_is_no_request_is_an_error_of_the_protocol(server: AgentServer, line: bytes, code: int) -> None:
    assert json.loads(server.answered(line) or b"null")["error"]["code"] == code


def test_notifications_and_empty_lines_have_no_answer(server: AgentServer) -> None:
    for line in (b"\n", b'{"method": "notifications/initialized"}', b'{"method": "nosuch"}'):
        assert server.answered(line) is None


def test_messages_are_answered_line_by_line(server: AgentServer) -> None:
    answers = io.BytesIO()
    server.serve(io.BytesIO(b'{"id": 1, "method": "ping"}\n{"id": "b", "method": "ping"}\n'), answers)
    assert [json.loads(line)["id"] for line in answers.getvalue().splitlines()] == [1, "b"]


def test_new_data_is_seen(server: AgentServer, profiles: ProfileServer) -> None:
    profiles.folder.write("c", {"loss": [1.0]})
    assert call(server, "runs", contains="c")["total"] == 1


def test_wrong_arguments_and_failures_are_answers(server: AgentServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ({"limit": 0}, {"limit": "many"}, {"nosuch": 1}):
        assert isinstance(call(server, "runs", **wrong), str)
    monkeypatch.setattr(tool, "LONGEST", 10)
    assert "10" in call(server, "runs")

    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(protocol.Tool, "call", fail)
    assert "secret" not in call(server, "runs")
