"""Empty, cut, foreign and hostile files: one clear sentence, or what can still be read and a note."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

import event_bytes as eb
import xspace_bytes as xb
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.formats.xplane.read import read_arguments
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.model.profile import Profile

CAPTURE = Path(__file__).parent / "captures" / "tensorflow.xplane.pb"
US = 1_000_000


def read(folder: Path, content: bytes, limits: Limits | None = None) -> Profile:
    return FORMAT.read(xb.write(folder, content), limits or Limits())


def small(name: str = "work", **stats: xb.StatValue) -> xb.Plane:
    plane = xb.Plane("/host:CPU")
    return plane.line("python", plane.event(name, 0, US, **stats))


def codes(profile: Profile) -> list[str]:
    return [note.code for note in profile.notes]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty: profilers write an empty file when a capture is larger than 2 GB"),
        (b"\x00" * 100, "XSpace"),
        (b"hello, this is no profile", "XSpace"),
        (b"\xff" * 40, "XSpace"),
        (eb.message(4, b"host"), "no planes"),
    ],
    ids=["empty", "zeros", "text", "ones", "only a host"],
)
def test_what_is_no_profile_is_refused_in_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence) as problem:
        read(tmp_path, content)
    assert str(tmp_path) in problem.value.message
    assert problem.value.message.endswith(".")


def test_a_length_of_two_gigabytes_is_no_promise(tmp_path: Path) -> None:
    profile = read(tmp_path, xb.space(small()) + b"\x0a" + eb.varint(2**31) + b"\x12\x04/hos")
    assert codes(profile) == ["truncated"]
    assert len(profile.spans) == 1


def test_a_file_that_was_cut_gives_what_is_left(tmp_path: Path) -> None:
    content = CAPTURE.read_bytes()
    whole = FORMAT.read(str(CAPTURE), Limits())
    kept: list[int] = []
    for size in range(0, len(content), 97):
        try:
            profile = read(tmp_path, content[:size])
        except BadInput:
            continue
        assert "truncated" in codes(profile)
        kept.append(len(profile.tracks))
    assert kept[0] == 0
    assert kept[-1] == len(whole.tracks)
    almost = read(tmp_path, content[:-1])  # the host's name comes last and is all that is lost
    assert almost.spans.start.tolist() == whole.spans.start.tolist()
    assert " 3 lines " in read(tmp_path, content[: len(content) // 2]).notes[0].text


def test_damage_inside_a_line_costs_the_event(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line(
        "python",
        plane.event("one", 0, US),
        b"\x08\xff",
        plane.event("two", 2 * US, US),
        plane.event("three", 4 * US, US) + b"\x22\x01\x12",
    )
    profile = read(tmp_path, xb.space(plane))
    assert [profile.names[name] for name in profile.spans.name] == ["one", "two"]
    assert (profile.notes[0].code, profile.notes[0].text.split()[0]) == ("dropped_events", "2")


def test_events_without_a_name_and_stats_without_metadata(tmp_path: Path) -> None:
    line = eb.integer(1, 1) + eb.message(4, eb.integer(1, 99) + eb.integer(3, US) + eb.message(4, eb.integer(1, 77) + eb.integer(7, 5)))
    profile = read(tmp_path, eb.message(1, eb.message(2, b"/host:CPU") + eb.message(3, line)))
    assert profile.names[profile.spans.name[0]] == "(unnamed event)"
    assert read_arguments(profile.path, int(profile.spans.source[0])) == {"stat 77": ""}


def test_ids_may_be_any_number(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    plane.events = {"far": 2**62, "back": -7}
    plane.stats = {"step_num": -3}
    plane.line("python", plane.event("far", 0, US, step_num=4), plane.event("back", 2 * US, US), id=-(2**63))
    profile = read(tmp_path, xb.space(plane))
    assert [profile.names[name] for name in profile.spans.name] == ["far", "back"]
    assert profile.markers.number.tolist() == [4]
    assert profile.tracks[0].number == -(2**63)


def test_times_beyond_all_bounds_are_left_out_and_counted(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line("a", plane.event("x", 2**63 - 1, 2**63 - 1), plane.event("y", -(2**63), 5), timestamp_ns=2**56)
    plane.line("b", plane.event("z", 0, -5), timestamp_ns=-(2**63))
    plane.line("c", plane.event("v", 0, 5000), plane.event("w", 10_000, 5000), plane.event("u", 20_000, 5000))
    for start in (0, 2**62):
        profile = read(tmp_path, xb.space(plane, xb.Plane("Task Environment").set(profile_start_time=start)))
        assert [profile.names[name] for name in profile.spans.name] == ["v", "w", "u"]
        assert (profile.spans.end - profile.spans.start).tolist() == [5, 5, 5]
        assert [note.text.split()[0] for note in profile.notes if note.code == "far_times"] == ["3"]
        assert profile.base_ns == 0


def test_times_of_the_calendar_become_times_since_the_start(tmp_path: Path) -> None:
    now = 1_700_000_000_000_000_000
    plane = xb.Plane("/host:CPU")
    plane.line("python", plane.event("x", 5000, 2000), timestamp_ns=now + 10)
    profile = read(tmp_path, xb.space(plane))
    assert (profile.base_ns, profile.spans.start.tolist()) == (now + 10, [5])
    profile = read(tmp_path, xb.space(plane, xb.Plane("Task Environment").set(profile_start_time=now)))
    assert (profile.base_ns, profile.spans.start.tolist()) == (now, [15])


def test_ends_are_rounded_not_durations(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line("python", plane.event("outer", 1400, 1200), plane.event("inner", 1600, 1000))
    spans = read(tmp_path, xb.space(plane)).spans
    assert list(zip(spans.start.tolist(), spans.end.tolist(), strict=True)) == [(1, 3), (2, 3)]
    assert spans.parent.tolist() == [-1, 0]


def test_events_that_are_only_counted(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line("python", plane.counted("often", 1000, 5 * US), plane.event("once", 0, US))
    profile = read(tmp_path, xb.space(plane))
    assert len(profile.spans) == 1
    aggregates = profile.aggregates
    assert [profile.names[name] for name in aggregates.name] == ["often"]
    assert (aggregates.occurrences.tolist(), aggregates.total_ns.tolist(), aggregates.track.tolist()) == ([1000], [5000], [0])


def test_what_the_capture_reported_becomes_notes(tmp_path: Path) -> None:
    content = xb.space(small(), errors=("CUPTI failed",), warnings=("clock jumped", "6300000 events were dropped"))
    notes = [(note.level, note.code, note.text) for note in read(tmp_path, content).notes]
    assert notes == [
        ("error", "capture_error", "CUPTI failed"),
        ("warning", "capture_warning", "clock jumped"),
        ("warning", "dropped_events", "6300000 events were dropped"),
    ]


def test_a_recording_of_nothing_says_so(tmp_path: Path) -> None:
    assert codes(read(tmp_path, xb.space(xb.Plane("/host:CPU")))) == ["empty"]


def test_more_spans_than_may_be_are_counted(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line("python", *(plane.event("x", step * US, US, step_num=step) for step in range(10)))
    profile = read(tmp_path, xb.space(plane), Limits(spans=4))
    assert len(profile.spans) == 4
    assert len(profile.markers.row) == 4
    assert profile.notes[0].text.startswith("6 events ")


def test_tracers_of_one_thread_share_a_track(tmp_path: Path) -> None:
    tracer = xb.Plane("/host:python-tracer")
    tracer.line("python", tracer.event("$a.py:1 f", 0, 9 * US), id=7)
    host = small()
    host.lines.clear()
    host.line("python", host.event("FunctionRun", US, US), id=7)
    profile = read(tmp_path, xb.space(tracer, host))
    assert len(profile.tracks) == 1
    assert profile.spans.parent.tolist() == [-1, 0]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    event = eb.message(4, eb.integer(1, 1) + eb.message(2, eb.integer(1, 1) + eb.message(2, b"\xff<script>\x00" + b"x" * 40_000)))
    content = eb.message(1, plane.serialize() + eb.message(3, eb.message(4, eb.integer(1, 1))) + event)
    (name,) = (profile := read(tmp_path, content)).names[:1]
    assert name.startswith("\ufffd<script>\0xxx")
    assert len(name) < 20_000
    assert len(profile.spans) == 1


def test_gzip_is_read_and_bombs_are_not(tmp_path: Path) -> None:
    content = CAPTURE.read_bytes()
    whole = FORMAT.read(str(CAPTURE), Limits())
    packed = xb.write(tmp_path, gzip.compress(content), "vm.xplane.pb.gz")
    profile = FORMAT.read(packed, Limits())
    assert profile.spans.start.tolist() == whole.spans.start.tolist()
    assert read_arguments(packed, int(profile.spans.source[0])) == read_arguments(str(CAPTURE), int(whole.spans.source[0]))
    with pytest.raises(TooMuch, match="100 times"):
        read(tmp_path, gzip.compress(bytes(50 << 20)), Limits(ratio=100))
    with pytest.raises(TooMuch, match="limit of"):
        read(tmp_path, content, Limits(bytes=1000))
    with pytest.raises(BadInput, match="corrupt gzip"):
        read(tmp_path, b"\x1f\x8b\x08\x00garbage")
    cut = gzip.compress(xb.space(small(), small()))[:-30]
    with pytest.raises(BadInput):
        read(tmp_path, cut[:12])


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="does not exist"):
        FORMAT.read(str(tmp_path / "none.xplane.pb"), Limits())
    with pytest.raises(BadInput, match=r"regular file|cannot be read"):
        FORMAT.read(str(tmp_path), Limits())
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe := tmp_path / "pipe.xplane.pb")
        with pytest.raises(BadInput, match="regular file"):
            FORMAT.read(str(pipe), Limits())


def test_attributes_of_no_event_are_refused(tmp_path: Path) -> None:
    path = xb.write(tmp_path, xb.space(small(step_num=1)))
    for offset in (0, 10**12, 2**63 - 1):
        with pytest.raises(BadInput, match="open the profile again"):
            read_arguments(path, offset)


def test_content_decides_what_is_a_profile(tmp_path: Path) -> None:
    assert FORMAT.sniff(CAPTURE.read_bytes()[:4096], "whatever")
    assert FORMAT.sniff(xb.space(xb.Plane("Task Environment")), "x")
    assert FORMAT.sniff(eb.message(1, eb.integer(1, 300) + eb.message(2, b"/device:GPU:0")), "x")
    assert FORMAT.sniff(b"", "vm.xplane.pb")
    for foreign in (b"", b"{", eb.version(1.0), eb.message(1, b"graph"), b"\x0a", b"\x0a\xff\xff", CAPTURE.read_bytes()[5:200]):
        assert not FORMAT.sniff(foreign, "x")
    assert FORMAT.is_candidate("host.xplane.pb")
    assert not FORMAT.is_candidate("host.trace.json.gz")


def test_many_small_planes_take_linear_time(tmp_path: Path) -> None:
    plane = eb.message(1, eb.message(2, b"/host:CPU") + eb.message(4, eb.integer(1, 2**40) + eb.message(2, b"")))

    def work(count: int) -> float:
        started = time.process_time()
        read(tmp_path, plane * count)
        return time.process_time() - started

    work(100)  # whatever is loaded at first use
    assert work(80_000) < 10 * work(20_000), "four times as many would take sixteen times as long"
