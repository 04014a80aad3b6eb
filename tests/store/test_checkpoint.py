"""The checkpoint cache (`pack_file`): the same points after a restart, and any damage only costs another read of the logs."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import struct
import threading
from pathlib import Path

import pytest

from event_bytes import content, event, message, record, scalar, session_log, summary, tensor, value, write
from stepscope._native import CheckpointError, EventFile, NamePool, PackFile, SeriesView
from stepscope.ingest import checkpointing
from stepscope.ingest.loader import Loader, Root
from stepscope.model.kinds import Kind
from stepscope.store.checkpoint import Checkpoint
from stepscope.store.folder_lock import try_lock
from stepscope.store.library import FileRecord, Library

PI = struct.pack("<d", math.pi)
Points = dict[tuple[str, bytes], list[tuple[int, float, float]]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, written for any folder however small."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(folder))
    monkeypatch.setattr(checkpointing, "WORTH_SECONDS", -1.0)
    return folder


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs, one with a damaged record and a tag of doubles, one with a restart."""
    folder = tmp_path / "logs"
    doubles = b"".join(record(event(step, 300.0, summary(value(b"pi", message(8, tensor(2, content(PI))))))) for step in range(3))
    write(folder / "a" / "events.out.tfevents.1.x", points(b"loss", range(100)), b"garbage!" * 5, doubles)
    write(folder / "b" / "events.out.tfevents.1.x", points(b"loss", range(10)))
    write(folder / "b" / "events.out.tfevents.2.x", points(b"loss", range(5, 12), wall=1000.0))
    return folder


def points(tag: bytes, steps: range, wall: float = 100.0) -> bytes:
    return b"".join(scalar(tag, step, wall + step, 0.5 + step) for step in steps)


def load(folder: Path, *, save: bool = True) -> tuple[Library, Points]:
    library = Library()
    loader = Loader(library, [Root("", str(folder))], reload_interval=0)
    loader.load()
    found = all_points(library)
    if save:
        loader.stop()
    return library, found


def all_points(library: Library) -> Points:
    found: Points = {}
    for run in library.snapshot.runs:
        for file in run.files:
            for index, tag in enumerate(file.events.tag_ids().tolist()):
                if file.events.kinds()[index] != Kind.SCALAR:
                    continue
                step, wall, value = file.events.scalars(index)
                key = (f"{run.name}/{os.path.basename(file.path)}", library.names.name(tag))
                found[key] = list(zip(step.tolist(), wall.tolist(), value.tolist(), strict=True))
    return found


def records(library: Library) -> list[FileRecord]:
    return [file for run in library.snapshot.runs for file in run.files]


def only(cache: Path, pattern: str) -> Path:
    (found,) = cache.glob(f"checkpoints/*/{pattern}")
    return found


def test_a_second_start_reads_no_record_and_has_the_same_points(cache: Path, logs: Path) -> None:
    _, before = load(logs)
    names = NamePool()
    checkpoint = Checkpoint([("", str(logs))])
    checkpoint.open()
    path = logs / "a" / "events.out.tfevents.1.x"
    restored = checkpoint.restore(str(path), path.stat().st_size, names)
    assert restored is not None
    assert restored.offset == path.stat().st_size
    assert restored.scan() == 0
    assert restored.records == 103
    assert restored.skipped == 1
    assert restored.faults[0][2] == "the length's checksum is wrong"
    assert load(logs)[1] == before
    assert len(before) == 4


def test_the_tail_is_read_after_a_restart_and_the_restart_rule_still_holds(logs: Path) -> None:
    load(logs)
    with open(logs / "b" / "events.out.tfevents.2.x", "ab") as file:
        file.write(points(b"loss", range(12, 15), wall=1000.0))
    library, found = load(logs)
    assert [point[0] for point in found[("b/events.out.tfevents.2.x", b"loss")]] == [*range(5, 15)]
    run = next(run for run in library.snapshot.runs if run.name == "b")
    tag = library.names.find(b"loss")
    view = SeriesView([(file.events, file.events.find(tag)) for file in run.files], "latest")
    assert (view.points, view.superseded, len(view)) == (20, 5, 15)


