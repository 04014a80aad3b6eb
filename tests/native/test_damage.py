"""Cut and corrupted files: no point before or after the damage is lost, and the report says where and how much."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import event_bytes as eb
from event_reading import all_scalars, opened, scanned
from stepscope._native import EventFile, NamePool

pytestmark = pytest.mark.usefixtures("each_origin")

RECORDS = [eb.version(1.0)] + [eb.scalar(b"loss", i, 1.0 + i, i / 2) for i in range(6)]
WHOLE = b"".join(RECORDS)
STARTS = [sum(map(len, RECORDS[:i])) for i in range(len(RECORDS) + 1)]
POINTS = [(i, 1.0 + i, i / 2) for i in range(6)]
BAD_LENGTH = "the length's checksum is wrong"
BAD_DATA = "the data's checksum is wrong"
TOO_LONG = "the record is longer than the file"


def points(file: EventFile, names: NamePool) -> list[tuple[int, float, float]]:
    """The points of the one tag."""
    return all_scalars(file, names).get(b"loss", [])


def test_cut_at_every_byte_then_completed(tmp_path: Path) -> None:
    for cut in range(len(WHOLE) + 1):
        path = eb.write(tmp_path / "tfevents", WHOLE[:cut])
        names = NamePool()
        file = scanned(path, names)
        whole_records = sum(start <= cut for start in STARTS[1:])
        assert points(file, names) == POINTS[: max(0, whole_records - 1)], cut
        assert (file.skipped, file.offset, file.pending) == (0, STARTS[whole_records], cut - STARTS[whole_records]), cut
        path.write_bytes(WHOLE)
        assert file.scan() == len(WHOLE) - STARTS[whole_records]
        assert points(file, names) == POINTS, cut
        assert (file.skipped, file.pending, file.records, file.scan()) == (0, 0, 7, 0)


@pytest.mark.parametrize("grow_by", [1, 3, 7, 64])
def test_growing_a_few_bytes_at_a_time(tmp_path: Path, grow_by: int) -> None:
    path = eb.write(tmp_path / "tfevents", b"")
    names = NamePool()
    file = opened(path, names)
    for size in range(0, len(WHOLE) + grow_by, grow_by):
        path.write_bytes(WHOLE[:size])
        assert file.scan() >= 0
    assert points(file, names) == POINTS
    assert (file.skipped, file.records) == (0, 7)


def flips() -> list[tuple[int, int]]:
    """One random bit of every byte, and all eight of one record's."""
    choose = random.Random(3)
    return [(at, choose.randrange(8)) for at in range(len(WHOLE))] + [
        (at, bit) for at in range(STARTS[3], STARTS[4]) for bit in range(8)
    ]


def test_a_flipped_bit_costs_at_most_its_record(tmp_path: Path) -> None:
    path = tmp_path / "tfevents"
    for at, bit in flips():
        data = bytearray(WHOLE)
        data[at] ^= 1 << bit
        path.write_bytes(data)
        names = NamePool()
        file = scanned(path, names)
        hit = next(i for i in range(len(RECORDS)) if at < STARTS[i + 1])
        assert points(file, names) == [point for i, point in enumerate(POINTS) if i + 1 != hit], (at, bit)
        reason = BAD_LENGTH if at - STARTS[hit] < 12 else BAD_DATA
        assert (file.records, file.skipped, file.skipped_bytes) == (6, 1, len(RECORDS[hit])), (at, bit)
        assert file.faults == [(STARTS[hit], len(RECORDS[hit]), reason)], (at, bit)


def test_damage_at_the_end_is_reported_and_cleared_when_the_write_completes(tmp_path: Path) -> None:
    for at in range(STARTS[-2], STARTS[-1]):
        data = bytearray(WHOLE)
        data[at] ^= 0x10
        path = eb.write(tmp_path / "tfevents", bytes(data))
        names = NamePool()
        file = scanned(path, names)
        assert (file.skipped, len(points(file, names)), file.offset) == (1, 5, STARTS[-2])
        assert file.scan() == 0
        assert file.skipped == 1, "looking again does not count it twice"
        path.write_bytes(WHOLE)
        file.scan()
        assert (file.skipped, file.faults, points(file, names)) == (0, [], POINTS)


