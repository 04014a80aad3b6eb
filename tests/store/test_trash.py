"""The trash of a log folder: what is moved comes back as it was, and whatever goes wrong, nothing is lost and nothing else moves."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from small_disk import small_disk
from stepscope.model.errors import NotThere, Refused
from stepscope.store.trash import PLACE_VARIABLE, Trash, folder_size

SIZE = (2, 10)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A log folder with a run in a run."""
    root = tmp_path / "logs"
    (root / "a" / "inner").mkdir(parents=True)
    (root / "a" / "events").write_bytes(b"12345")
    (root / "a" / "inner" / "events").write_bytes(b"67890")
    return root


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@contextmanager
def as_nobody(*folders: Path) -> Iterator[None]:
    """Root may write everywhere, so a test that runs as root becomes nobody for a while; the folders are nobody's then."""
    if os.geteuid() != 0:
        yield
        return
    for folder in folders:
        shutil.chown(folder, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def open_to_all(folder: Path) -> None:
    """Lets anybody on the way down to a folder."""
    for one in (folder, *folder.parents):
        if one.stat().st_uid == os.geteuid() and len(one.parts) > 2:
            one.chmod(one.stat().st_mode | 0o055)


def refusal(trash: Trash, folder: Path) -> str:
    """Why a move is refused."""
    with pytest.raises(Refused) as caught:
        trash.move(str(folder), "ann", SIZE, [])
    assert caught.value.message.endswith(".")
    return caught.value.code


def test_a_folder_is_moved_listed_and_restored_as_it_was(logs: Path) -> None:
    before = content(logs)
    trash = Trash(str(logs))
    assert trash.listed() == []
    moved = trash.move(str(logs / "a" / "inner"), "ann", (1, 5), ["a/inner"])
    assert (moved.name, moved.by, moved.files, moved.bytes, moved.runs) == ("a/inner", "ann", 1, 5, ("a/inner",))
    assert content(logs) == {"a/events": b"12345"}
    assert trash.listed() == [moved]
    assert Path(trash.place) == logs.parent / "logs.stepscope-trash"
    assert Path(trash.place).stat().st_mode & 0o077 == 0
    assert trash.restore(moved.id) == moved
    assert (content(logs), trash.listed(), os.listdir(trash.place)) == (before, [], [])


def test_the_newest_is_first_and_folders_on_the_way_are_made_again(logs: Path) -> None:
    trash = Trash(str(logs))
    before = content(logs)
    inner = trash.move(str(logs / "a" / "inner"), "ann", SIZE, [])
    outer = trash.move(str(logs / "a"), "ann", SIZE, [])
    assert {one.id for one in trash.listed()} == {inner.id, outer.id}
    trash.restore(inner.id)
    assert content(logs) == {"a/inner/events": b"67890"}
    with pytest.raises(Refused) as caught:
        trash.restore(outer.id)
    assert caught.value.code == "name_taken"
    shutil.move(logs / "a" / "inner", logs / "kept")
    (logs / "a").rmdir()
    trash.restore(outer.id)
    shutil.move(logs / "kept", logs / "a" / "inner")
    assert content(logs) == before


def test_deleting_for_good_follows_no_link(logs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    (logs / "a" / "link").symlink_to(outside)
    trash = Trash(str(logs))
    moved = trash.move(str(logs / "a"), "ann", SIZE, [])
    trash.delete(moved.id)
    assert (trash.listed(), os.listdir(trash.place)) == ([], [])
    assert (outside / "precious").read_text() == "x"
    with pytest.raises(NotThere):
        trash.delete(moved.id)


@pytest.mark.parametrize("entry", ["", ".", "..", "../logs", "/etc", "20260328T101112-0123456789ab/..", "20260328T101112-0123456789ab"])
def test_only_ids_lead_into_the_trash(logs: Path, entry: str) -> None:
    trash = Trash(str(logs))
    trash.move(str(logs / "a" / "inner"), "ann", SIZE, [])
    for action in (trash.restore, trash.delete):
        with pytest.raises(NotThere):
            action(entry)
    assert content(logs) == {"a/events": b"12345"}


def test_what_is_not_in_the_log_folder_stays(logs: Path, tmp_path: Path) -> None:
    trash = Trash(str(logs))
    (tmp_path / "other").mkdir()
    assert refusal(trash, logs) == "is_root"
    assert refusal(trash, tmp_path) == "outside"
    assert refusal(trash, tmp_path / "other") == "outside"
    assert refusal(trash, logs / "a" / ".." / ".." / "other") == "outside"
    with pytest.raises(Refused, match="local"):
        Trash("s3://logs").move("s3://logs/a", "ann", SIZE, [])
    assert not Path(trash.place).exists()


def test_links_are_not_followed_out_of_the_log_folder(logs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "run").mkdir(parents=True)
    (logs / "link").symlink_to(outside)
    (logs / "run").symlink_to(outside / "run")
    trash = Trash(str(logs))
    assert refusal(trash, logs / "link" / "run") == "is_link"
    assert refusal(trash, logs / "run") == "is_link"
    assert (outside / "run").is_dir()


def test_a_link_put_in_the_way_does_not_lead_a_restored_folder_out(logs: Path, tmp_path: Path) -> None:
    trash = Trash(str(logs))
    moved = trash.move(str(logs / "a" / "inner"), "ann", SIZE, [])
    shutil.rmtree(logs / "a")
    (tmp_path / "outside").mkdir()
    (logs / "a").symlink_to(tmp_path / "outside")
    with pytest.raises(Refused):
        trash.restore(moved.id)
    assert (os.listdir(tmp_path / "outside"), trash.listed()) == ([], [moved])


@pytest.mark.parametrize("name", ["../outside", "/etc", "a/../../outside", "", "a//b", "a\0b", 7, None])
def test_a_forged_record_leads_nowhere(logs: Path, name: object) -> None:
    trash = Trash(str(logs))
    moved = trash.move(str(logs / "a"), "ann", SIZE, [])
    Path(trash.place, moved.id, "record.json").write_text(json.dumps({"name": name, "files": "many", "runs": [1]}))
    with pytest.raises(Refused):
        trash.restore(moved.id)
    (listed,) = trash.listed()
    assert (listed.id, listed.files) == (moved.id, 0)
    assert not (logs.parent / "outside").exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", "\ud83d", "[" * 10_000])
def test_a_folder_with_a_damaged_record_is_still_listed_and_can_be_deleted(logs: Path, damage: str) -> None:
    trash = Trash(str(logs))
    moved = trash.move(str(logs / "a"), "ann", SIZE, [])
    Path(trash.place, moved.id, "record.json").write_bytes(damage.encode("utf-8", "surrogatepass"))
    assert [(one.id, one.name) for one in trash.listed()] == [(moved.id, "")]
    trash.delete(moved.id)
    assert trash.listed() == []


def test_a_trash_that_somebody_else_put_there_is_not_used(logs: Path, tmp_path: Path) -> None:
    trash = Trash(str(logs))
    (tmp_path / "elsewhere").mkdir()
    Path(trash.place).symlink_to(tmp_path / "elsewhere")
    assert refusal(trash, logs / "a") == "is_link"
    Path(trash.place).unlink()
    if os.geteuid() == 0:
        Path(trash.place).mkdir()
        shutil.chown(trash.place, 65534)
        assert refusal(trash, logs / "a") == "not_own"
    assert (content(logs / "a"), os.listdir(tmp_path / "elsewhere")) == ({"events": b"12345", "inner/events": b"67890"}, [])


def test_folders_that_may_not_be_written_stay(logs: Path, tmp_path: Path) -> None:
    open_to_all(logs)
    trash = Trash(str(logs))
    with as_nobody(logs / "a"):
        os.chmod(logs / "a", 0o555)
        try:
            assert refusal(trash, logs / "a" / "inner") == "no_permission"
            assert refusal(trash, logs / "a") == "no_permission"
        finally:
            os.chmod(logs / "a", 0o755)
    assert len(content(logs)) == 2


def test_what_cannot_be_deleted_for_good_stays_listed(logs: Path, tmp_path: Path) -> None:
    open_to_all(logs)
    with as_nobody(tmp_path, logs, logs / "a", logs / "a" / "inner"):
        trash = Trash(str(logs))
        moved = trash.move(str(logs / "a"), "ann", SIZE, [])
        inner = Path(trash.place, moved.id, "folder", "inner")
        inner.chmod(0o555)
        with pytest.raises(Refused) as caught:
            trash.delete(moved.id)
        assert caught.value.code == "no_permission"
        assert trash.listed() == [moved]
        inner.chmod(0o755)
        trash.delete(moved.id)
        assert trash.listed() == []


def test_another_disk_is_refused_and_another_place_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_disk(tmp_path / "logs", 256) as disk:
        (disk / "a").mkdir()
        (disk / "a" / "events").write_bytes(b"1")
        trash = Trash(str(disk))
        assert refusal(trash, disk / "a") == "other_disk"
        monkeypatch.setenv(PLACE_VARIABLE, str(disk / "bin"))
        moved = trash.move(str(disk / "a"), "ann", SIZE, [])
        assert os.listdir(disk) == ["bin"]
        trash.restore(moved.id)
        assert (disk / "a" / "events").read_bytes() == b"1"


def test_on_a_full_disk_nothing_is_moved(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256) as disk:
        (disk / "logs" / "a").mkdir(parents=True)
        with (disk / "logs" / "a" / "events").open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        assert os.statvfs(disk).f_bavail == 0
        trash = Trash(str(disk / "logs"))
        assert refusal(trash, disk / "logs" / "a") == "disk_full"
        assert (disk / "logs" / "a" / "events").stat().st_size > 0
        assert trash.listed() == []


def test_a_failed_rename_leaves_the_folder_and_no_record(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    trash = Trash(str(logs))
    monkeypatch.setattr(os, "rename", busy)
    assert refusal(trash, logs / "a") == "cannot_move"
    assert (len(content(logs)), os.listdir(trash.place)) == (2, [])


def test_a_record_without_its_folder_is_not_listed(logs: Path) -> None:
    trash = Trash(str(logs))
    moved = trash.move(str(logs / "a"), "ann", SIZE, [])
    shutil.move(Path(trash.place, moved.id, "folder"), logs / "a")
    assert trash.listed() == []


def test_names_that_are_no_text_come_back(logs: Path) -> None:
    odd = os.path.join(os.fsencode(logs), b"odd-\xff")
    os.mkdir(odd)
    trash = Trash(str(logs))
    moved = trash.move(os.fsdecode(odd), "ann", SIZE, [])
    trash.restore(moved.id)
    assert os.path.isdir(odd)


def test_sizes_count_all_files_and_follow_no_link(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(1000))
    (logs / "a" / "link").symlink_to(tmp_path)
    files, size, complete = folder_size(str(logs / "a"))
    link = (logs / "a" / "link").lstat().st_size
    assert (files, size, complete) == (3, 10 + link, True)
    assert folder_size(str(logs), seconds=-1.0)[2] is False
