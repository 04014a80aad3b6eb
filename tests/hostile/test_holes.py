"""A trace that is mostly a hole, which costs nothing to make: reading stops soon, and says why."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memory_source import MemorySource
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import Profile
from stepscope.sources import all_sources
from stepscope.sources.source import Stat

SIZE = 8 << 30
MOST_READ = 64 << 20
EVENT = b'{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1, "tid": 1, "ts": %d, "dur": 1}'
HEAD = b'{"schemaVersion": 1, "traceEvents": [' + EVENT % (b"before", 0) + b","
TAIL = EVENT % (b"after", 9) + b"]}"


@dataclass
class HollowSource(MemorySource):
    """Files that are followed by zeros up to `SIZE`."""

    bytes_read: int = field(default=0)

    def stat(self, path: str) -> Stat:
        found = super().stat(path)
        return Stat(SIZE, found.modified, found.modified_ns, found.inode, found.is_file, found.is_folder)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        found = super().read_range(path, offset, length)
        whole = found + bytes(max(0, min(length, SIZE - offset) - len(found)))
        self.bytes_read += len(whole)
        return whole


def names_of(profile: Profile) -> list[str]:
    return [profile.names[name] for name in profile.spans.name.tolist()]


@pytest.mark.parametrize(
    "head", [HEAD, HEAD[:-20], b'{"traceEvents": [', b'{"schemaVersion": 1, "a": "'], ids=["between", "in", "first", "text"]
)
def test_a_hole_of_many_gigabytes_is_not_read(head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    source = HollowSource()
    monkeypatch.setitem(all_sources.OPENED, "hollow", source)
    source.write("hollow://logs/rank0.pt.trace.json", head)
    profile = read_file("hollow://logs/rank0.pt.trace.json")
    assert "damaged" in {note.code for note in profile.notes}
    assert names_of(profile) == (["before"] if head == HEAD else [])
    assert source.bytes_read < MOST_READ


def test_a_sparse_file_says_what_is_wrong_and_keeps_what_is_before_the_hole(tmp_path: Path) -> None:
    path = tmp_path / "rank0.pt.trace.json"
    with path.open("wb") as file:
        file.write(HEAD)
        file.seek(SIZE)
        file.write(TAIL)
    profile = read_file(str(path))
    assert names_of(profile) == ["before"]
    assert [note.code for note in profile.notes if note.level == "warning"][:1] == ["damaged"]


def test_events_behind_a_small_hole_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rank0.pt.trace.json"
    path.write_bytes(HEAD + bytes(1 << 20) + TAIL)
    assert names_of(read_file(str(path))) == ["before", "after"]
