"""Asks a server of agents as the protocol does, without a process."""

from __future__ import annotations

import json
from typing import Any

from stepscope.agents.protocol import AgentServer


def ask(server: AgentServer, method: str, params: object = None) -> Any:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()
    answer = json.loads(server.answered(line) or b"null")
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    return answer


def call(server: AgentServer, name: str, **arguments: Any) -> Any:
    result = ask(server, "tools/call", {"name": name, "arguments": arguments})["result"]
    text = result["content"][0]["text"]
    return text if result["isError"] else json.loads(text)
