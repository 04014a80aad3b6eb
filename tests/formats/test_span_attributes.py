"""Attributes of a span come from the file it was read of, whichever format it has, and are bounded."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepscope.formats.open_profile import read_file
from stepscope.formats.span_attributes import LONGEST_TEXT, MOST_ATTRIBUTES, span_attributes
from stepscope.model.errors import NotThere
from stepscope.model.profile import Profile

CAPTURE = Path(__file__).parent / "xplane" / "captures" / "tensorflow.xplane.pb"


def trace(path: Path, *arguments: dict[str, Any]) -> Profile:
    """A trace with an operation for each."""
    events = [
        {"ph": "X", "cat": "cpu_op", "name": f"op{at}", "pid": 1, "tid": 1, "ts": 10 * at, "dur": 5, "args": each}
        for at, each in enumerate(arguments)
    ]
    text = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return read_file(str(path))


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_of_a_trace(name: str, tmp_path: Path) -> None:
    given = {"External id": 7, "Input Dims": [[2, 3], []], "None": None, "yes": True, "share": 0.5, "text": "ä"}
    profile = trace(tmp_path / name, {"other": 1}, given)
    assert span_attributes(profile, 1) == given | {"Input Dims": "[[2, 3], []]"}
    assert span_attributes(profile, 0) == {"other": 1}


def test_of_an_xspace_file() -> None:
    profile = read_file(str(CAPTURE))
    row = next(row for row in range(len(profile.spans)) if profile.spans.step[row] >= 0)
    assert span_attributes(profile, row)["step_num"] == profile.spans.step[row]


def test_what_json_would_round_or_refuse_is_text(tmp_path: Path) -> None:
    profile = trace(tmp_path / "t.json", {"address": 2**63, "least": -(2**53) + 1, "deep": {"a": [1]}, "nan": float("nan")})
    assert span_attributes(profile, 0) == {"address": str(2**63), "least": -(2**53) + 1, "deep": '{"a": [1]}', "nan": "nan"}


def test_long_and_many_attributes_are_cut(tmp_path: Path) -> None:
    profile = trace(tmp_path / "t.json", {"long": "x" * 50_000}, {f"a{at}": at for at in range(2_000)})
    assert span_attributes(profile, 0) == {"long": "x" * LONGEST_TEXT + "…"}
    assert list(span_attributes(profile, 1)) == [f"a{at}" for at in range(MOST_ATTRIBUTES)]


def test_a_format_without_attributes_and_a_span_without_source_have_none(tmp_path: Path) -> None:
    profile = trace(tmp_path / "t.json", {"a": 1})
    assert span_attributes(replace(profile, format="tfprof"), 0) == {}
    assert span_attributes(replace(profile, spans=replace(profile.spans, source=profile.spans.source * 0 - 1)), 0) == {}


@pytest.mark.parametrize("row", [-1, 1])
def test_a_row_that_is_not_there(row: int, tmp_path: Path) -> None:
    profile = trace(tmp_path / "t.json", {"a": 1})
    with pytest.raises(NotThere, match="it has 1, counted from 0"):
        span_attributes(profile, row)


@pytest.mark.parametrize("name", ["t.json", "x.xplane.pb"])
def test_a_file_that_is_gone(name: str, tmp_path: Path) -> None:
    profile = read_file(str(CAPTURE)) if name.endswith(".pb") else trace(tmp_path / name, {"a": 1})
    with pytest.raises(NotThere):
        span_attributes(replace(profile, path=str(tmp_path / "gone")), 0)


def test_deep_nesting_does_not_end_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    deep = "[" * 100_000 + "]" * 100_000
    event = '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {"deep": ' + deep + "}}"
    path.write_text('{"schemaVersion": 1, "traceEvents": [' + event + "]}")
    profile = read_file(str(path))
    for row in range(len(profile.spans)):
        assert len(str(span_attributes(profile, row))) < 2 * LONGEST_TEXT
