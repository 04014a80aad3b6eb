"""Hostile and broken files of every format: one clear sentence or what is left of the file, never more, and the session lives on."""

from __future__ import annotations

import gzip
import json
import pickle
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import event_bytes as eb
import xspace_bytes as xb
from formats.memory_snapshot.running_pickle import Runs
from formats.memory_snapshot.snapshot_data import example as memory_snapshot
from formats.perfetto.span_profile import example as spans_example
from formats.pprof.pprof_bytes import example as pprof
from formats.pprof.pprof_bytes import sample
from formats.run_metadata.run_metadata_bytes import CPU, device, node, run_metadata
from formats.run_metadata.run_metadata_bytes import example as run_metadata_example
from formats.tfprof.tfprof_bytes import example as tfprof
from formats.tfprof.tfprof_bytes import node as tfprof_node
from formats.tfprof.tfprof_bytes import times
from stepscope._native import ProfileBuilder
from stepscope.formats.all_formats import PROFILE_FORMATS
from stepscope.formats.format import Limits, ProfileFormat
from stepscope.formats.open_profile import read_file
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.profile import Profile, SpanKind, TrackRole
from stepscope.queries.trace_export import trace_pieces
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.part import Wanted

HERE = Path(__file__).parent
TRACE = HERE / "kineto" / "captures" / "torch_2_13_cpu.json.gz"
PROTOBUF = ("xplane", "perfetto", "run_metadata", "tfprof", "pprof")
MANY = 2_000
GIB = 1 << 30
every_format = pytest.mark.parametrize("known", PROFILE_FORMATS, ids=lambda known: known.id)


def example_of_plane(names: int = 3) -> xb.Plane:
    plane = xb.Plane("/host:CPU")
    return plane.line("python", *(plane.event(f"name {at}", at * 1_000_000, 500_000) for at in range(names)))


def trace_of(names: int) -> bytes:
    events = [{"ph": "X", "cat": "cpu_op", "name": f"name {at}", "pid": 1, "tid": 1, "ts": at * 10, "dur": 5} for at in range(names)]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def slices_of(names: int) -> bytes:
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD, process="python")
    for at in range(names):
        builder.add_span(track, at * 10, at * 10 + 5, f"name {at}", SpanKind.OP)
    return b"".join(trace_pieces(profile_from_columns(builder.finish(), format="test", path="x"), "pftrace"))


def snapshot_of(stacks: int) -> bytes:
    frames = [[{"filename": "train.py", "line": at, "name": f"name {at}"}] for at in range(stacks)]
    events = [{"action": "alloc", "addr": at, "size": 8, "stream": 0, "frames": each, "time_us": at} for at, each in enumerate(frames)]
    return pickle.dumps({"segments": [], "device_traces": [events]})


@cache
def good(format: str) -> bytes:
    """A whole file that is good."""
    files: dict[str, Callable[[], bytes]] = {
        "xplane": lambda: xb.space(example_of_plane(20)),
        "kineto": lambda: gzip.decompress(TRACE.read_bytes()),
        "perfetto": lambda: b"".join(trace_pieces(spans_example(), "pftrace")),
        "run_metadata": run_metadata_example,
        "tfprof": tfprof,
        "pprof": pprof,
        "memory_snapshot": lambda: pickle.dumps(memory_snapshot()),
        "torch_memory": lambda: json.dumps([[-1, 0, 400, 0], [5000, 1, 64, 4], [7000, 3, -64, 4]]).encode(),
    }
    return files[format]()


def contents(profile: Profile) -> int:
    """How much there is in it, of whatever kind."""
    snapshot = profile.memory_snapshot
    held = len(snapshot.blocks.bytes) + len(snapshot.events.time) if snapshot else 0
    return len(profile.spans) + len(profile.counters.time) + held


def read(folder: Path, content: bytes, limits: Limits | None = None) -> Profile:
    path = folder / "given"
    path.write_bytes(content)
    return read_file(str(path), limits)


def assert_one_sentence(error: BadInput) -> None:
    assert error.message.endswith(".")
    assert "\n" not in error.message
    assert len(error.message) < 500
    assert error.code != "no_memory"


