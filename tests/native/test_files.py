"""Files that grow, shrink, are replaced or are no files at all, and a scan that reads only what is new (`file_window`)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

import event_bytes as eb
from event_reading import all_scalars, names_of, scanned
from stepscope._native import EventEncoder, EventFile, NamePool

pytestmark = pytest.mark.usefixtures("each_origin")

OLD = [eb.version(1.0), *(eb.scalar(b"x", i, 2.0 + i, i) for i in range(10))]
REPLACED = -1


def replace(path: Path, data: bytes) -> None:
    """Puts a new file in the place of the old one, as rsync does."""
    draft = path.with_name("draft")
    draft.write_bytes(data)
    os.replace(draft, path)


def test_only_new_bytes_are_read(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", *OLD)
    file = scanned(path)
    size = path.stat().st_size
    assert file.offset == size
    assert file.scan() == 0
    more = eb.scalar(b"x", 10, 12.0, 10)
    with path.open("ab") as writer:
        writer.write(more)
    assert (file.scan(), file.offset) == (len(more), size + len(more))


def test_changed_names_the_tags_with_new_points_once(tmp_path: Path) -> None:
    names = NamePool()
    path = eb.write(tmp_path / "tfevents", *OLD, eb.scalar(b"y", 0, 1.0, 0))
    file = scanned(path, names)
    x, y = names.find(b"x"), names.find(b"y")
    assert file.changed() == [x, y]
    assert file.changed() == []
    with path.open("ab") as writer:
        writer.write(eb.scalar(b"y", 1, 2.0, 1) * 2)
    file.scan()
    assert file.changed() == [y]


@pytest.mark.parametrize("new", [[eb.version(9.0), *OLD[1:5]], [eb.version(9.0), *OLD[1:]], [eb.version(9.0), *OLD[1:], *OLD[1:]]])
def test_replaced_by_a_shorter_equal_or_longer_file(tmp_path: Path, new: list[bytes]) -> None:
    path = eb.write(tmp_path / "tfevents", *OLD)
    file = scanned(path)
    replace(path, b"".join(new))
    assert file.scan() == REPLACED
    assert file.scan() == REPLACED, "it says so until the caller starts anew"
    assert file.offset == len(b"".join(OLD)), "what was read stays readable"


def test_replaced_by_its_own_continuation_is_growth(tmp_path: Path) -> None:
    names = NamePool()
    path = eb.write(tmp_path / "tfevents", *OLD)
    file = scanned(path, names)
    more = eb.scalar(b"x", 10, 12.0, 10)
    replace(path, b"".join(OLD) + more)
    assert file.scan() == len(more)
    assert len(all_scalars(file, names)[b"x"]) == 11


def test_a_new_end_under_the_same_beginning_is_another_file(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", *OLD)
    file = scanned(path)
    path.write_bytes(b"".join([*OLD[:-1], eb.scalar(b"x", 9, 11.0, 99)]))
    assert file.scan() == REPLACED


def test_truncated_in_place(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", *OLD)
    file = scanned(path)
    os.truncate(path, 100)
    assert file.scan() == REPLACED
    os.truncate(path, 0)
    assert file.scan() == REPLACED


def test_deleted_then_made_again(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", *OLD)
    file = scanned(path)
    path.unlink()
    with pytest.raises(FileNotFoundError) as error:
        file.scan()
    assert error.value.filename == str(path)
    eb.write(path, eb.version(50.0))
    assert file.scan() == REPLACED


def test_empty_file(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", b"")
    file = EventFile(str(path), NamePool())
    assert (file.scan(), file.offset, file.skipped, file.pending) == (0, 0, 0, 0)
    path.write_bytes(b"".join(OLD))
    assert file.scan() > 0
    assert file.points == 10


def test_a_pipe_does_not_block_and_a_folder_is_no_file(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe.tfevents", tmp_path / "folder.tfevents"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (pipe, folder):
        with pytest.raises(OSError) as error:  # noqa: PT011 — the errno is checked
            EventFile(str(path), NamePool()).scan()
        assert error.value.errno == errno.EINVAL


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\n<b>.tfevents"
    with open(path, "wb") as writer:
        writer.write(b"".join(OLD))
    file = EventFile(path, NamePool())
    file.scan()
    assert (file.points, file.path) == (10, path)


def test_no_handle_is_kept_open(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "tfevents", *OLD)
    before = len(os.listdir("/proc/self/fd"))
    files = [scanned(path) for _ in range(50)]
    assert len(os.listdir("/proc/self/fd")) == before
    assert sum(file.points for file in files) == 500


def test_indices_are_checked(tmp_path: Path) -> None:
    file = scanned(eb.write(tmp_path / "tfevents", *OLD, eb.session_log(1, 1.0)))
    for wrong in (2, 2**31):
        with pytest.raises(IndexError):
            file.scalars(wrong)
        with pytest.raises(IndexError):
            file.metadata(wrong)
    with pytest.raises(IndexError):
        file.blobs(0)
    with pytest.raises(IndexError):
        file.scalars(1)
    with pytest.raises(RuntimeError):
        file.read_blob(0, 1 << 40)
    with pytest.raises(RuntimeError):
        file.read_blob((1 << 64) - 1, 5)


def test_name_pool() -> None:
    names = NamePool()
    assert [names.intern(b"a"), names.intern(b"\0\xff"), names.intern(b"a")] == [0, 1, 0]
    assert (len(names), names.names(), names.names(1), names.name(1), names.name(9), names.name(-1)) == (
        2, [b"a", b"\0\xff"], [b"\0\xff"], b"\0\xff", b"", b"",
    )  # fmt: skip
    assert (names.find(b"b"), names.find(b"a")) == (-1, 0)


MEASURE = """
import sys
from stepscope._native import EventFile, NamePool
def resident():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) << 10
before = resident()
names = NamePool()
file = EventFile(sys.argv[1], names)
file.scan()
assert file.series_count == len(names) == int(sys.argv[2])
print((resident() - before) / file.series_count)
"""


@pytest.mark.slow
def test_many_tags_in_one_file_take_bounded_memory(tmp_path: Path) -> None:
    encoder = EventEncoder()
    count = 300_000
    encoder.add_scalars([(b"layer/%07d/grad_norm" % i, 1, 1.0, 0.5) for i in range(count)])
    path = eb.write(tmp_path / "tfevents", encoder.take())
    done = subprocess.run([sys.executable, "-c", MEASURE, path, str(count)], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1000, "bytes for each series of one point"


def test_readers_see_whole_points_while_a_thread_scans(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    encoder = EventEncoder()
    encoder.add_scalars([(b"t%d" % (i % 7), i, float(i), float(i)) for i in range(300_000)])
    names = NamePool()
    file = EventFile(str(eb.write(tmp_path / "tfevents", encoder.take())), names)

    def scan_all() -> None:
        while file.scan(200_000) > 0:
            pass

    with ThreadPoolExecutor(1) as pool:
        scanning = pool.submit(scan_all)
        looks = 0
        while not scanning.done() or looks == 0:
            for index in range(file.series_count):
                step, wall, value = file.scalars(index)
                assert (step == wall).all()
                assert (step == value).all()
                assert (step[1:] - step[:-1] == 7).all()
            looks += 1
        scanning.result()
    assert names_of(file, names) == [b"t%d" % i for i in range(7)]
    assert file.points == 300_000
