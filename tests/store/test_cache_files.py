"""Files of a cache folder: whole or not there, padded, and the least recently used go first."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepscope.store.cache_files import make_room, mark_used, read_file, write_all, write_file


def test_parts_begin_where_they_may_be_mapped(tmp_path: Path) -> None:
    write_file(tmp_path / "a", [b"one", b"two", memoryview(b"three")], alignment=8)
    assert read_file(tmp_path / "a") == b"one\0\0\0\0\0two\0\0\0\0\0three"


def test_a_failed_write_leaves_the_file_before_it_and_no_draft(tmp_path: Path) -> None:
    write_file(tmp_path / "a", [b"before"])

    def parts() -> Iterator[bytes]:
        yield b"half"
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_file(tmp_path / "a", parts())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"before"}


def fill(folder: Path, **ages: int) -> None:
    for name, age in ages.items():
        (folder / name).write_bytes(bytes(10))
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))


def test_the_least_recently_used_go_until_the_rest_fits(tmp_path: Path) -> None:
    fill(tmp_path, old=300, middle=200, new=100, lock=900)
    (tmp_path / "left.tmp").write_bytes(bytes(1000))
    make_room(tmp_path, 20)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "middle", "new"]
    mark_used(tmp_path / "middle")
    make_room(tmp_path, 10)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "middle"]


def test_what_is_not_there_cannot_be_marked_and_harms_nobody(tmp_path: Path) -> None:
    mark_used(tmp_path / "nothing")
    assert list(tmp_path.iterdir()) == []


def test_short_writes_are_gone_on_with() -> None:
    class Narrow(io.BytesIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data)[:3])

    out = Narrow()
    write_all(out, b"0123456789")
    assert out.getvalue() == b"0123456789"