def test_damage_at_the_end_stays_reported_when_the_file_goes_on(tmp_path: Path) -> None:
    for at in range(STARTS[-2], STARTS[-1]):
        data = bytearray(WHOLE)
        data[at] ^= 0x10
        path = eb.write(tmp_path / "tfevents", bytes(data))
        names = NamePool()
        file = scanned(path, names)
        path.write_bytes(bytes(data) + eb.scalar(b"loss", 6, 7.0, 3.0))
        file.scan()
        assert points(file, names) == [*POINTS[:5], (6, 7.0, 3.0)], at
        assert (file.skipped, file.skipped_bytes, file.pending) == (1, len(RECORDS[-1]), 0)


def test_zeros_at_the_tail_that_are_filled_in_later(tmp_path: Path) -> None:
    # What a crashed machine, or a network file system in the middle of a write, shows of a file.
    for written in range(STARTS[3], len(WHOLE)):
        path = eb.write(tmp_path / "tfevents", WHOLE[:written] + bytes(len(WHOLE) - written))
        names = NamePool()
        file = scanned(path, names)
        assert len(points(file, names)) >= sum(start <= written for start in STARTS[1:]) - 1
        assert file.skipped <= 2
        path.write_bytes(WHOLE)
        if file.scan() < 0:  # a record that was stepped over has changed since: it is read again from the start
            file = scanned(path, names)
        assert points(file, names) == POINTS, written
        assert (file.skipped, file.pending) == (0, 0)


def test_a_hole_after_damage_that_is_filled_in_later(tmp_path: Path) -> None:
    damaged = bytearray(WHOLE)
    damaged[STARTS[2] + 9] ^= 1  # the header of the third record, for good
    path = eb.write(tmp_path / "tfevents", bytes(damaged[: STARTS[3]]) + bytes(len(WHOLE) - STARTS[3]))
    names = NamePool()
    file = scanned(path, names)
    assert (points(file, names), file.skipped) == (POINTS[:1], 1)
    path.write_bytes(damaged)
    file.scan()
    assert points(file, names) == [POINTS[0], *POINTS[2:]]
    assert file.faults == [(STARTS[2], len(RECORDS[2]), BAD_LENGTH)]


@pytest.mark.parametrize("zeros", [1, 11, 12, 16, 4096, 100_000])
def test_zeros_at_the_tail_and_then_good_records(tmp_path: Path, zeros: int) -> None:
    path = eb.write(tmp_path / "tfevents", WHOLE + bytes(zeros))
    names = NamePool()
    file = scanned(path, names)
    assert points(file, names) == POINTS
    assert file.offset == len(WHOLE)
    assert (file.skipped, file.pending) == ((1, 0) if zeros >= 12 else (0, zeros))
    path.write_bytes(WHOLE + bytes(zeros) + eb.scalar(b"loss", 6, 7.0, 3.0))
    file.scan()
    assert points(file, names) == [*POINTS, (6, 7.0, 3.0)]
    assert (file.skipped, file.skipped_bytes, file.pending) == (1, zeros, 0)


@pytest.mark.parametrize("length", [1 << 31, 10 << 30, 1 << 62, (1 << 64) - 1])
def test_an_impossible_length_with_a_right_checksum(tmp_path: Path, length: int) -> None:
    names = NamePool()
    file = scanned(eb.write(tmp_path / "tfevents", RECORDS[0], eb.header(length), b"some data", *RECORDS[1:]), names)
    assert points(file, names) == POINTS
    assert file.faults == [(len(RECORDS[0]), 21, BAD_LENGTH)]


@pytest.mark.parametrize("length", [200, 1 << 20, (1 << 31) - 1])
def test_records_behind_a_length_that_the_file_never_reaches(tmp_path: Path, length: int) -> None:
    """A good header of a record longer than the file hides what follows, but only until the file has settled."""
    names = NamePool()
    torn = eb.header(length) + b"some data"
    path = eb.write(tmp_path / "tfevents", *RECORDS[:3], torn, *RECORDS[3:5])
    file = scanned(path, names)
    assert (points(file, names), file.pending, file.skipped) == (POINTS[:2], path.stat().st_size - STARTS[3], 0)
    file.scan(settled=True)
    assert points(file, names) == POINTS[:4]
    assert (file.faults, file.pending) == ([(STARTS[3], len(torn), TOO_LONG)], 0)
    path.write_bytes(path.read_bytes() + b"".join(RECORDS[5:]))
    file.scan()
    assert (points(file, names), file.skipped) == (POINTS, 1)


