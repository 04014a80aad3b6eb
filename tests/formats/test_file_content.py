"""A large file is read by several threads, and is the same as a small one's reading would give."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from stepscope._native import read_whole_file
from stepscope.formats.file_content import read_buffer, read_content, read_parts
from stepscope.formats.format import Limits
from stepscope.model.errors import BadInput, NotThere, TooMuch

LARGE = 17 << 20


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("content") / "large"
    path.write_bytes(np.random.default_rng(3).integers(0, 255, LARGE + 12_345, dtype=np.uint8).tobytes())
    return path


def test_a_large_file_is_read_whole(large: Path) -> None:
    content = read_buffer(str(large), Limits())
    assert isinstance(content, np.ndarray)
    assert content.tobytes() == read_content(str(large), Limits()) == large.read_bytes()


def test_a_small_file_stays_bytes(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"small")
    assert read_buffer(str(tmp_path / "small"), Limits()) == b"small"


def test_the_limit_holds_for_large_files(large: Path) -> None:
    with pytest.raises(TooMuch):
        read_buffer(str(large), Limits(bytes=LARGE))
    assert len(read_whole_file(os.fsencode(large), 9 << 20)) == 9 << 20


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotThere):
        read_buffer(str(tmp_path / "missing"), Limits())
    with pytest.raises(BadInput):
        read_buffer(str(tmp_path), Limits())
    with pytest.raises(FileNotFoundError):
        read_whole_file(os.fsencode(tmp_path / "missing"), 10)


def test_parts_are_read_of_plain_and_packed_files_alike(tmp_path: Path) -> None:
    content = bytes(range(200))
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "packed").write_bytes(gzip.compress(content))
    parts = [(150, 10), (0, 3), (190, 50), (500, 5), (7, 0)]
    for name in ("plain", "packed"):
        assert read_parts(str(tmp_path / name), Limits(), parts) == [content[150:160], content[:3], content[190:], b"", b""]
    with pytest.raises(TooMuch):
        read_parts(str(tmp_path / "plain"), Limits(bytes=199), parts)
    with pytest.raises(NotThere):
        read_parts(str(tmp_path / "missing"), Limits(), parts)
