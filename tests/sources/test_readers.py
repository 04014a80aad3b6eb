"""Everything that reads log files (`whole_file` too) gives the same points, values, tables and errors from every source."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

import event_bytes as eb
import image_logs
from event_reading import all_scalars
from log_places import LocalPlace, Place
from memory_source import MemorySource
from opened_profiles import open_profile
from stepscope._native import NamePool
from stepscope.formats.open_profile import find_sessions, read_file
from stepscope.formats.programs import read_plans, read_programs
from stepscope.formats.run_files import open_events
from stepscope.formats.span_attributes import span_attributes
from stepscope.ingest.loader import Loader, Root
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.logdir import open_folder
from stepscope.model.errors import BadInput, NotThere, StepscopeError
from stepscope.model.kinds import Kind
from stepscope.model.profile import Profile
from stepscope.queries.blobs import BlobReader
from stepscope.queries.tags import TagReader
from stepscope.queries.view import Views
from stepscope.sources.all_sources import source_of
from stepscope.sources.files import find_file
from stepscope.store.library import Library

FORMATS = Path(__file__).parents[1] / "formats"
XPLANE = FORMATS / "xplane" / "captures" / "jax.xplane.pb"
KINETO = FORMATS / "kineto" / "captures" / "torch_2_13_cpu.json.gz"
EVENTS = "run/events.out.tfevents.1.host"
POINTS = [(step, 1000.0 + step, step / 4) for step in range(500)]


def records(points: list[tuple[int, float, float]] = POINTS) -> bytes:
    """An event file's bytes from there on."""
    return b"".join(eb.scalar(b"loss", *point) for point in points)


def loaded(place: Place) -> tuple[Loader, Library]:
    """The place, read once without a cache."""
    library = Library()
    loader = Loader(library, [Root("", place.root)], reload_interval=0, cache=False)
    loader.load()
    return loader, library


def points_of(library: Library) -> dict[str, dict[bytes, list[tuple[int, float, float]]]]:
    """All scalars by run and tag."""
    found: dict[str, dict[bytes, list[tuple[int, float, float]]]] = {}
    for run in library.snapshot.runs:
        for file in run.files:
            found.setdefault(run.name, {}).update(all_scalars(file.events, library.names))
    return found


def test_scalars_of_all_runs(place: Place) -> None:
    place.write(EVENTS, eb.version(1.0) + records())
    place.write("deep/er/run/a.tfevents", eb.version(1.0) + eb.scalar(b"x", 1, 2.0, 3.0))
    place.write("run/notes.txt", b"no events")
    _, library = loaded(place)
    assert points_of(library) == {"run": {b"loss": POINTS}, "deep/er/run": {b"x": [(1, 2.0, 3.0)]}}
    assert library.snapshot.unreadable == ()


def test_a_file_that_grows_in_pieces_of_any_size(place: Place) -> None:
    data = eb.version(1.0) + records()
    place.write(EVENTS, data[:7])
    loader, library = loaded(place)
    at = 7
    for size in (1, 5, 40, 1000, 3, len(data)):
        place.append(EVENTS, data[at : at + size])
        at += size
        loader.reload()
    assert points_of(library) == {"run": {b"loss": POINTS}}
    assert [file.events.skipped for run in library.snapshot.runs for file in run.files] == [0]


def test_damage_costs_one_record(place: Place) -> None:
    data = bytearray(eb.version(1.0) + records())
    size = len(eb.scalar(b"loss", *POINTS[0]))
    data[len(eb.version(1.0)) + 100 * size + 20] ^= 1
    place.write(EVENTS, bytes(data))
    _, library = loaded(place)
    assert points_of(library) == {"run": {b"loss": [*POINTS[:100], *POINTS[101:]]}}
    assert [file.events.skipped for run in library.snapshot.runs for file in run.files] == [1]


def test_a_file_that_is_cut_or_replaced_is_read_anew(place: Place) -> None:
    place.write(EVENTS, eb.version(1.0) + records())
    loader, library = loaded(place)
    place.cut(EVENTS, len(eb.version(1.0) + records(POINTS[:10])))
    loader.reload()
    assert points_of(library) == {"run": {b"loss": POINTS[:10]}}
    place.write(EVENTS, eb.version(2.0) + records(POINTS[50:60]))
    loader.reload()
    assert points_of(library) == {"run": {b"loss": POINTS[50:60]}}
    place.remove(EVENTS)
    loader.reload()
    assert points_of(library) == {}


