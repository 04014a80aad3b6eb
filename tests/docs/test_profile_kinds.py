"""The guide's examples of names have the kinds it says, and its notes are those the reader has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import xspace_bytes as xb
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.model.profile import SpanKind

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "profiles" / "tensorflow-and-jax.md").read_text()


def rows(title: str) -> list[tuple[str, list[str]]]:
    """The rows of the table with that second column."""
    body = PAGE.split(f"| {title} |", 1)[1].split("\n\n", 1)[0]
    return [(kind, re.findall(r"`([^`]+)`", names)) for kind, names in re.findall(r"^\| `(\w+)` \| (.+) \|$", body, re.MULTILINE)]


@pytest.mark.parametrize(
    ("title", "plane", "line"),
    [("Events of a thread", "/host:CPU", "python"), ("Events of a stream", "/device:GPU:0", "Stream #1")],
)
def test_names_become_what_the_guide_says(title: str, plane: str, line: str, tmp_path: Path) -> None:
    expected = {name: kind for kind, names in rows(title) for name in names}
    assert len(expected) > 8
    built = xb.Plane(plane)
    built.line(line, *(built.event(name, 0, 1000) for name in expected))
    profile = FORMAT.read(xb.write(tmp_path, xb.space(built)), Limits())
    found = {
        profile.names[name]: SpanKind(kind).name.lower() for name, kind in zip(profile.spans.name, profile.spans.kind, strict=True)
    }
    assert found == expected


def test_the_notes_are_those_of_the_reader() -> None:
    source = "".join((ROOT / "native" / "profile" / name).read_text() for name in ("xspace_notes.cpp", "span_bounds.cpp"))
    table = PAGE.split("| Note |", 1)[1].split("\n\n", 1)[0]
    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE))))
    written = set(re.findall(r'"(?:info|warning|error)",\s*"(\w+)"', source)) | set(re.findall(r'\? "(\w+)" : "(\w+)"', source)[0])
    assert listed == written