def test_session_starts_survive(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "r" / "events.out.tfevents.1.x"
    write(path, points(b"loss", range(10)), session_log(5, 200.0), points(b"loss", range(6, 9), wall=300.0))
    load(path.parent.parent)
    library, _ = load(path.parent.parent)
    file = records(library)[0].events
    assert file.start_steps.tolist() == [5]
    view = SeriesView([(file, 0)], "latest")
    assert view.arrays()[0].tolist() == [0, 1, 2, 3, 4, 6, 7, 8]


def test_a_replaced_log_is_read_anew(logs: Path) -> None:
    load(logs)
    path = logs / "a" / "events.out.tfevents.1.x"
    path.write_bytes(points(b"other", range(400)))
    _, found = load(logs)
    assert len(found[("a/events.out.tfevents.1.x", b"other")]) == 400
    assert ("a/events.out.tfevents.1.x", b"loss") not in found


@pytest.mark.parametrize("name", ["index", "pack-*"])
def test_damage_anywhere_costs_only_another_read(cache: Path, logs: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    _, before = load(logs)
    victim = only(cache, name)
    good = victim.read_bytes()
    for place in range(0, len(good), max(1, len(good) // 150)):
        victim.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        assert points_after_repair(logs) == before, f"byte {place} of {len(good)}"
    assert any("Cannot use" in line or "corrupt" in line for line in caplog.messages)


@pytest.mark.parametrize("name", ["index", "pack-*"])
def test_a_cut_or_foreign_file_is_dropped_with_one_line(cache: Path, logs: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    _, before = load(logs)
    good = only(cache, name).read_bytes()
    for changed in (b"", good[: len(good) // 2], b"something else entirely"):
        only(cache, name).write_bytes(changed)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert points_after_repair(logs) == before
        assert caplog.messages
        assert all(str(cache) in line or "cache" in line for line in caplog.messages)


def points_after_repair(logs: Path) -> Points:
    library = Library()
    loader = Loader(library, [Root("", str(logs))], reload_interval=0)
    loader.load()
    try:
        return all_points(library)
    except CheckpointError:
        assert loader.repair()
        return all_points(library)


def test_a_missing_pack_is_read_again(cache: Path, logs: Path) -> None:
    _, before = load(logs)
    only(cache, "pack-*").unlink()
    assert load(logs, save=False)[1] == before


def test_nothing_is_written_when_it_does_not_pay(cache: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpointing, "WORTH_SECONDS", 60.0)
    load(logs)
    assert not list(cache.rglob("*"))


def test_nothing_is_written_into_the_log_folder(logs: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in logs.rglob("*")}
    load(logs)
    load(logs)
    assert {path: path.stat().st_mtime_ns for path in logs.rglob("*")} == before


def test_who_does_not_get_the_lock_does_not_write(cache: Path, logs: Path) -> None:
    checkpoint = Checkpoint([("", str(logs))])
    library, _ = load(logs, save=False)
    with try_lock(checkpoint._folder) as got:  # pyright: ignore[reportPrivateUsage]
        assert got
        wrote: list[bool] = []
        other = threading.Thread(target=lambda: wrote.append(Checkpoint([("", str(logs))]).write(records(library), records(library))))
        other.start()
        other.join()
    assert wrote == [False]
    assert not list(cache.glob("checkpoints/*/index"))


def test_two_servers_write_one_after_the_other_and_none_names_a_pack_that_is_gone(cache: Path, logs: Path) -> None:
    one, two = load(logs, save=False)[0], load(logs, save=False)[0]
    first, second = Checkpoint([("", str(logs))]), Checkpoint([("", str(logs))])
    assert first.write(records(one), records(one))
    assert second.write(records(two), records(two)[:1])
    assert first.write(records(one), [])
    fresh = Checkpoint([("", str(logs))])
    fresh.open()
    names = NamePool()
    for file in records(one):
        assert fresh.restore(file.path, file.size, names) is not None


def test_old_packs_are_taken_away_and_a_running_reader_keeps_its_own(cache: Path, logs: Path) -> None:
    load(logs)
    library, before = load(logs, save=False)
    with open(logs / "a" / "events.out.tfevents.1.x", "ab") as file:
        file.write(points(b"loss", range(100, 2000)))
    load(logs)
    assert len(list(cache.glob("checkpoints/*/pack-*"))) <= 2
    assert all_points(library) == before


def test_the_limit_takes_the_least_recently_used_away(cache: Path, tmp_path: Path, logs: Path) -> None:
    load(logs)
    (old,) = cache.glob("checkpoints/*")
    os.utime(old / "index", (1, 1))
    other = tmp_path / "other"
    write(other / "events.out.tfevents.1.x", points(b"loss", range(50)))
    library, _ = load(other, save=False)
    Checkpoint([("", str(other))], limit_bytes=old.joinpath("index").stat().st_size + 100).write(records(library), records(library))
    assert not old.exists()


def test_a_native_index_of_another_version_is_refused(logs: Path, tmp_path: Path) -> None:
    names = NamePool()
    file = EventFile(str(logs / "a" / "events.out.tfevents.1.x"), names)
    file.scan()
    with open(tmp_path / "pack", "wb") as pack:
        index, length = file.save(pack.fileno(), 0)
    assert length == (tmp_path / "pack").stat().st_size
    packed = PackFile(os.fsencode(tmp_path / "pack"))
    with pytest.raises(CheckpointError, match="version"):
        EventFile.restore(file.path, names, b"\xff\xff\xff\xff" + index[4:], packed)
    for end in range(len(index)):
        with pytest.raises(CheckpointError):
            EventFile.restore(file.path, names, index[:end], packed)


def read_after_truncation(folder: str, length: int, used_before: bool) -> None:
    """Runs in a process of its own: a pack that is mapped would end it."""
    library = Library()
    Loader(library, [Root("", folder)], reload_interval=0).load()
    before = all_points(library) if used_before else None
    pack = only(Path(os.environ["STEPSCOPE_CACHE_DIR"]), "pack-*")
    os.truncate(pack, length)
    if before is not None:
        assert all_points(library) == before
        return
    damaged = 0
    for file in records(library):
        for index in range(len(file.events.tag_ids())):
            try:
                file.events.scalars(index)
            except CheckpointError:
                damaged += 1
        assert file.events.pack_damaged == bool(damaged)
    assert damaged > 0


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 100])
@pytest.mark.parametrize("used_before", [True, False])
def test_a_pack_that_is_truncated_while_it_is_used_costs_another_read(logs: Path, length: int, used_before: bool) -> None:
    _, whole = load(logs)
    child = multiprocessing.get_context("spawn").Process(target=read_after_truncation, args=(str(logs), length, used_before))
    child.start()
    child.join(120)
    assert child.exitcode == 0
    assert load(logs)[1] == whole


def test_damage_is_not_saved_again_with_a_checksum_that_is_right(cache: Path, logs: Path) -> None:
    load(logs)
    pack = only(cache, "pack-*")
    content = bytearray(pack.read_bytes())
    content[100:200] = bytes(100)
    pack.write_bytes(content)
    checkpoint = Checkpoint([("", str(logs))])
    checkpoint.open()
    path = logs / "a" / "events.out.tfevents.1.x"
    restored = checkpoint.restore(str(path), path.stat().st_size, NamePool())
    assert restored is not None
    with open(cache / "again", "wb") as again, pytest.raises(CheckpointError):
        restored.save(again.fileno(), 0)
    assert restored.pack_damaged
    assert (cache / "again").stat().st_size == 0
