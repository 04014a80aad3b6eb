"""Following: growth, new and vanished runs, replaced files; told by notification or found by polling, and what each change says."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

import event_bytes as eb
from stepscope.ingest.loader import Loader
from stepscope.store.library import Change, FileRecord

Write = Callable[..., Path]
Append = Callable[..., None]


@pytest.fixture(params=["notified", "polled"])
def live(request: pytest.FixtureRequest, follow: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Follows with a poll so rare that only notification can be quick, or without notification and a quick poll."""

    def start() -> Any:
        if request.param == "polled":
            monkeypatch.setattr("stepscope.sources.local_folder.notifies", lambda _: False)
            return follow(interval=0.05).live()
        return follow(interval=60.0).live()

    return start


def flags(changes: list[Change]) -> tuple[bool, bool]:
    """Whether any change said that runs, or tags, changed."""
    return any(change.runs_changed for change in changes), any(change.tags_changed for change in changes)


def test_growth(live: Any, write_run: Write, append: Append) -> None:
    path = write_run("a", tags=(b"loss", b"lr"))
    write_run("b")
    one = live()
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    one.wait(lambda: one.runs()["a"] == 7)
    one.wait(lambda: one.tags(one.changes) == {"a": {b"loss"}})
    assert flags(one.changes) == (False, False)
    epochs = [change.epoch for change in one.changes]
    assert epochs == sorted(set(epochs))
    assert one.library.snapshot.epoch == epochs[-1]


def test_a_new_tag(live: Any, write_run: Write, append: Append) -> None:
    path = write_run("a")
    one = live()
    append(path, eb.scalar(b"acc", 3, 2000.0, 3))
    one.wait(lambda: flags(one.changes) == (False, True))
    assert one.tags(one.changes) == {"a": {b"acc"}}


def test_a_new_run_in_new_folders(live: Any, write_run: Write) -> None:
    write_run("a")
    one = live()
    write_run("deep/down/b", steps=5)
    one.wait(lambda: one.runs() == {"a": 3, "deep/down/b": 5})
    assert flags(one.changes) == (True, True)


def test_a_folder_moved_in_and_out(live: Any, write_run: Write, logs: Path) -> None:
    write_run("a")
    write_run("group/b")
    outside = logs.parent / "outside"
    one = live()
    os.rename(logs / "group", outside)
    one.wait(lambda: one.runs() == {"a": 3})
    assert flags(one.changes)[0]
    os.rename(outside, logs / "back")
    one.wait(lambda: one.runs() == {"a": 3, "back/b": 3})


def test_a_deleted_run(live: Any, write_run: Write) -> None:
    write_run("a")
    path = write_run("b")
    one = live()
    path.unlink()
    one.wait(lambda: one.runs() == {"a": 3})
    assert flags(one.changes) == (True, True)


def test_a_file_replaced_by_rename(live: Any, write_run: Write, logs: Path) -> None:
    path = write_run("a", steps=5)
    one = live()
    draft = eb.write(logs.parent / "draft", eb.version(1.0), eb.scalars(b"other", range(9)))
    os.replace(draft, path)
    one.wait(lambda: one.runs() == {"a": 9})
    one.wait(lambda: one.tags(one.changes) == {"a": {b"loss", b"other"}})
    assert flags(one.changes) == (False, True)


def test_a_file_cut_to_nothing_and_written_again(live: Any, write_run: Write, append: Append) -> None:
    path = write_run("a", steps=5)
    one = live()
    os.truncate(path, 0)
    one.wait(lambda: one.runs() == {"a": 0})
    assert one.tags(one.changes) == {"a": {b"loss"}}
    assert flags(one.changes) == (False, True), "the run has no tag any more"
    append(path, eb.version(5.0), eb.scalars(b"loss", range(2)))
    one.wait(lambda: one.runs() == {"a": 2})


