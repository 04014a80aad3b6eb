"""tensorflow.ProfilerService, which TensorFlow and JAX answer: its methods and messages, without their protobuf classes."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

from stepscope._native import WIRE
from stepscope.model.errors import NeedsExtra
from stepscope.model.protobuf_fields import BadMessage, Field, fields
from stepscope.writer.message import Message

SERVICE = "tensorflow.ProfilerService"
PROFILE = f"/{SERVICE}/Profile"
MONITOR = f"/{SERVICE}/Monitor"
TOKEN_KEY = "authorization"  # noqa: S105 (the name of a header)
TOKEN_VARIABLE = "STEPSCOPE_CAPTURE_TOKEN"  # noqa: S105 (the name of a variable)
"""Where the terminal and the page's server take the token from that they send."""
LONGEST_MS = 3_600_000
LONGEST_MONITOR_MS = 60_000
ENDINGS = (".xplane.pb", ".pt.trace.json.gz", ".trace.json", ".memory.prof", ".host_memory.prof")
"""Files that an answer may bring; others are left out."""
_VERSION = 1
_REQUEST, _OPTIONS = WIRE["ProfileRequest"], WIRE["ProfileOptions"]
_ANSWER, _TOOL = WIRE["ProfileResponse"], WIRE["ProfileToolData"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be captured: how long, and in which detail."""

    duration_ms: int
    host_level: int = 2
    """0 nothing, 1 annotations of the program, 2 and expensive operations, 3 and cheap ones."""
    device_level: int = 1
    python_level: int = 0
    start_ns: int = 0
    """When all hosts begin, in nanoseconds since 1970; 0 is at once."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process has captured: files by their endings."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    is_empty: bool = False
    """Whether the process says that it recorded nothing."""


def encode_request(wanted: Wanted, session: str, host: str) -> bytes:
    """The request; the profile is to come back in the answer, and not to be written to the other side's disk."""
    options = (
        Message("ProfileOptions")
        .integer("include_dataset_ops", 1)
        .integer("host_tracer_level", wanted.host_level, always=True)
        .integer("device_tracer_level", wanted.device_level, always=True)
        .integer("python_tracer_level", wanted.python_level, always=True)
        .integer("version", _VERSION)
        .integer("enable_hlo_proto", 1)
        .integer("start_timestamp_ns", wanted.start_ns)
        .integer("duration_ms", wanted.duration_ms)
    )
    request = Message("ProfileRequest").integer("duration_ms", wanted.duration_ms).integer("max_events", 1_000_000)
    request = request.message("opts", options).text("session_id", session).text("host_name", host)
    return request.integer("emit_xspace", 1).encoded()


def decode_request(data: bytes) -> Wanted:
    """What another client asks for. Raises BadMessage."""
    found = {each.id: each for each in fields(data)}
    options = {each.id: each for each in fields(found[_REQUEST["opts"]].data)} if _REQUEST["opts"] in found else {}

    def number(name: str, otherwise: int) -> int:
        return options[_OPTIONS[name]].number if _OPTIONS[name] in options else otherwise

    duration = number("duration_ms", 0) or found.get(_REQUEST["duration_ms"], Field(0)).number
    if not 0 < duration <= LONGEST_MS:
        raise BadMessage(f"the duration is not between 1 and {LONGEST_MS} ms")
    return Wanted(
        duration,
        host_level=number("host_tracer_level", 2),
        python_level=number("python_tracer_level", 0),
        start_ns=number("start_timestamp_ns", 0),
    )


def encode_answer(answer: Answer) -> bytes:
    """The answer of a process; what is no XSpace goes as data of a tool, named by its ending."""
    message = Message("ProfileResponse").integer("empty_trace", int(answer.is_empty))
    for ending, data in answer.files.items():
        if ending == ENDINGS[0]:
            message = message.data("xspace", data)
        else:
            message = message.message("tool_data", Message("ProfileToolData").text("name", ending).data("data", data))
    return message.encoded()


def decode_answer(data: bytes) -> Answer:
    """The files of an answer. Raises BadMessage."""
    files: dict[str, bytes] = {}
    is_empty = False
    for each in fields(data):
        if each.id == _ANSWER["xspace"] and each.data:
            files[ENDINGS[0]] = each.data
        elif each.id == _ANSWER["empty_trace"]:
            is_empty = bool(each.number)
        elif each.id == _ANSWER["tool_data"]:
            parts = {part.id: part for part in fields(each.data)}
            name, content = parts.get(_TOOL["name"], Field(0)).text, parts.get(_TOOL["data"], Field(0)).data
            ending = next((known for known in ENDINGS if name.endswith(known)), None)
            if ending is not None and content:
                files[ending] = content
    return Answer(files, is_empty)


def encode_monitor_request(duration_ms: int) -> bytes:
    """Asks what a process does, over so long."""
    request = Message("MonitorRequest").integer("duration_ms", duration_ms)
    return request.integer("monitoring_level", 1).integer("timestamp", 1).encoded()


def decode_monitor_request(data: bytes) -> int:
    """Over how many milliseconds another client wants to know it. Raises BadMessage."""
    found = {each.id: each.number for each in fields(data)}
    duration = found.get(WIRE["MonitorRequest"]["duration_ms"], 0)
    if not 0 < duration <= LONGEST_MONITOR_MS:
        raise BadMessage(f"the duration is not between 1 and {LONGEST_MONITOR_MS} ms")
    return duration


def encode_monitor_answer(text: str) -> bytes:
    """What a process says of itself, as text: the service has no other form for it."""
    return Message("MonitorResponse").text("data", text).encoded()


def decode_monitor_answer(data: bytes) -> str:
    """The text. Raises BadMessage."""
    return next((each.text for each in fields(data) if each.id == WIRE["MonitorResponse"]["data"]), "")


def load_grpc() -> Any:  # noqa: ANN401 (a package that may be missing)
    """The package of gRPC. Raises NeedsExtra."""
    try:
        return importlib.import_module("grpc")
    except ModuleNotFoundError:
        raise NeedsExtra("Install gRPC to capture from another process: pip install 'stepscope[capture]'", "needs_capture") from None
