"""Perfetto's traces both ways, and Chrome's JSON (`trace_formats`): what is written is read back the same, by us and by Perfetto."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from formats.perfetto.span_profile import BASE, example
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.formats.format import Limits
from stepscope.formats.perfetto import FORMAT
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, TrackRole
from stepscope.queries.trace_export import ExportFormat, trace_pieces

HERE = Path(__file__).parent
Slice = tuple[str, str, int, int, int]


def slices(profile: Profile) -> Counter[Slice]:
    spans = profile.spans
    return Counter(
        (
            profile.tracks[spans.track[row]].name,
            profile.names[spans.name[row]],
            int(spans.start[row]) + profile.base_ns,
            int(spans.end[row]) + profile.base_ns,
            int(spans.kind[row]),
        )
        for row in range(len(spans))
    )


def exported(profile: Profile, format: ExportFormat, **window: int) -> bytes:
    return b"".join(trace_pieces(profile, format, **window))


def read_back(tmp_path: Path, profile: Profile, format: ExportFormat) -> Profile:
    path = tmp_path / "any name"
    path.write_bytes(exported(profile, format))
    (found,) = open_profile(str(path))
    return found


@pytest.mark.parametrize("format", ["pftrace", "json"])
def test_what_is_written_is_read_back_the_same(tmp_path: Path, format: ExportFormat) -> None:
    profile = example()
    found = read_back(tmp_path, profile, format)
    assert slices(found) == slices(profile)
    caused = [(found.names[found.spans.name[row]], found.names[found.spans.name[found.spans.cause[row]]])
              for row in range(len(found.spans)) if found.spans.cause[row] >= 0]  # fmt: skip
    assert caused == [("gemm<float, 3>", "launch")]
    assert [track.role for track in found.tracks if track.name == "stream 7"] == [TrackRole.STREAM]
    assert found.counters.value.tolist() == [1.5, 4096.0]


def test_the_json_is_valid_and_exact_to_the_nanosecond() -> None:
    document = json.loads(exported(example(), "json"))
    step = next(event for event in document["traceEvents"] if event["name"] == "step\n1")
    assert (step["ts"], step["dur"], document["baseTimeNanoseconds"]) == (0.0, 1.0, BASE)
    assert '"ts":0.150,"dur":0.010' in exported(example(), "json").decode()


@pytest.mark.parametrize("format", ["pftrace", "json"])
def test_a_window_holds_what_overlaps_it(tmp_path: Path, format: ExportFormat) -> None:
    path = tmp_path / "x"
    path.write_bytes(exported(example(), format, low=900, high=1000))
    (found,) = open_profile(str(path))
    assert {name for _, name, _, _, _ in slices(found)} == {"step\n1", "overlaps both", "ends with its parent", "Memcpy DtoH"}
    assert found.counters.value.tolist() == []


@pytest.mark.parametrize("format", ["pftrace", "json"])
def test_an_empty_window_is_still_a_file(format: ExportFormat) -> None:
    content = exported(example(), format, low=5000, high=6000)
    assert content
    if format == "json":
        assert all(event["ph"] == "M" for event in json.loads(content)["traceEvents"])


def test_cut_short_anywhere_it_is_a_part_or_one_sentence(tmp_path: Path) -> None:
    data = exported(example(), "pftrace")
    whole = len(example().spans)
    path = tmp_path / "x"
    for length in range(1, len(data), 3):
        path.write_bytes(data[:length])
        try:
            profile = FORMAT.read(str(path), Limits())
        except BadInput:
            continue
        assert len(profile.spans) <= whole


@pytest.mark.parametrize(
    "packet",
    [
        eb.integer(8, (1 << 64) - 1) + eb.message(11, eb.integer(9, 1), eb.integer(10, 1 << 40)),
        eb.integer(8, 5) + eb.message(11, eb.integer(9, 2)),
        eb.message(60, eb.integer(1, 3), eb.integer(5, 3)) + eb.integer(8, 5) + eb.message(11, eb.integer(9, 3), eb.integer(11, 3)),
        eb.message(6, eb.message(1, eb.integer(1, 64), eb.integer(2, (1 << 64) - 1), eb.integer(3, 1), eb.integer(4, (1 << 64) - 1)))
        + eb.message(59, eb.integer(58, 64)) + eb.integer(8, (1 << 64) - 1) + eb.message(11, eb.integer(9, 3)),
        eb.integer(8, 5) + eb.message(11, eb.integer(9, 4), eb.double(44, float("nan"))),
    ],
)  # fmt: skip
def test_hostile_packets_harm_nothing(tmp_path: Path, packet: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(eb.message(1, packet) + exported(example(), "pftrace"))
    profile = FORMAT.read(str(path), Limits())
    assert {"gemm<float, 3>", "aten::mm"} <= {name for _, name, _, _, _ in slices(profile)}


def test_limits_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(exported(example(), "pftrace"))
    profile = FORMAT.read(str(path), Limits(spans=3))
    assert len(profile.spans) == 3
    assert "dropped_events" in {note.code for note in profile.notes}


@pytest.mark.peers
def test_perfettos_own_messages(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    profile = example()
    (tmp_path / "ours.pftrace").write_bytes(exported(profile, "pftrace"))
    told = run_in_peers(HERE / "perfetto_messages.py", tmp_path)
    assert Counter(map(tuple, told["slices"])) == Counter({each[:4]: count for each, count in slices(profile).items()})
    assert told["open"] == 0
    assert told["flows"]["from"] == told["flows"]["to"] != []
    assert told["counters"] == [["memory", BASE + 10, 1.5], ["memory", BASE + 500, 4096.0]]
    (theirs,) = open_profile(str(tmp_path / "theirs.pftrace"))
    start = int(theirs.spans.start.min())
    times = {name: (begin - theirs.base_ns - start, end - theirs.base_ns - start) for _, name, begin, end, _ in slices(theirs)}
    assert times == {"outer": (0, 10_000), "inner": (2000, 5000), "now": (6000, 6000)}
    assert theirs.tracks[0].name == "worker"


@needs_samples
@pytest.mark.parametrize("format", ["pftrace", "json"])
def test_a_real_profile_survives_the_way(tmp_path: Path, format: ExportFormat) -> None:
    (path,) = (SAMPLES / "kineto" / "resnet50_workers0").iterdir()
    (profile,) = open_profile(str(path))
    found = read_back(tmp_path, profile, format)
    assert slices(found) == slices(profile)
    assert (found.spans.cause >= 0).sum() == (profile.spans.cause >= 0).sum()
