"""What `trace_export` writes for speedscope (`speedscope_export`): files of its schema whose frames are the spans, exactly."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import jsonschema_rs
import msgspec
import numpy as np
import pytest
from msgspec import Struct, field

from formats.perfetto.span_profile import example
from stepscope._native import ProfileBuilder
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.profile import Profile, SpanKind, TrackRole
from stepscope.queries.trace_export import trace_pieces


class Event(Struct, forbid_unknown_fields=True):
    type: Literal["O", "C"]
    frame: int
    at: int


class Evented(Struct, forbid_unknown_fields=True):
    type: Literal["evented"]
    name: str
    unit: Literal["nanoseconds"]
    startValue: int  # noqa: N815
    endValue: int  # noqa: N815
    events: list[Event]


class Frame(Struct, forbid_unknown_fields=True):
    name: str


class Shared(Struct, forbid_unknown_fields=True):
    frames: list[Frame]


class File(Struct, forbid_unknown_fields=True):
    """The evented half of https://www.speedscope.app/file-format-schema.json, as strict as that."""

    schema: Literal["https://www.speedscope.app/file-format-schema.json"] = field(name="$schema")
    exporter: str
    profiles: list[Evented]
    shared: Shared


Span = tuple[str, str, int, int]

SCHEMA = Path(__file__).resolve().parents[2] / "node_modules" / "speedscope" / "dist" / "release" / "file-format-schema.json"


def written(profile: Profile, low: int | None = None, high: int | None = None) -> File:
    return msgspec.json.decode(b"".join(trace_pieces(profile, "speedscope", low, high)), type=File)


def spans_of(file: File) -> Counter[Span]:
    """Every frame as its profile, name, start and end; fails where frames are not closed in the order that speedscope asks for."""
    found: Counter[Span] = Counter()
    for profile in file.profiles:
        opened: list[Event] = []
        assert [event.at for event in profile.events] == sorted(event.at for event in profile.events)
        for event in profile.events:
            assert profile.startValue <= event.at <= profile.endValue
            if event.type == "O":
                opened.append(event)
                continue
            start = opened.pop()
            assert start.frame == event.frame
            found[profile.name, file.shared.frames[event.frame].name, start.at, event.at] += 1
        assert opened == []
    return found


@pytest.fixture(scope="module")
def schema() -> jsonschema_rs.Draft7Validator:
    """Speedscope's own, from its package."""
    if not SCHEMA.exists():
        if os.environ.get("CI") == "true":
            pytest.fail("The npm package speedscope is missing, and with CI=true that is a failure.")
        pytest.skip("needs the packages of the page: `npm ci` installs them")
    return jsonschema_rs.Draft7Validator(msgspec.json.decode(SCHEMA.read_bytes()))


@pytest.mark.parametrize("window", [(None, None), (900, 1000), (5000, 6000)])
def test_speedscopes_schema_accepts_it(schema: jsonschema_rs.Draft7Validator, window: tuple[int | None, int | None]) -> None:
    file: dict[str, Any] = msgspec.json.decode(b"".join(trace_pieces(example(), "speedscope", *window)))
    assert [error.message for error in schema.iter_errors(file)] == []
    assert not schema.is_valid({**file, "shared": {}}), "it would complain"
    assert all(not schema.is_valid({**file, "profiles": [{**each, "unit": "weeks"}]}) for each in file["profiles"])


def test_the_frames_are_the_spans() -> None:
    assert spans_of(written(example())) == {
        ('python / main "thread"', "step\n1", 0, 1000): 1,
        ('python / main "thread"', "aten::mm", 100, 600): 1,
        ('python / main "thread"', "launch", 150, 160): 1,
        ('python / main "thread" (overlapping 1)', "overlaps both", 300, 1200): 1,
        ('python / main "thread"', "instant", 600, 600): 1,
        ('python / main "thread"', "ends with its parent", 600, 1000): 1,
        ("GPU 0 / stream 7", "gemm<float, 3>", 700, 900): 1,
        ("GPU 0 / stream 7", "Memcpy DtoH", 900, 950): 1,
    }


def test_a_window_has_the_spans_that_overlap_it_and_their_names_alone() -> None:
    file = written(example(), 900, 1000)
    assert {name for _, name, _, _ in spans_of(file)} == {"step\n1", "overlaps both", "ends with its parent", "Memcpy DtoH"}
    assert len(file.shared.frames) == 4
    assert {profile.endValue for profile in file.profiles} == {1200}, "all profiles have one time axis"


def test_an_empty_window_is_still_a_file() -> None:
    file = written(example(), 5000, 6000)
    assert (file.profiles, file.shared.frames) == ([], [])


def test_any_overlap_is_dealt_out_to_profiles_that_nest() -> None:
    chance = np.random.default_rng(4)
    builder = ProfileBuilder()
    track = builder.add_track("t", TrackRole.THREAD)
    wanted: Counter[tuple[str, int]] = Counter()
    starts = np.sort(chance.integers(0, 400, 300))
    for start, length in zip(starts.tolist(), chance.integers(0, 60, 300).tolist(), strict=True):
        builder.add_span(track, start, start + length, f"n{length % 7}", SpanKind.OTHER)
        wanted[f"n{length % 7}", length] += 1
    file = written(profile_from_columns(builder.finish(), format="test", path="x"))
    found: Counter[tuple[str, int]] = Counter()
    for (_, name, start, end), count in spans_of(file).items():
        found[name, end - start] += count
    assert found == wanted
    assert len(file.profiles) > 1


@pytest.mark.parametrize("name", ["", "\x00\x1f", 'a"\\b', "\u2028日本", "n" * 1_000_000])
def test_any_name_survives(name: str) -> None:
    profile = example()
    renamed = replace(profile, names=[name, *profile.names[1:]])
    assert name in {frame.name for frame in written(renamed).shared.frames}
