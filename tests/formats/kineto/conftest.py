"""What the tests of traces share: writing a small trace and reading it back, and the real samples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.formats.format import Limits
from stepscope.formats.kineto import read
from stepscope.model.profile import Profile, SpanKind

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "samples" / "kineto"

Event = dict[str, Any]
ReadEvents = Callable[..., Profile]
ReadText = Callable[[str | bytes], Profile]


def span(category: str, name: str, ts: float = 0, dur: float = 1, pid: Any = 1, tid: Any = 1, **arguments: Any) -> Event:
    """A complete event; underscores in the names of arguments are blanks."""
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": pid,
        "tid": tid,
        "ts": ts,
        "dur": dur,
        "args": {key.replace("_", " "): value for key, value in arguments.items()},
    }


def names_of(profile: Profile, kind: SpanKind) -> list[str]:
    """Names of all spans of a kind, in row order."""
    return [profile.names[name] for name, one in zip(profile.spans.name, profile.spans.kind, strict=True) if one == kind]


def kind_of(profile: Profile, name: str) -> SpanKind:
    """The kind of the only span of that name."""
    (row,) = [row for row, one in enumerate(profile.spans.name) if profile.names[one] == name]
    return SpanKind(profile.spans.kind[row])


def row_of(profile: Profile, name: str) -> int:
    """The row of the only span of that name."""
    (row,) = [row for row, one in enumerate(profile.spans.name) if profile.names[one] == name]
    return row


def codes(profile: Profile) -> list[str]:
    """What the reader had to say."""
    return [note.code for note in profile.notes]


@pytest.fixture
def read_text(tmp_path: Path) -> ReadText:
    """Reads a trace given as text or bytes."""

    def read_it(text: str | bytes) -> Profile:
        path = tmp_path / "some.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(str(path), Limits())

    return read_it


@pytest.fixture
def read_events(read_text: ReadText) -> ReadEvents:
    """Reads a trace of these events, with what else is given at its top level."""

    def read_it(events: list[Event], **top: Any) -> Profile:
        return read_text(json.dumps({"schemaVersion": 1, **top, "traceEvents": events}))

    return read_it


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real traces."""
    if not SAMPLES.is_dir():
        pytest.skip("the real traces of ../shared/samples are not there")
    return SAMPLES
