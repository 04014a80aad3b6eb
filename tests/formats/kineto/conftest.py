"""What the tests of traces share: writing a small trace and reading it back, and the real samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from formats.kineto.trace_events import Event, ReadEvents, ReadText
from sample_files import SAMPLES
from stepscope.formats.format import Limits
from stepscope.formats.kineto.read import read
from stepscope.model.profile import Profile


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
    """The folder of real traces; a test says by `needs` which of them it reads."""
    return SAMPLES / "kineto"
