"""The cache of profiles: the same tables again, and any damage only costs another read of the recording."""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope.formats.format import Limits
from stepscope.formats.name_rules import NAME_RULES
from stepscope.formats.open_profile import read_file
from stepscope.ingest import profile_reading
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.model.memory_snapshot import MemorySnapshot
from stepscope.model.profile import Profile
from stepscope.store import profile_cache
from stepscope.store.folder_lock import try_lock
from stepscope.store.profile_cache import ProfileCache, SavedHead, identify

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, written for any profile however small."""
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(profile_reading, "WORTH_SECONDS", -1.0)
    return tmp_path / "cache" / "profiles"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A real recording that the test may change."""
    return Path(shutil.copy(CAPTURES / "jax.xplane.pb", tmp_path))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read from recordings, not from the cache."""
    seen: list[str] = []

    def read(path: str, limits: Limits | None = None) -> Profile:
        seen.append(path)
        return read_file(path, limits)

    monkeypatch.setattr(profile_reading, "read_file", read)
    return seen


def read(path: Path, limits: Limits | None = None) -> Profile:
    """Reads as a new process would, and waits until what it has to keep is kept."""
    profile = ProfileReading().read(str(path), limits)
    for thread in threading.enumerate():
        if thread.name == "stepscope-profile-cache":
            thread.join()
    return profile


def test_it_is_saved_when_whoever_looks_at_it_is_served(recording: Path, cache: Path) -> None:
    gate = threading.Event()
    ProfileReading(before_saving=gate.wait).read(str(recording))
    assert not cache.exists() or kept(cache) == []
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "stepscope-profile-cache":
            thread.join()
    assert len(kept(cache)) == 1


def kept(cache: Path) -> list[Path]:
    return sorted(file for file in cache.iterdir() if file.name != "lock")


def assert_same(one: Profile, other: Profile) -> None:
    for field in fields(Profile):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if field.name not in profile_cache._TABLES:
            assert repr(left) == repr(right), field.name  # NaN is not NaN
            continue
        for column in fields(left):
            wanted, got = getattr(left, column.name), getattr(right, column.name)
            assert (wanted.dtype, wanted.shape) == (got.dtype, got.shape), f"{field.name}.{column.name}"
            np.testing.assert_array_equal(wanted, got)


@pytest.mark.parametrize("name", ["jax", "tensorflow"])
def test_the_same_tables_come_back_without_reading(name: str, reads: list[str]) -> None:
    path = CAPTURES / f"{name}.xplane.pb"
    first, second = read(path), read(path)
    assert reads == [str(path)]
    assert len(second.spans) > 100
    assert_same(first, second)
    assert not second.spans.start.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        second.spans.start[0] = 1


def test_nothing_of_a_profile_is_forgotten() -> None:
    kept_fields = {*SavedHead.__struct_fields__, *profile_cache._TABLES} - {"identity", "program", "columns"}
    assert kept_fields | {"path", "memory_snapshot", "listed_phases", "name_rules", "part"} == {field.name for field in fields(Profile)}


def test_what_is_quick_to_read_is_not_kept(recording: Path, reads: list[str], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_reading, "WORTH_SECONDS", 60.0)
    read(recording)
    read(recording)
    assert len(reads) == 2
    assert not cache.exists()


def test_without_the_cache_nothing_is_read_from_it_or_written(recording: Path, reads: list[str], cache: Path) -> None:
    ProfileReading(cache=False).read(str(recording))
    assert not cache.exists()
    read(recording)
    ProfileReading(cache=False).read(str(recording))
    assert len(reads) == 3


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\x12\x01x")


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def replace_with_equal_size(path: Path) -> None:
    content, info = bytearray(path.read_bytes()), path.stat()
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


@pytest.mark.parametrize("change", [grow, touch, replace_with_equal_size])
def test_a_changed_recording_is_read_again(change: Callable[[Path], None], recording: Path, reads: list[str], cache: Path) -> None:
    read(recording)
    change(recording)
    read(recording)
    assert len(reads) == 2
    read(recording)
    assert len(reads) == 2, "the change was not taken into the cache"
    assert len(kept(cache)) == 1


def test_other_limits_are_another_profile(recording: Path, reads: list[str]) -> None:
    read(recording)
    assert len(read(recording, Limits(spans=10)).spans) == 10
    assert len(read(recording).spans) > 10
    assert len(reads) == 2


def test_another_program_reads_again(
    recording: Path, reads: list[str], cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read(recording)
    monkeypatch.setattr(profile_reading, "program_stamp", lambda: "later")
    read(recording)
    read(recording)
    assert (len(reads), len(kept(cache)), caplog.messages) == (2, 1, [])


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(place: float) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        at = int(place * len(content))
        return content[:at] + bytes((content[at] ^ 4,)) + content[at + 1 :]

    damage.__name__ = f"flip_at_{place}"
    return damage


def empty(_: bytes) -> bytes:
    return b""


def other_version(content: bytes) -> bytes:
    return content.replace(b"profile 1", b"profile 0", 1)


def endless_head(content: bytes) -> bytes:
    at = len(profile_cache.MAGIC)
    return content[:at] + b"\xff" * 8 + content[at + 8 :]


@pytest.mark.parametrize("damage", [cut, flip(0.01), flip(0.6), flip(0.9), empty, other_version, endless_head])
def test_damage_is_told_in_one_line_and_repaired(
    damage: Callable[[bytes], bytes], recording: Path, reads: list[str], cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = read(recording)
    (file,) = kept(cache)
    file.write_bytes(damage(file.read_bytes()))
    with caplog.at_level(logging.WARNING, "stepscope.cache"):
        again = read(recording)
    assert_same(first, again)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].endswith(f"; reading {recording} again.")
    assert_same(first, read(recording))
    assert len(reads) == 2


def test_a_cache_that_cannot_be_written_costs_one_line(recording: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("in the way")
    assert len(read(recording).spans) > 100
    assert len(caplog.messages) == 1


def test_who_does_not_get_the_lock_does_not_write(recording: Path, cache: Path) -> None:
    with try_lock(cache) as got:
        assert got
        read(recording)
        assert kept(cache) == []
    read(recording)
    assert len(kept(cache)) == 1


def save_often(path: str, folder: Path, times: int) -> None:
    """Run by another process."""
    profile, keeping = read_file(path), ProfileCache("p", folder)
    for _ in range(times):
        keeping.save(path, identify(path), profile)


@pytest.mark.slow
def test_two_processes_write_while_a_third_reads(recording: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "shared"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=save_often, args=(str(recording), folder, 40)) for _ in range(2)]
    for writer in writers:
        writer.start()
    found = 0
    while any(writer.is_alive() for writer in writers) or not found:
        found += ProfileCache("p", folder).load(str(recording)) is not None
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert_same(read_file(str(recording)), _loaded(ProfileCache("p", folder).load(str(recording))))
    assert caplog.messages == []
    assert len(kept(folder / "profiles")) == 1


def _loaded(profile: Profile | None) -> Profile:
    """As reading makes it ready: the cache knows no rules for names."""
    assert profile is not None
    return replace(profile, name_rules=NAME_RULES)


def test_the_least_recently_used_make_room(tmp_path: Path, recording: Path) -> None:
    profile = read_file(str(recording))
    paths = [str(shutil.copy(recording, tmp_path / f"{number}.xplane.pb")) for number in range(4)]
    ProfileCache("p", tmp_path / "one").save(paths[0], identify(paths[0]), profile)
    size = kept(tmp_path / "one" / "profiles")[0].stat().st_size
    small = ProfileCache("p", tmp_path / "small", limit_bytes=int(2.5 * size))
    (tmp_path / "small" / "profiles").mkdir(parents=True)
    (tmp_path / "small" / "profiles" / "crashed.tmp").write_text("half")
    for age, path in enumerate(paths[:2]):
        small.save(path, identify(path), profile)
        os.utime(small._place(path, ""), (age, age))
    assert small.load(paths[0]) is not None  # used now, so that the second is the oldest
    small.save(paths[2], identify(paths[2]), profile)
    assert [small.load(path) is not None for path in paths] == [True, False, True, False]
    assert len(kept(tmp_path / "small" / "profiles")) == 2
    tiny = ProfileCache("p", tmp_path / "tiny", limit_bytes=size // 4)
    assert not tiny.save(paths[0], identify(paths[0]), profile)
    assert not (tmp_path / "tiny").exists()


def test_a_snapshot_of_an_allocator_is_not_kept(tmp_path: Path, recording: Path) -> None:
    snapshot: Any = MemorySnapshot.__new__(MemorySnapshot)
    profile = replace(read_file(str(recording)), memory_snapshot=snapshot)
    assert not ProfileCache("p", tmp_path / "c").save(str(recording), identify(str(recording)), profile)


def test_a_recording_that_changes_while_it_is_read_is_not_kept(recording: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_slowly(path: str, limits: Limits | None = None) -> Profile:
        profile = read_file(path, limits)
        grow(Path(path))
        return profile

    monkeypatch.setattr(profile_reading, "read_file", read_slowly)
    read(recording)
    assert not cache.exists()