def test_many_lengths_that_the_file_never_reaches(tmp_path: Path) -> None:
    names = NamePool()
    file = opened(eb.write(tmp_path / "tfevents", *(eb.header(1 << 30) + record for record in RECORDS), eb.header(1 << 30)), names)
    file.scan(settled=True)
    assert (points(file, names), file.skipped, file.pending) == (POINTS, len(RECORDS), 12)


def test_a_long_record_that_is_not_there_yet(tmp_path: Path) -> None:
    names = NamePool()
    path = eb.write(tmp_path / "tfevents", RECORDS[0], RECORDS[1], eb.header(1 << 30), b"the beginning")
    file = scanned(path, names)
    assert (points(file, names), file.pending, file.skipped) == (POINTS[:1], 25, 0)
    file.scan(settled=True)
    assert (points(file, names), file.pending, file.skipped) == (POINTS[:1], 25, 0)


def test_a_record_that_was_taken_for_torn_and_then_ends_is_read(tmp_path: Path) -> None:
    """A blob may hold event records itself; while its writer pauses it looks like a torn record with others behind it."""
    inner = b"".join(eb.scalar(b"inner", step, 1.0, 1.0) for step in range(5))
    whole = eb.record(eb.event(1, 1.0, eb.summary(eb.value(b"blob", eb.message(8, eb.tensor(eb.STRING, eb.message(8, inner)))))))
    data = b"".join([*RECORDS, whole, eb.scalar(b"loss", 6, 7.0, 3.0)])
    for cut in (len(WHOLE) + 150, len(WHOLE) + len(whole) - 1):
        path = eb.write(tmp_path / "tfevents", data[:cut])
        names = NamePool()
        file = scanned(path, names)
        file.scan(settled=True)
        assert b"inner" in all_scalars(file, names), "it cannot be told from a torn record yet"
        path.write_bytes(data)
        assert file.scan() == -1, "the caller starts anew"
        names = NamePool()
        file = scanned(path, names)
        assert all_scalars(file, names) == {b"loss": [*POINTS, (6, 7.0, 3.0)]}
        assert (file.skipped, file.pending, file.series_count) == (0, 0, 2)


def test_a_torn_record_in_a_file_that_goes_on(tmp_path: Path) -> None:
    """What was written behind the tear is read, although the torn record's length covers it."""
    long = eb.record(eb.event(9, 1.0, eb.summary(eb.value(b"text", eb.message(8, eb.tensor(eb.STRING, eb.message(8, b"x" * 80)))))))
    for kept in (12, 60, len(long) - 1):
        names = NamePool()
        file = scanned(eb.write(tmp_path / "tfevents", *RECORDS[:2], long[:kept], *RECORDS[2:]), names)
        assert points(file, names) == POINTS, kept
        assert (file.skipped, file.skipped_bytes) == (1, kept)


def test_a_search_for_what_follows_does_not_miss_what_was_half_written(tmp_path: Path) -> None:
    """A record behind the tear that was not whole at the first search is found by the next."""
    names = NamePool()
    torn = RECORDS[0] + eb.header(1 << 30) + b"some data"
    path = eb.write(tmp_path / "tfevents", torn + RECORDS[1][:-3])
    file = opened(path, names)
    file.scan(settled=True)
    assert (file.pending, file.skipped) == (path.stat().st_size - len(RECORDS[0]), 0)
    path.write_bytes(torn + b"".join(RECORDS[1:]))
    file.scan(settled=True)
    assert points(file, names) == POINTS


@pytest.mark.parametrize("garbage", [b"x", b"\xff" * 11, random.Random(5).randbytes(3000), RECORDS[2][:20], RECORDS[2][7:]])
def test_garbage_between_records(tmp_path: Path, garbage: bytes) -> None:
    names = NamePool()
    data = RECORDS[0] + RECORDS[1] + garbage + b"".join(RECORDS[2:])
    file = scanned(eb.write(tmp_path / "tfevents", data), names)
    assert points(file, names) == POINTS
    assert (file.skipped, file.skipped_bytes) == (1, len(garbage))
    assert file.offset == len(data)


def test_garbage_only(tmp_path: Path) -> None:
    data = random.Random(6).randbytes(300_000)
    file = scanned(eb.write(tmp_path / "tfevents", data))
    assert (file.records, file.series_count, file.skipped, file.skipped_bytes) == (0, 0, 1, len(data))
    assert file.scan() == 0


