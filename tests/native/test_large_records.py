"""Records above 64 kB are walked without reading their data, found damaged when shown or verified, and complete in their index."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import event_bytes as eb
from event_reading import all_scalars, names_of, scanned
from stepscope._native import EventEncoder, NamePool
from stepscope.model.kinds import Kind

pytestmark = pytest.mark.usefixtures("each_origin")

BIG = bytes(range(256)) * 1024  # 256 kB


def framed(*events: bytes) -> bytes:
    """Records with the native checksums: a pure Python CRC of megabytes takes too long."""
    encoder = EventEncoder()
    for event in events:
        encoder.add_event(event)
    return encoder.take()


def bytes_read() -> int:
    """How many bytes this process has asked the system for."""
    with open("/proc/self/io", encoding="utf-8") as numbers:
        return int(next(line for line in numbers if line.startswith("rchar")).split()[1])


def image(step: int, data: bytes, *more: bytes) -> bytes:
    """An event with one big tensor, metadata after it as writers put it."""
    return eb.event(
        step, float(step), eb.summary(eb.value(b"img", eb.message(8, eb.tensor(eb.STRING, eb.message(8, data), shape=(1,))), *more))
    )


def test_metadata_after_a_large_tensor(tmp_path: Path) -> None:
    names = NamePool()
    first = image(0, BIG, eb.message(9, eb.metadata(b"images", display=b"Picture")))
    file = scanned(
        eb.write(tmp_path / "tfevents", framed(first, image(1, BIG), eb.event(2, 2.0, eb.summary(eb.value(b"x", eb.single(2, 1)))))),
        names,
    )
    assert (file.records, file.skipped, names_of(file, names)) == (3, 0, [b"img", b"x"])
    assert (file.kinds().tolist(), file.counts().tolist()) == ([Kind.IMAGE, Kind.SCALAR], [2, 1])
    assert file.metadata(0)[:2] == (b"images", b"Picture")
    _, _, offsets, lengths = file.blobs(0)
    assert BIG in file.read_blob(int(offsets[0]), int(lengths[0]))
    assert image(1, BIG).endswith(file.read_blob(int(offsets[1]), int(lengths[1])))


def test_scalars_inside_a_large_record(tmp_path: Path) -> None:
    names = NamePool()
    values = [eb.value(b"tag/%06d" % i, eb.single(2, i)) for i in range(8000)]
    mixed = eb.value(
        b"t", eb.message(8, eb.tensor(eb.DOUBLE, eb.content(struct.pack("<d", 0.1)))), eb.message(9, eb.metadata(b"scalars"))
    )
    file = scanned(eb.write(tmp_path / "tfevents", framed(eb.event(3, 1.0, eb.summary(*values, mixed)))), names)
    assert file.series_count == 8001
    found = all_scalars(file, names)
    assert found == {**{b"tag/%06d" % i: [(3, 1.0, float(i))] for i in range(8000)}, b"t": [(3, 1.0, 0.1)]}


def test_large_records_are_not_read_at_load(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", framed(*(image(i, BIG * 16) for i in range(16))))
    before = bytes_read()
    file = scanned(path)
    read = bytes_read() - before
    assert file.records == 16
    assert file.offset == path.stat().st_size > 64 << 20
    assert read < 1 << 20, "walking 64 MB of images should read some kilobytes a record"


def test_damage_in_a_large_record_is_found_when_shown_and_by_verify(tmp_path: Path) -> None:
    data = bytearray(framed(image(0, BIG), image(1, BIG)))
    data[5000] ^= 1
    file = scanned(eb.write(tmp_path / "tfevents", bytes(data)))
    assert (file.records, file.skipped, file.verify()) == (2, 0, 1)
    _, _, offsets, lengths = file.blobs(0)
    with pytest.raises(RuntimeError, match="damaged"):
        file.read_blob(int(offsets[0]), int(lengths[0]))
    assert BIG in file.read_blob(int(offsets[1]), int(lengths[1]))


def test_verify_counts_small_and_large(tmp_path: Path) -> None:
    small = eb.scalar(b"x", 1, 1.0, 1.0)
    data = bytearray(small + framed(image(0, BIG)) + small)
    data[20] ^= 4
    data[len(small) + 9000] ^= 4
    assert scanned(eb.write(tmp_path / "tfevents", bytes(data))).verify() == 2


def test_a_blob_of_a_file_that_became_shorter(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", framed(image(0, BIG)))
    file = scanned(path)
    _, _, offsets, lengths = file.blobs(0)
    path.write_bytes(path.read_bytes()[:70000])
    with pytest.raises(RuntimeError, match="shorter"):
        file.read_blob(int(offsets[0]), int(lengths[0]))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        file.read_blob(int(offsets[0]), int(lengths[0]))


@pytest.mark.parametrize("size", [65519, 65520, 65535, 65536, 65537])
def test_around_the_limit(tmp_path: Path, size: int) -> None:
    event = image(0, b"x" * size)
    padded = image(0, b"x" * (2 * size - len(event)))
    assert len(padded) == size
    file = scanned(eb.write(tmp_path / "tfevents", framed(padded, image(1, b"small"))))
    assert (file.records, file.counts().tolist(), file.verify()) == (2, [2], 0)
    _, _, offsets, lengths = file.blobs(0)
    assert b"x" * 65000 in file.read_blob(int(offsets[0]), int(lengths[0]))
