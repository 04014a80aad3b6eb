"""The state of a file is the worst thing about it, with its reason and place."""

from __future__ import annotations

from pathlib import Path

from log_folder import LogFolder
from stepscope.queries.file_states import Condition, condition_of
from stepscope.store.library import FileRecord


def only_file(folder: LogFolder) -> FileRecord:
    (file,) = folder.load().snapshot.runs[0].files
    return file


def damage(path: Path) -> int:
    """Flips a bit of the second of three points, and says where its record begins."""
    data = bytearray(path.read_bytes())
    offset = 0
    for _ in range(2):
        offset += 16 + int.from_bytes(data[offset : offset + 8], "little")
    data[offset + 14] ^= 1
    path.write_bytes(data)
    return offset


def test_a_whole_file_is_good(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]})
    assert condition_of(only_file(folder)) == Condition("good")


def test_a_corrupt_record_is_named_with_its_place(folder: LogFolder) -> None:
    offset = damage(folder.write("a", {"loss": [1, 2, 3]}))
    found = condition_of(only_file(folder))
    assert (found.state, found.offset) == ("damaged", offset)
    assert found.reason


def test_a_file_that_cannot_be_read_is_that_before_it_is_damaged(folder: LogFolder) -> None:
    damage(folder.write("a", {"loss": [1, 2, 3]}))
    file = only_file(folder)
    file.problem = "permission denied"
    assert condition_of(file) == Condition("unreadable", "permission denied")


def test_an_unfinished_record_is_waited_for(folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1, 2, 3]})
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    found = condition_of(only_file(folder))
    assert (found.state, found.offset is not None and found.offset < len(whole) - 3) == ("waiting", True)