def test_the_report_names_the_first_hundred_faults_and_counts_all(tmp_path: Path) -> None:
    bad = bytearray(RECORDS[1])
    bad[-6] ^= 1
    file = scanned(eb.write(tmp_path / "tfevents", *([bytes(bad), RECORDS[2]] * 250)))
    assert (file.records, file.skipped, len(file.faults)) == (250, 250, 100)
    assert file.skipped_bytes == 250 * len(bad)


def test_a_search_through_hostile_headers_ends(tmp_path: Path) -> None:
    # A right header of a long record every twelve bytes: checking each one's data would take hours.
    hostile = b"\x01" + eb.header(5 << 20) * 500_000 + bytes(6 << 20)
    names = NamePool()
    file = scanned(eb.write(tmp_path / "tfevents", RECORDS[1], hostile, RECORDS[2]), names)
    assert points(file, names) == POINTS[:2]


class CountedRanges:
    """A file in memory that counts the bytes it was asked for."""

    path = b"counted"

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.bytes_read = 0

    def size(self) -> int:
        return len(self.content)

    def read_range(self, offset: int, length: int) -> bytes:
        self.bytes_read += length
        return self.content[offset : offset + length]


def long_wrong_records() -> bytes:
    """Records with a right header at every twelfth byte of the data of others, all wrong."""
    inside = eb.header(65_000) * 5_000
    return (eb.header(65_000) + inside + bytes(65_000 - len(inside)) + b"crc?" + b"\xff" * 13) * 20


def wrong_records_around_good_ones() -> bytes:
    """Before each good record a right header, of a wrong record that reaches almost to the end of the file."""
    size, unit = 1 << 20, eb.header(0) + RECORDS[1]
    hidden = b"".join(eb.header(size - at - 200) + RECORDS[1] for at in range(0, size - 100_000, len(unit)))
    return hidden + b"\xff" * (size - len(hidden))


@pytest.mark.parametrize("make", [long_wrong_records, wrong_records_around_good_ones])
def test_what_is_checked_in_vain_is_bounded(make: Callable[[], bytes]) -> None:
    ranges = CountedRanges(RECORDS[1] + b"\xff" + make() + RECORDS[2])
    names = NamePool()
    file = EventFile(ranges, names)
    file.scan()
    file.scan(settled=True)  # the last of the wrong ones end behind the file
    assert points(file, names) == [POINTS[0]] * ranges.content.count(RECORDS[1]) + [POINTS[1]]
    assert ranges.bytes_read < 1 << 30


def test_a_hole_of_many_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", RECORDS[1])
    os.truncate(path, 200 << 30)
    with path.open("ab") as file:
        file.write(b"".join(RECORDS[2:]))
    if path.stat().st_blocks * 512 > 1 << 20:
        pytest.skip("The file system stores holes.")
    names = NamePool()
    read = EventFile(os.fsencode(path), names)
    read.scan()
    assert points(read, names) == POINTS
    assert (read.skipped, read.skipped_bytes) == (1, (200 << 30) - len(RECORDS[1]))


event_lists = st.lists(
    st.tuples(
        st.sampled_from([b"a", b"b", b"loss/train", "é".encode()]),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(0, 2e9),
        st.floats(width=32, allow_nan=False),
    ),
    max_size=30,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(events=event_lists, cuts=st.lists(st.integers(0, 4000), max_size=6), limit=st.sampled_from([0, 1, 100]))
def test_round_trip_in_any_steps_of_growth(
    tmp_path: Path, events: list[tuple[bytes, int, float, float]], cuts: list[int], limit: int
) -> None:
    data = b"".join(eb.scalar(*event) for event in events)
    path = tmp_path / "tfevents"
    path.write_bytes(b"")
    names = NamePool()
    file = opened(path, names)
    for size in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        path.write_bytes(data[:size])
        while file.scan(limit) > 0:
            pass
    wanted: dict[bytes, list[tuple[int, float, float]]] = {}
    for tag, step, wall, number in events:
        wanted.setdefault(tag, []).append((step, wall, number))
    assert all_scalars(file, names) == wanted
    assert (file.records, file.skipped, file.pending, file.offset) == (len(events), 0, 0, len(data))