@pytest.fixture
def little_memory() -> Iterator[None]:
    """One GiB more than there is now: who believes a length of two gets none."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + GIB, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@every_format
def test_every_format_has_a_good_file(known: ProfileFormat, tmp_path: Path) -> None:
    profile = read(tmp_path, good(known.id))
    assert profile.format == known.id
    assert contents(profile) > 0


@every_format
def test_empty(known: ProfileFormat, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is empty") as raised:
        read(tmp_path, b"")
    assert_one_sentence(raised.value)
    path = tmp_path / "straight to the reader"
    path.write_bytes(b"")
    with pytest.raises(BadInput) as raised:
        known.read(str(path), Limits())
    assert_one_sentence(raised.value)


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@every_format
def test_truncated(known: ProfileFormat, packed: Callable[[bytes], bytes], tmp_path: Path) -> None:
    whole = packed(good(known.id))
    most = contents(read(tmp_path, whole))
    path = tmp_path / "cut"
    for length in {*range(1, len(whole), max(1, len(whole) // 60)), len(whole) - 1}:
        path.write_bytes(whole[:length])
        try:
            found = known.read(str(path), Limits())
        except BadInput as error:
            assert_one_sentence(error)
        else:
            assert contents(found) <= most


@pytest.mark.parametrize("head", [b"\x00", b"\xff\xfe", b"MZ\x90\x00", b"<html>", b"\x1f\x8bgarbage", b"PK\x03\x04"])
@every_format
def test_wrong_magic(known: ProfileFormat, head: bytes, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        read(tmp_path, head + good(known.id))
    assert_one_sentence(raised.value)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("length", [(1 << 31) - 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1])
@pytest.mark.parametrize("format", PROTOBUF)
def test_length_fields_of_gigabytes(format: str, length: int, tmp_path: Path) -> None:
    known = next(one for one in PROFILE_FORMATS if one.id == format)
    whole = good(format)
    path = tmp_path / "lies"
    for field in (1, 2, 3, 4, 5, 6):
        lie = eb.varint(field << 3 | 2) + eb.varint(length) + b"abc"
        for content in (lie, whole + lie, eb.message(1, lie) + whole, whole[:40] + lie + whole[40:]):
            path.write_bytes(content)
            try:
                known.read(str(path), Limits())
            except BadInput as error:
                assert_one_sentence(error)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "lie",
    [
        b"X" + (0x7FFFFFFF).to_bytes(4, "little"),
        b"\x8d" + (1 << 62).to_bytes(8, "little"),
        b"\x8e" + (1 << 40).to_bytes(8, "little"),
        b"\x8b" + (0x7FFFFFFF).to_bytes(4, "little"),
        b"]r" + (0xFFFFFFFF).to_bytes(4, "little"),
        b"\x95" + (1 << 62).to_bytes(8, "little"),
    ],
)
def test_length_fields_of_gigabytes_in_pickles(lie: bytes, tmp_path: Path) -> None:
    try:
        read(tmp_path, b"\x80\x04}X\x08\x00\x00\x00segments" + lie + b"abc.")
    except BadInput as error:
        assert_one_sentence(error)


def padded(format: str, padding: int) -> bytes:
    """The good file with so much of nothing in it."""
    if format in PROTOBUF:
        return good(format) + eb.message(1000, bytes(padding))
    if format == "memory_snapshot":
        return good(format) + bytes(padding)
    whole = good(format).rstrip()
    return whole[:-1] + b" " * padding + whole[-1:]


@pytest.mark.slow
@every_format
def test_gzip_bombs(known: ProfileFormat, tmp_path: Path) -> None:
    bomb = gzip.compress(padded(known.id, (80 if known.id == "kineto" else 32) << 20), 1)  # below 64 MB a trace may be all repetition
    with pytest.raises(TooMuch, match=r"\b20 times.*--max-gib") as raised:
        read(tmp_path, bomb, Limits(ratio=20))
    assert_one_sentence(raised.value)
    assert contents(read(tmp_path, bomb, Limits(ratio=GIB))) == contents(read(tmp_path, good(known.id)))


@every_format
def test_content_beyond_the_limit(known: ProfileFormat, tmp_path: Path) -> None:
    content = padded(known.id, 4 << 20)
    for packed in (content, gzip.compress(content)):
        if known.id == "kineto":  # what lies before the limit is shown, and it says so
            assert "too_large" in {note.code for note in read(tmp_path, packed, Limits(bytes=1 << 20, ratio=GIB)).notes}
            continue
        with pytest.raises(TooMuch, match="--max-gib") as raised:
            read(tmp_path, packed, Limits(bytes=1 << 20, ratio=GIB))
        assert_one_sentence(raised.value)


def nested(format: str, depth: int) -> list[bytes]:
    """Files that nest as deep as that, in places where the format knows what is inside and where it does not."""
    if format in PROTOBUF:
        inner = b""
        for _ in range(depth):
            inner = eb.varint(1 << 3 | 2) + eb.varint(len(inner)) + inner if len(inner) < 100_000 else inner
        return [inner, good(format) + inner, good(format) + eb.message(2, inner), eb.message(1, eb.message(3, inner)) + good(format)]
    if format == "memory_snapshot":
        return [
            b"\x80\x04}X\x08\x00\x00\x00segments" + b"]" * depth + b"a" * (depth - 1) + b"s.",
            b"\x80\x04}X\x08\x00\x00\x00segments](" + b"}X\x06\x00\x00\x00frames" * depth + b"]" + b"s" * depth + b"es.",
        ]
    lists, objects = b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth
    if format == "torch_memory":
        return [b"[[1, 2, 3, 4], " + lists + b"]", b"[[1], [" + lists + b"]]", b"[[1," + objects + b"]]"]
    event = b'{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {"x": %b}}'
    return [
        b'{"traceEvents": [' + event % lists + b"," + event % objects + b"]}",
        b'{"schemaVersion": 1, "x": ' + lists + b', "traceEvents": [' + event % b"1" + b"]}",
        b'{"schemaVersion": 1, "traceEvents": ' + b"[" * depth,
    ]


@pytest.mark.slow
@every_format
def test_deep_nesting(known: ProfileFormat, tmp_path: Path) -> None:
    path = tmp_path / "deep"
    for content in nested(known.id, 100_000):
        path.write_bytes(content)
        for reader in (lambda: known.read(str(path), Limits()), lambda: read_file(str(path))):
            try:
                reader()
            except BadInput as error:
                assert_one_sentence(error)


def with_names(format: str, names: int) -> bytes:
    """A file with so many distinct names, or stacks."""
    files: dict[str, Callable[[], bytes]] = {
        "xplane": lambda: xb.space(example_of_plane(names)),
        "kineto": lambda: trace_of(names),
        "perfetto": lambda: slices_of(names),
        "run_metadata": lambda: run_metadata(device(CPU, *(node(f"n{at}".encode(), b"", at * 10, 5) for at in range(names)))),
        "tfprof": lambda: b"".join(
            tfprof_node(at, f"n{at}".encode(), b"Sum", 3, eb.message(5, times(b"/device:cpu:0", (at, 1)))) for at in range(names)
        ),
        "pprof": lambda: pprof() + b"".join(eb.message(6, f"n{at}".encode()) for at in range(names)) + sample([1], 1, 64, 6),
        "memory_snapshot": lambda: snapshot_of(names),
    }
    return files[format]()


@pytest.mark.parametrize("format", ["xplane", "kineto", "perfetto", "run_metadata", "tfprof", "pprof", "memory_snapshot"])
def test_too_many_names(format: str, tmp_path: Path) -> None:
    content = with_names(format, MANY)
    free = read(tmp_path, content)
    assert not {note.code for note in free.notes} & {"too_many_names", "dropped_events"}
    profile = read(tmp_path, content, Limits(names=100))
    stacks = len(profile.memory_snapshot.stacks) if profile.memory_snapshot else 0
    assert len(profile.names) <= 110
    assert stacks <= 110
    assert {note.code for note in profile.notes} & {"too_many_names", "dropped_events"}
    assert contents(profile) > 0


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_pickles_that_run_code(packed: Callable[[bytes], bytes], tmp_path: Path) -> None:
    sign = tmp_path / "ran"
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(BadInput, match="code") as raised:
            read(tmp_path, packed(pickle.dumps({"segments": [], "device_traces": [Runs(sign)]}, protocol)))
        assert_one_sentence(raised.value)
        assert not sign.exists()


BROKEN: dict[str, Callable[[Path], bytes]] = {
    "empty": lambda _: b"",
    "garbage": lambda _: bytes(range(256)) * 10,
    "a cut gzip": lambda _: gzip.compress(good("kineto"))[:20],
    "a bomb": lambda _: gzip.compress(padded("kineto", 64 << 20)),
    "a lying length": lambda _: b"\x0a\xff\xff\xff\xff\x07\x12\x05/host",
    "code": lambda folder: pickle.dumps({"segments": [], "device_traces": [Runs(folder / "ran")]}),
    "nothing in it": lambda _: b'{"traceEvents": []}',
}


@pytest.mark.parametrize("place", ["plugins/profile/s1/{}.xplane.pb", "rank{}.pt.trace.json"])
@pytest.mark.parametrize("what", BROKEN)
def test_the_rest_of_the_session_is_served(what: str, place: str, tmp_path: Path) -> None:
    ok, broken = (tmp_path / "logs" / place.format(number) for number in (0, 1))
    ok.parent.mkdir(parents=True)
    ok.write_bytes(good("xplane" if place.endswith(".pb") else "kineto"))
    broken.write_bytes(BROKEN[what](tmp_path))
    session = profile_at(str(tmp_path / "logs"), Opening(cache=False)).analysed(Wanted())
    assert [profile.path for profile in session.profiles] == [str(ok)]
    assert contents(session.profiles[0]) > 0
    assert len(session.broken) == (what not in {"nothing in it", "code"})  # code looks like a memory snapshot, which has no steps
    assert not (tmp_path / "ran").exists()