def test_values_are_read_when_asked_for_until_the_file_is_another(place: Place) -> None:
    pictures = [image_logs.png(colour=(shade, 0, 0)) for shade in (1, 2, 3)]
    place.write(EVENTS, eb.version(1.0) + b"".join(image_logs.old_image("seen", step, data) for step, data in enumerate(pictures)))
    _, library = loaded(place)
    views = Views(library)
    blobs = BlobReader(views, TagReader(views))
    series = blobs.open(views.view(False), library.snapshot.runs[0].id, "seen", Kind.IMAGE)
    values = [blobs.read_value(series, at) for at in range(len(series))]
    assert [data in value for data, value in zip(pictures, values, strict=True)] == [True] * 3
    place.write(EVENTS, b"x" * 5000)
    with pytest.raises(NotThere):
        blobs.read_value(series, 0)
    place.remove(EVENTS)
    with pytest.raises(NotThere):
        blobs.read_value(series, 0)


def test_checkpoints_hold_files_of_every_source(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("stepscope.ingest.checkpointing.WORTH_SECONDS", 0.0)
    place.write(EVENTS, eb.version(1.0) + records())
    open_folder(place.root)
    place.append(EVENTS, eb.scalar(b"loss", 500, 1500.0, 125.0))
    library = open_folder(place.root).library
    assert points_of(library) == {"run": {b"loss": [*POINTS, (500, 1500.0, 125.0)]}}


def tables(profile: Profile) -> dict[str, str]:
    """Every column and every plain fact of a profile but its path, as text: no NaN equals another."""
    found: dict[str, str] = {}
    for field in fields(profile):
        value = getattr(profile, field.name)
        if is_dataclass(value):
            for column in fields(value):
                cells = getattr(value, column.name)
                found[f"{field.name}.{column.name}"] = repr(cells.tolist() if isinstance(cells, np.ndarray) else cells)
        elif field.name != "path":
            found[field.name] = repr(value)
    return found


def xplane_gzip() -> bytes:
    """The XSpace file, compressed."""
    return gzip.compress(XPLANE.read_bytes())


def kineto_plain() -> bytes:
    """The trace, not compressed."""
    return gzip.decompress(KINETO.read_bytes())


PROFILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "xplane": ("host.xplane.pb", XPLANE.read_bytes),
    "xplane, gzip": ("host.xplane.pb.gz", xplane_gzip),
    "kineto": ("host.1794770470591855537.pt.trace.json", kineto_plain),
    "kineto, gzip": ("host.1794770470591855537.pt.trace.json.gz", KINETO.read_bytes),
}


@pytest.mark.parametrize("kind", PROFILES)
def test_profiles_have_the_same_tables_and_attributes(place: Place, tmp_path: Path, kind: str) -> None:
    name, content = PROFILES[kind]
    local = read_file(LocalPlace(tmp_path / "plain").write(name, content()))
    profile = read_file(place.write(f"run/plugins/profile/s/{name}", content()))
    assert tables(profile) == tables(local)
    rows = [int(row) for row in np.linspace(0, len(profile.spans) - 1, 20)]
    assert [span_attributes(profile, row) for row in rows] == [span_attributes(local, row) for row in rows]
    assert any(span_attributes(profile, row) for row in rows)
    programs, plans = read_programs(profile), read_plans(profile)
    assert [one.name for one in programs[0]] == [one.name for one in read_programs(local)[0]]
    assert plans == read_plans(local)
    assert bool(programs[0]) == kind.startswith("xplane")


