"""Records above 64 kB: checked whole at load, except a blob alone in its record, which is walked and found damaged when shown."""

from __future__ import annotations

import random
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


def many_scalars(count: int = 4400) -> bytes:
    """One event with so many scalars, as a merged summary of TensorFlow is; the value of each is 100."""
    return eb.event(7, 1000.0, eb.summary(*(eb.value(b"train/tag%04d" % i, eb.single(2, 100.0)) for i in range(count))))


def test_a_flip_anywhere_among_scalars_of_a_large_record_costs_that_record_and_is_reported(tmp_path: Path) -> None:
    first, last = eb.scalar(b"x", 1, 1000.0, 1.0), eb.scalar(b"x", 2, 1001.0, 2.0)
    big = framed(many_scalars())
    assert len(big) > 65536
    choose = random.Random(11)
    places = [*range(12, 60), *(choose.randrange(12, len(big)) for _ in range(150)), len(big) - 1]
    for at in places:
        data = bytearray(big)
        data[at] ^= 1 << choose.randrange(8)
        names = NamePool()
        file = scanned(eb.write(tmp_path / "tfevents", first, bytes(data), last), names)
        assert all_scalars(file, names) == {b"x": [(1, 1000.0, 1.0), (2, 1001.0, 2.0)]}, at
        assert names_of(file, names) == [b"x"], "no tag that nobody logged"
        assert (file.records, file.faults) == (2, [(len(first), len(big), "the data's checksum is wrong")]), at


@pytest.mark.parametrize(
    ("what", "payload"),
    [
        ("a scalar beside a blob", eb.summary(eb.value(b"s", eb.single(2, 1)), eb.value(b"img", eb.message(4, eb.message(4, BIG))))),
        ("a blob beside a scalar", eb.summary(eb.value(b"img", eb.message(4, eb.message(4, BIG))), eb.value(b"s", eb.single(2, 1)))),
        ("a summary in two parts", eb.summary(eb.value(b"img", eb.message(4, BIG))) + eb.summary(eb.value(b"s", eb.single(2, 1)))),
        ("a scalar with long metadata", eb.summary(eb.value(b"s", eb.single(2, 1), eb.message(9, eb.metadata(b"p", content=BIG))))),
        ("a scalar tensor beside an image", eb.summary(eb.value(b"s", eb.message(4, BIG), eb.message(8, eb.tensor(eb.FLOAT))))),
        ("a graph", eb.message(4, BIG)),
        ("nothing that is known", eb.message(6, BIG)),
        ("more than two megabytes", eb.summary(eb.value(b"img", eb.message(4, BIG * 12)), eb.value(b"s", eb.single(2, 1)))),
    ],
    ids=lambda what: what if isinstance(what, str) else "",
)
def test_what_is_not_a_blob_alone_is_checked_at_load(tmp_path: Path, what: str, payload: bytes) -> None:
    before, event = eb.version(1000.0), eb.event(3, 1000.0, payload)
    record = framed(event)
    good = scanned(eb.write(tmp_path / "good", before, record, before))
    assert (good.records, good.skipped) == (3, 0)
    data = bytearray(record)
    data[len(record) // 2] ^= 8
    bad = scanned(eb.write(tmp_path / "bad", before, bytes(data), before))
    assert (bad.records, bad.skipped, bad.series_count) == (2, 1, 0), what


def test_a_blob_whose_time_is_far_from_the_others_is_checked(tmp_path: Path) -> None:
    """Times tell which points a restart supersedes, so what nobody has checked may not move them."""
    event = eb.double(1, 1000.0) + eb.integer(2, 1) + eb.summary(eb.value(b"img", eb.message(4, BIG)))
    for flipped, skipped in (((19, 0x20), 1), ((19, 0x01), 1), ((16, 0x01), 0)):  # bytes of the wall time, lowest first at 13
        data = bytearray(framed(event))
        data[flipped[0]] ^= flipped[1]
        file = scanned(eb.write(tmp_path / "tfevents", eb.version(1000.0), bytes(data), eb.version(1001.0)))
        assert file.skipped == skipped, flipped
        assert (file.first_wall, file.last_wall) == (1000.0, 1001.0), flipped


def test_large_records_are_not_read_at_load(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", eb.version(0.0), framed(*(image(i, BIG * 16) for i in range(16))))
    before = bytes_read()
    file = scanned(path)
    read = bytes_read() - before
    assert file.records == 17
    assert file.offset == path.stat().st_size > 64 << 20
    assert read < 1 << 20, "walking 64 MB of images should read some kilobytes a record"


def test_damage_in_a_large_record_is_found_when_shown_and_by_verify(tmp_path: Path) -> None:
    data = bytearray(framed(image(0, BIG), image(1, BIG)))
    data[5000] ^= 1
    file = scanned(eb.write(tmp_path / "tfevents", eb.version(0.0), bytes(data)))
    assert (file.records, file.skipped, file.verify()) == (3, 0, 1)
    _, _, offsets, lengths = file.blobs(0)
    with pytest.raises(RuntimeError, match="checksum"):
        file.read_blob(int(offsets[0]), int(lengths[0]))
    assert BIG in file.read_blob(int(offsets[1]), int(lengths[1]))


def test_verify_counts_small_and_large(tmp_path: Path) -> None:
    small = eb.scalar(b"x", 1, 1.0, 1.0)
    data = bytearray(small + framed(image(0, BIG)) + small)
    data[20] ^= 4
    data[len(small) + 9000] ^= 4
    assert scanned(eb.write(tmp_path / "tfevents", bytes(data))).verify() == 2


def test_a_blob_of_a_file_that_became_shorter(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", eb.version(0.0), framed(image(0, BIG)))
    file = scanned(path)
    _, _, offsets, lengths = file.blobs(0)
    path.write_bytes(path.read_bytes()[:70000])
    with pytest.raises(RuntimeError, match="truncated"):
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
