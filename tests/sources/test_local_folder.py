"""Finding event files: what counts as one, links and loops, names of any bytes, and folders that cannot be read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stepscope.formats.tfevents import is_candidate
from stepscope.sources.files import DEEPEST, find_file, list_folder, walk
from stepscope.sources.local_folder import notifies


def found(root: Path | str) -> dict[str, list[str]]:
    """The event files of each folder, by path below the root."""
    return {
        os.path.relpath(folder, root): sorted(os.path.basename(file.path) for file in listing.files)
        for folder, listing in walk(str(root), is_candidate)
        if listing.files
    }


def touch(path: Path) -> Path:
    """An empty file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may read everything, so a test that runs as root becomes nobody for a while."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


def test_what_is_an_event_file(tmp_path: Path) -> None:
    for name in (
        "events.out.tfevents.1.host",
        "a.tfevents",
        "tfevents",
        "x.tfevents.v2",
        "events.out.tfevents.1.profile-empty",
        "model.pt",
    ):
        touch(tmp_path / "run" / name)
    (tmp_path / "run" / "folder.tfevents").mkdir()
    os.mkfifo(tmp_path / "run" / "pipe.tfevents")
    os.symlink("nowhere", tmp_path / "run" / "dangling.tfevents")
    os.symlink("model.pt", tmp_path / "run" / "link.tfevents")
    assert found(tmp_path) == {"run": ["a.tfevents", "events.out.tfevents.1.host", "link.tfevents", "tfevents", "x.tfevents.v2"]}


def test_folders_come_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b/2", "a", "b/1", "b"):
        touch(tmp_path / name / "tfevents")
    assert list(found(tmp_path)) == ["a", "b", "b/1", "b/2"]


def test_loops_end_and_a_folder_is_listed_once(tmp_path: Path) -> None:
    touch(tmp_path / "run" / "tfevents")
    os.symlink(tmp_path, tmp_path / "run" / "up")
    os.symlink(tmp_path / "run", tmp_path / "run" / "self")
    os.symlink("again", tmp_path / "again")
    os.symlink(tmp_path / "run", tmp_path / "alias")
    assert found(tmp_path) == {"alias": ["tfevents"]}
    problems = [problem for _, listing in walk(str(tmp_path), is_candidate) for problem in listing.problems]
    assert [os.path.basename(path) for path, _ in problems] == ["again"]


def test_a_link_out_of_the_root_is_followed(tmp_path: Path) -> None:
    touch(tmp_path / "elsewhere" / "run" / "tfevents")
    (tmp_path / "root").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "root" / "link")
    assert found(tmp_path / "root") == {"link/run": ["tfevents"]}


@pytest.mark.parametrize(
    "name", [b"<script>alert(1)</script>", b"a\nb", b"\xff\xfe", b"..hidden..", b"...", "日本 é".encode(), b"a\\b", b"%2e%2e"]
)
def test_names_of_any_bytes(tmp_path: Path, name: bytes) -> None:
    folder = os.path.join(os.fsencode(tmp_path), name.replace(b"/", b"_"))
    os.mkdir(folder)
    with open(os.path.join(folder, b"\xfa.tfevents"), "wb"):
        pass
    assert found(tmp_path) == {os.fsdecode(name.replace(b"/", b"_")): [os.fsdecode(b"\xfa.tfevents")]}


def test_nesting_ends_somewhere(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (DEEPEST + 5))
    touch(deep / "tfevents")
    touch(deep.parents[10] / "tfevents")
    assert len(found(tmp_path)) == 1


def test_what_cannot_be_read_is_told() -> None:
    with tempfile.TemporaryDirectory(prefix="stepscope-test-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        touch(root / "open" / "tfevents").parent.chmod(0o755)
        touch(root / "closed" / "tfevents").parent.chmod(0)
        with without_rights():
            problems = {path: reason for _, listing in walk(folder, is_candidate) for path, reason in listing.problems}
            assert found(root) == {"open": ["tfevents"]}
        assert problems == {str(root / "closed"): "permission denied"}
        (root / "closed").chmod(0o755)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert list(walk(str(tmp_path / "none"), is_candidate)) == []
    listing = list_folder(str(tmp_path / "none"), is_candidate)
    assert (listing.files, listing.folders, listing.problems) == ([], [], [])
    assert find_file(str(tmp_path / "none")) is None


def test_walking_stops_when_told(tmp_path: Path) -> None:
    for i in range(20):
        touch(tmp_path / f"{i:02}" / "tfevents")
    seen: list[str] = []
    for folder, _ in walk(str(tmp_path), is_candidate, lambda: len(seen) >= 5):
        seen.append(folder)
    assert len(seen) == 5


@pytest.mark.parametrize(
    ("mounts", "told"),
    [
        ("/dev/sda1 / ext4 rw 0 0\n", True),
        ("/dev/sda1 / ext4 rw 0 0\nserver:/x /data nfs4 rw 0 0\n", False),
        ("/dev/sda1 / ext4 rw 0 0\nserver:/x /dat nfs4 rw 0 0\n", True),
        ("server:/ / nfs rw 0 0\ntmpfs /data tmpfs rw 0 0\n", True),
        ("/dev/sda1 / ext4 rw 0 0\nx /data/my\\040logs fuse.sshfs rw 0 0\n", True),
    ],
)
def test_network_file_systems_do_not_notify(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mounts: str, told: bool) -> None:
    table = tmp_path / "mounts"
    table.write_text(mounts)
    real_open = open
    monkeypatch.setattr("builtins.open", lambda path, *a, **k: real_open(table if path == "/proc/self/mounts" else path, *a, **k))
    assert notifies("/data/logs") is told
    if "my\\040logs" in mounts:
        assert notifies("/data/my logs/run") is False
