"""The inflater against Python's own compressors: every level and strategy, many members, damage, bombs, reading from the middle."""

from __future__ import annotations

import gzip
import os
import random
import zlib
from pathlib import Path

import pytest

from stepscope._native import inflate, restart_index

WHOLE = 1 << 40


def write(path: Path, content: bytes) -> bytes:
    path.write_bytes(content)
    return os.fsencode(path)


def inflated(path: bytes, ratio: int = 5000) -> tuple[bytes, str]:
    """All content and how it ended: one byte more than there is must be asked for to see the end."""
    return inflate(path, 0, WHOLE, None, ratio=ratio)


def some_text(size: int) -> bytes:
    """Repetitive as JSON is, with distances of every length."""
    chosen = random.Random(size)
    words = [chosen.randbytes(chosen.randint(1, 40)).hex().encode() for _ in range(200)]
    parts: list[bytes] = []
    length = 0
    while length < size:
        part = chosen.choice(words) if chosen.random() < 0.9 else chosen.randbytes(7)
        parts.append(part)
        length += len(part)
    return b"".join(parts)[:size]


@pytest.mark.parametrize("level", [0, 1, 4, 6, 9])
@pytest.mark.parametrize("size", [0, 1, 5, 1000, 300_000, 1_500_000])
def test_every_level_and_size(tmp_path: Path, level: int, size: int) -> None:
    text = some_text(size)
    assert inflated(write(tmp_path / "x.gz", gzip.compress(text, level))) == (text, "complete")


@pytest.mark.parametrize("strategy", [zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FILTERED])
def test_every_strategy(tmp_path: Path, strategy: int) -> None:
    text = some_text(400_000)
    packer = zlib.compressobj(6, zlib.DEFLATED, 31, 9, strategy)
    assert inflated(write(tmp_path / "x.gz", packer.compress(text) + packer.flush())) == (text, "complete")


def test_random_bytes_and_long_runs(tmp_path: Path) -> None:
    text = random.Random(1).randbytes(200_000) + b"\0" * 300_000 + b"ab" * 100_000 + b"abcde" * 60_000
    assert inflated(write(tmp_path / "x.gz", gzip.compress(text))) == (text, "complete")


def test_members_follow_one_another(tmp_path: Path) -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two") + b"\0\0\0"
    assert inflated(write(tmp_path / "x.gz", packed)) == (b"one two", "complete")


def test_bytes_after_the_last_member_are_ignored(tmp_path: Path) -> None:
    assert inflated(write(tmp_path / "x.gz", gzip.compress(b"text") + b"garbage")) == (b"text", "complete")


def test_names_and_comments_in_the_header(tmp_path: Path) -> None:
    body = gzip.compress(b"text")[10:]
    header = b"\x1f\x8b\x08\x1e" + b"\0" * 6 + b"\x03\0abc" + b"name\0" + b"comment\0" + b"\0\0"
    assert inflated(write(tmp_path / "x.gz", header + body)) == (b"text", "complete")


@pytest.mark.parametrize("part", [0.0001, 0.3, 0.9, 0.99999])
def test_a_cut_file_gives_what_is_there(tmp_path: Path, part: float) -> None:
    text = some_text(500_000)
    packed = gzip.compress(text)
    cut = packed[: int(len(packed) * part)]
    found, end = inflated(write(tmp_path / "x.gz", cut))
    assert end == "truncated"
    assert text.startswith(found)
    assert len(found) >= len(zlib.decompressobj(31).decompress(cut)) - 258


def test_a_wrong_checksum_is_noticed(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"text" * 1000))
    packed[-6] ^= 1
    found, end = inflated(write(tmp_path / "x.gz", bytes(packed)))
    assert (len(found), end) == (4000, "damaged")


def test_any_flipped_bit_ends_without_harm(tmp_path: Path) -> None:
    packed = gzip.compress(some_text(3000), 6)
    chosen = random.Random(3)
    for _ in range(300):
        damaged = bytearray(packed)
        damaged[chosen.randrange(10, len(packed))] ^= 1 << chosen.randrange(8)
        found, end = inflated(write(tmp_path / "x.gz", bytes(damaged)))
        assert end in {"damaged", "truncated", "complete"}
        assert len(found) < 3_000_000


@pytest.mark.slow
def test_a_bomb_is_stopped_and_the_limit_can_be_raised(tmp_path: Path) -> None:
    path = write(tmp_path / "x.gz", gzip.compress(b"\0" * 200_000_000, 9))
    found, end = inflate(path, 0, WHOLE, None, ratio=400)
    assert end == "too_large"
    assert len(found) < 100_000_000
    assert inflate(path, 199_999_999, 10, None, ratio=2000) == (b"\0", "complete")


def test_size_is_limited(tmp_path: Path) -> None:
    path = write(tmp_path / "x.gz", gzip.compress(some_text(2_000_000)))
    found, end = inflate(path, 0, WHOLE, None, bytes=500_000, ratio=1000)
    assert end == "too_large"
    assert 500_000 <= len(found) < 1_000_000


def test_reading_from_the_middle_begins_near_it(tmp_path: Path) -> None:
    text = some_text(1_000_000) * 20
    path = write(tmp_path / "x.gz", gzip.compress(text, 1))
    index = restart_index(path)
    assert 3 <= len(index) <= 5
    for offset in (0, 4_194_300, 9_999_999, 19_999_990):
        assert inflate(path, offset, 1000, index)[0] == text[offset : offset + 1000]