def test_a_large_profile_is_read_in_parts(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.formats.file_content._LARGE", 1)
    assert tables(read_file(place.write(XPLANE.name, XPLANE.read_bytes()))) == tables(read_file(str(XPLANE)))


def test_sessions_are_found_and_cut_profiles_are_read_as_far_as_they_go(place: Place) -> None:
    data = XPLANE.read_bytes()
    place.write("run/plugins/profile/2026_01_02_00_00_00/a.xplane.pb", data)
    place.write("run/plugins/profile/2026_01_01_00_00_00/a.xplane.pb", data)
    assert [session.name for session in find_sessions(place.root)] == ["2026_01_02_00_00_00", "2026_01_01_00_00_00"]
    _, library = loaded(place)
    assert [session.name for session in library.snapshot.runs[0].profiles] == ["2026_01_02_00_00_00", "2026_01_01_00_00_00"]
    assert [len(profile.spans) for profile in open_profile(place.root)] == [len(read_file(str(XPLANE)).spans)]
    cut = read_file(place.write("cut.xplane.pb", data[: len(data) // 2]))
    assert cut.cut_short


def test_a_profile_that_changed_is_not_asked_for_attributes(place: Place) -> None:
    place.write("run/a.xplane.pb", XPLANE.read_bytes())
    _, library = loaded(place)
    (file,) = library.snapshot.runs[0].profiles[0].files
    row = next(row for row in range(1000) if library.profiles.attributes(file, row))
    place.write("run/a.xplane.pb", XPLANE.read_bytes() + XPLANE.read_bytes())
    with pytest.raises(NotThere):
        library.profiles.attributes(file, row)


def test_profiles_are_cached_until_they_change(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("stepscope.ingest.profile_reading.WORTH_SECONDS", -1.0)
    path = place.write("a.xplane.pb", XPLANE.read_bytes())
    whole = ProfileReading().read(path)
    monkeypatch.setattr("stepscope.ingest.profile_reading.read_file", lambda *_: pytest.fail("it is in the cache"))
    _wait_for_file(tmp_path / "cache")
    assert tables(ProfileReading().read(path)) == tables(whole)
    place.append("a.xplane.pb", b"\n")
    with pytest.raises(pytest.fail.Exception):
        ProfileReading().read(path)


def _wait_for_file(folder: Path) -> None:
    import time

    end = time.monotonic() + 10
    while not [path for path in folder.rglob("profiles/*") if path.name != "lock" and ".tmp" not in path.name]:
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("name", "content", "error", "code"),
    [
        ("gone.xplane.pb", None, NotThere, "no_profile"),
        ("empty.xplane.pb", b"", BadInput, "empty"),
        ("other.xplane.pb", b"something else", BadInput, "unknown_format"),
        ("damaged.json.gz", b"\x1f\x8bnot gzip", BadInput, "unknown_format"),
    ],
)
def test_what_cannot_be_read_is_the_same_error(
    place: Place, name: str, content: bytes | None, error: type[StepscopeError], code: str
) -> None:
    path = f"{place.root}/{name}" if content is None else place.write(name, content)
    with pytest.raises(error) as refused:
        read_file(path)
    assert refused.value.code == code


def test_a_source_that_fails_is_an_error_of_the_system(memory: MemorySource, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.write("memory://b/a.tfevents", eb.version(1.0) + records())
    events = open_events("memory://b/a.tfevents", NamePool())

    def refuse(path: str, offset: int, length: int) -> bytes:
        raise PermissionError(13, "not allowed", path)

    monkeypatch.setattr(memory, "read_range", refuse)
    with pytest.raises(PermissionError):
        events.scan()

    def too_much(path: str, offset: int, length: int) -> bytes:
        return b"\xff" * (length * 2)

    monkeypatch.setattr(memory, "read_range", too_much)
    assert events.scan() == 0
    assert events.skipped == 1
    monkeypatch.setattr(memory, "read_range", lambda *_: "no bytes")
    with pytest.raises(OSError, match="Input/output error"):
        events.scan()


def test_only_the_ranges_that_are_needed_are_read(memory: MemorySource) -> None:
    path = "memory://b/a.tfevents"
    memory.write(path, eb.version(1.0) + records() * 100)
    events = open_events(path, NamePool())
    events.scan()
    memory.reads.clear()
    memory.append(path, eb.scalar(b"loss", 500, 1500.0, 125.0))
    events.scan()
    read = sum(min(length, len(memory.files[path]) - offset) for _, offset, length in memory.reads)
    assert read < len(memory.files[path]) / 50


def test_an_unknown_scheme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused:
        source_of("nowhere://bucket/logs")
    assert refused.value.code == "unknown_scheme"
    assert source_of(str(tmp_path / "a://b")) is source_of("C://logs") is source_of("logs")
    assert find_file(str(tmp_path / "none")) is None
