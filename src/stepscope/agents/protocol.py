"""The Model Context Protocol over standard input and output: one JSON message on each line, answered in their order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import IO, Any, cast

import msgspec

from stepscope import __version__
from stepscope.agents.tool import Tool
from stepscope.model.errors import StepscopeError
from stepscope.session.reads import Reads

log = logging.getLogger("stepscope.agents")

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of the protocol that are spoken, newest first."""
LONGEST_LINE = 1 << 20

_PARSE, _INVALID, _NO_METHOD, _BAD_PARAMETERS = -32700, -32600, -32601, -32602


class _Failed(Exception):
    """An error of the protocol, not of a tool."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class AgentServer:
    """Answers the messages of one agent. `refresh` looks for new data before a tool is called."""

    def __init__(self, tools: Sequence[Tool], reads: Reads, refresh: Callable[[], object] = lambda: None) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._reads = reads
        self._refresh = refresh

    def serve(self, lines: IO[bytes], answers: IO[bytes]) -> None:
        """Answers until the agent closes its side."""
        while line := lines.readline(LONGEST_LINE + 1):
            answer = self.answered(line)
            if answer is not None:
                answers.write(answer + b"\n")
                answers.flush()
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                return  # the rest of such a line is no message

    def answered(self, line: bytes) -> bytes | None:
        """The answer to one message; None for what wants none."""
        if not line.strip():
            return None
        message: Any = None
        try:
            message = _decoded(line)
            result = self._result(str(message["method"]), message.get("params"))
        except _Failed as problem:
            failed = {"code": problem.code, "message": str(problem)}
            return _encoded(message, "error", failed) if message is None or "id" in message else None
        return _encoded(message, "result", result) if "id" in message else None

    def _result(self, method: str, given: object) -> object:
        params = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        match method:
            case "initialize":
                asked = params.get("protocolVersion")
                return {
                    "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "stepscope", "version": __version__},
                    "instructions": "Read-only tools for training runs and profiles. Keys carry units; shares are from 0 to 1.",
                }
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [tool.described() for tool in self._tools.values()]}
            case "tools/call":
                return self._called(str(params.get("name")), params.get("arguments") or {})
            case _ if method.startswith("notifications/"):
                return {}
            case _:
                raise _Failed(_NO_METHOD, f"There is no method {method[:100]}.")

    def _called(self, name: str, given: object) -> object:
        """What a tool answers; its errors are answers too, so that the agent reads them."""
        tool = self._tools.get(name)
        if tool is None:
            raise _Failed(_BAD_PARAMETERS, f"There is no tool {name[:100]}; the tools are {', '.join(self._tools)}.")
        try:
            self._refresh()
            return _text(tool.call(self._reads, given), False)
        except StepscopeError as problem:
            return _text(problem.message, True)
        except msgspec.ValidationError as problem:
            return _text(f"The arguments are not valid: {problem}.", True)
        except Exception:
            log.exception("A tool failed")
            return _text("Stepscope failed to answer; see its standard error for the reason.", True)


def _text(text: str, failed: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _decoded(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise _Failed(_INVALID, f"A message can have at most {LONGEST_LINE:,} bytes.")
    try:
        message: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise _Failed(_PARSE, "This line is not JSON.") from None
    if not isinstance(message, dict) or not isinstance(cast("dict[str, Any]", message).get("method"), str):
        raise _Failed(_INVALID, "This is not a request.")
    return cast("dict[str, Any]", message)


def _encoded(message: dict[str, Any] | None, key: str, value: object) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": None if message is None else message.get("id"), key: value})