def test_a_file_deleted_and_made_again_under_its_name(live: Any, write_run: Write) -> None:
    path = write_run("a", steps=5)
    one = live()
    path.unlink()
    eb.write(path, eb.version(7.0), eb.scalars(b"loss", range(4)))
    one.wait(lambda: one.runs() == {"a": 4})


def test_a_second_file_of_a_run_takes_its_place_by_time(live: Any, write_run: Write) -> None:
    write_run("a", wall=5000.0)
    one = live()
    write_run("a", steps=4, wall=400.0)
    one.wait(lambda: one.runs() == {"a": 7})
    one.wait(lambda: [file.events.first_wall for file in one.library.snapshot.runs[0].files] == [400.0, 5000.0])


def test_what_is_written_while_the_watch_begins_is_found(follow: Any, write_run: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run("a")
    watch = watchfiles.watch
    one = follow(interval=60.0)

    def begin_late(*paths: str, **options: Any) -> Iterator[set[Any]]:
        one.loader.reload()  # the look that comes with the watch is over
        write_run("b")
        return watch(*paths, **options)

    monkeypatch.setattr(watchfiles, "watch", begin_late)
    one.loader.start()
    one.wait(lambda: one.runs() == {"a": 3, "b": 3})


def test_a_folder_reached_by_two_ways_stays_one_run(live: Any, write_run: Write, append: Append, logs: Path) -> None:
    path = write_run("real")
    os.symlink(logs / "real", logs / "alias")
    one = live()
    assert one.runs() == {"alias": 3}
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    one.wait(lambda: one.runs() == {"alias": 4})
    assert flags(one.changes) == (False, False)


def test_reload_looks_at_once_and_returns_the_epoch(
    follow: Any, write_run: Write, append: Append, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepscope.sources.local_folder.notifies", lambda _: False)
    path = write_run("a")
    one = follow(interval=600.0).live()
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    write_run("b")
    epoch = one.loader.reload()
    assert one.runs() == {"a": 4, "b": 3}
    assert epoch == one.library.snapshot.epoch
    assert one.loader.reload() == epoch, "nothing new makes no epoch"


def test_once_means_once(follow: Any, write_run: Write, append: Append) -> None:
    path = write_run("a")
    one = follow(interval=0)
    one.loader.start()
    one.wait(lambda: one.library.snapshot.progress.state == "once")
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    one.loader._poll()
    assert one.loader._notifier is None
    assert one.runs() == {"a": 3}
    one.loader.reload()
    assert one.runs() == {"a": 4}


def test_stop_does_not_wait_for_the_next_look_and_may_come_twice(follow: Any, write_run: Write) -> None:
    write_run("a")
    one = follow(interval=600.0).live()  # longer than a test may take
    one.loader.stop()
    one.loader.stop()
    assert not one.loader._thread.is_alive()


def test_stop_while_loading_leaves_the_rest_unread(follow: Any, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(100):
        eb.write(logs / f"{i:05}" / "tfevents", eb.version(1.0) + eb.scalars(b"x", range(200)))
    began, goes_on, scan = threading.Event(), threading.Event(), Loader._scan

    def scan_later(self: Loader, record: FileRecord) -> int | OSError:
        began.set()
        goes_on.wait(60)
        return scan(self, record)

    monkeypatch.setattr(Loader, "_scan", scan_later)
    one = follow()
    one.loader.start()
    assert began.wait(60)
    stopping = threading.Thread(target=one.loader.stop)
    stopping.start()
    one.wait(one.loader._stop.is_set)
    goes_on.set()
    stopping.join()
    assert not one.loader._thread.is_alive()
    assert set(one.runs().values()) <= {0}


def test_two_loaders_on_one_folder(follow: Any, write_run: Write, append: Append) -> None:
    path = write_run("a")
    both = [follow().live(), follow().live()]
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    for one in both:
        one.wait(lambda one=one: one.runs() == {"a": 4})


def test_following_outlives_a_listener_that_fails(follow: Any, write_run: Write, append: Append) -> None:
    path = write_run("a")
    one = follow(interval=0.2).live()
    failed: list[Change] = []

    def fail_once(change: Change) -> None:
        if not failed:
            failed.append(change)
            raise RuntimeError("the page's event loop is closed")

    one.library.listen(fail_once)
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    one.wait(lambda: len(failed) == 1)
    append(path, eb.scalar(b"loss", 4, 2001.0, 4))
    one.wait(lambda: one.runs() == {"a": 5})
    one.wait(lambda: len(one.changes) >= 2)
    assert one.loader.reload() == one.library.snapshot.epoch


def test_a_listener_that_left_hears_no_more(follow: Any, write_run: Write) -> None:
    write_run("a")
    one = follow()
    heard: list[Change] = []
    leave = one.library.listen(heard.append)
    one.loader.load()
    count = len(heard)
    leave()
    leave()
    write_run("b")
    one.loader.reload()
    assert (len(heard), count > 0) == (count, True)


def test_only_new_bytes_are_read(follow: Any, logs: Path, append: Append) -> None:
    path = eb.write(logs / "a" / "tfevents", eb.version(1.0), eb.scalars(b"x", range(50)) * 600)
    one = follow()
    one.loader.load()
    assert path.stat().st_size > 1 << 20
    before = _bytes_read()
    append(path, eb.scalar(b"x", 50, 9000.0, 1))
    one.loader.reload()
    assert one.runs() == {"a": 30_001}
    assert _bytes_read() - before < 200_000


def _bytes_read() -> int:
    with open("/proc/self/io", encoding="utf-8") as numbers:
        return int(next(line for line in numbers if line.startswith("rchar")).split()[1])


class OpenWatch:
    """Counts how often the files of a folder are opened, by anyone."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.inotify_init1(os.O_NONBLOCK)
        assert self._libc.inotify_add_watch(self._fd, os.fsencode(folder), 0x20) >= 0  # IN_OPEN

    def opened(self) -> list[bytes]:
        """The names opened since the last call; the folder itself is not counted."""
        try:
            data = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return []
        names: list[bytes] = []
        while data:
            length = int.from_bytes(data[12:16], "little")
            names.append(data[16 : 16 + length].rstrip(b"\0"))
            data = data[16 + length :]
        return [name for name in names if name]


def test_an_idle_folder_opens_no_file(follow: Any, write_run: Write, append: Append, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.sources.local_folder.notifies", lambda _: False)
    path = write_run("a")
    one = follow(interval=0.05).live()
    watch = OpenWatch(path.parent)
    polls = 0

    def look() -> None:
        nonlocal polls
        polls += 1
        look_at_active()

    look_at_active = one.loader._look_at_active
    monkeypatch.setattr(one.loader, "_look_at_active", look)
    one.wait(lambda: polls >= 10)
    one.loader.reload()
    assert watch.opened() == []
    append(path, eb.scalar(b"loss", 3, 2000.0, 3))
    one.wait(lambda: one.runs() == {"a": 4})
    assert path.name.encode() in watch.opened(), "the watch itself works"


@pytest.mark.soak
def test_ten_thousand_idle_runs_cost_less_than_a_hundredth_of_a_core(follow: Any, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.sources.local_folder.notifies", lambda _: False)
    data = eb.version(1.0) + eb.scalars(b"x", range(3))
    old = time.time() - 3600
    for i in range(10_000):
        os.utime(eb.write(logs / f"{i // 100:03}" / f"{i:05}" / "tfevents", data), (old, old))
    one = follow(interval=1.0)
    one.loader.start()
    one.wait(lambda: one.library.snapshot.progress.state == "live", 60)
    time.sleep(5)
    spent, started = time.process_time(), time.monotonic()
    time.sleep(60)
    assert (time.process_time() - spent) / (time.monotonic() - started) < 0.01
