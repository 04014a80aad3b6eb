"""Files that jobs make for a download: whole, read in pieces, and gone when nobody needs them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepscope.jobs.made_file import write_made
from stepscope.model.errors import Refused


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_a_file_is_read_in_pieces_and_removed(tmp_path: Path) -> None:
    made = write_made("points.csv", "text/csv", [b"a,b\n", bytes(3 << 20)])
    assert (made.name, made.content_type, Path(made.path).parent, Path(made.path).suffix) == (
        "points.csv",
        "text/csv",
        tmp_path,
        ".csv",
    )
    pieces = list(made.pieces())
    assert (b"".join(pieces), max(map(len, pieces))) == (b"a,b\n" + bytes(3 << 20), 1 << 20)
    made.close()
    made.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        made.pieces()


def failing(problem: BaseException) -> Iterator[bytes]:
    yield b"half"
    raise problem


def test_a_full_disk_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        write_made("points.csv", "text/csv", failing(OSError(errno.ENOSPC, "No space left on device")))
    assert refused.value.code == "no_room"
    assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_while_making_it_is_raised_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_made("points.csv", "text/csv", failing(KeyboardInterrupt()))
    assert list(tmp_path.iterdir()) == []
