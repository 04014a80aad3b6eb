"""The first load: every run and point, whatever else is in the folder, with few open files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from stepscope.ingest.loader import Root
from stepscope.model.identity import run_id
from stepscope.store.library import Progress

Write = Callable[..., Path]


def test_runs_points_and_the_order_of_files(follow: Any, logs: Path, write_run: Write) -> None:
    write_run(".", steps=1)
    write_run("b/x", steps=4)
    write_run("a", steps=2, wall=2000.0)
    write_run("a", steps=3, wall=1000.0)
    eb.write(logs / "a" / "events.out.tfevents.0.empty", b"")
    one = follow()
    one.loader.load()
    assert one.runs() == {".": 1, "a": 5, "b/x": 4}
    run = next(run for run in one.library.snapshot.runs if run.name == "a")
    assert [os.path.basename(file.path) for file in run.files] == [
        f"events.out.tfevents.{name}" for name in ("1000", "2000", "0.empty")
    ]
    assert run.id == run_id("", "a")
    snapshot = one.library.snapshot
    assert snapshot.by_id[run.id] is run
    assert snapshot.progress == Progress("live", 5, 5, snapshot.progress.bytes, snapshot.progress.bytes)
    assert snapshot.unreadable == ()
    assert one.changes[-1].epoch == snapshot.epoch
    assert any(change.runs_changed for change in one.changes)
    assert any(change.tags_changed for change in one.changes)
    assert one.tags(one.changes) == {".": {b"loss"}, "a": {b"loss"}, "b/x": {b"loss"}}


def test_several_roots_have_their_names_in_front(follow: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        eb.write(tmp_path / name / "run" / "tfevents", eb.scalars(b"x", range(2)))
        eb.write(tmp_path / name / "tfevents", eb.scalars(b"x", range(1)))
    many = follow(Root("first", str(tmp_path / "one")), Root("second", str(tmp_path / "two")))
    many.loader.load()
    assert many.runs() == {"first": 1, "first/run": 2, "second": 1, "second/run": 2}
    assert {run.id for run in many.library.snapshot.runs} == {
        run_id(root, name) for root in ("first", "second") for name in (root, f"{root}/run")
    }


def test_a_root_that_is_not_there_is_told_and_found_later(follow: Any, tmp_path: Path) -> None:
    missing = tmp_path / "later"
    one = follow(Root("", str(missing)))
    one.loader.load()
    assert [(u.path, bool(u.reason)) for u in one.library.snapshot.unreadable] == [(str(missing), True)]
    eb.write(missing / "run" / "tfevents", eb.scalars(b"x", range(2)))
    one.loader.reload()
    assert (one.runs(), one.library.snapshot.unreadable) == ({"run": 2}, ())


def test_odd_things_in_the_folder(follow: Any, logs: Path, write_run: Write) -> None:
    write_run("good", steps=2)
    os.mkfifo(logs / "good" / "pipe.tfevents")
    (logs / "good" / "folder.tfevents").mkdir()
    eb.write(logs / "garbage" / "tfevents", os.urandom(5000))
    eb.write(logs / "empty" / "tfevents", b"")
    os.symlink(logs, logs / "good" / "loop")
    one = follow()
    one.loader.load()  # returns: neither the pipe nor the loop holds it up
    assert one.runs() == {"empty": 0, "garbage": 0, "good": 2}


def test_names_of_any_bytes(follow: Any, logs: Path) -> None:
    for name in (b"<img src=x>", b"a\nb", b"\xff\xfe", b"..."):
        folder = os.path.join(os.fsencode(logs), name)
        os.mkdir(folder)
        with open(os.path.join(folder, b"\xfa.tfevents"), "wb") as writer:
            writer.write(eb.scalars(b"x", range(2)))
    one = follow()
    one.loader.load()
    assert one.runs() == {"<img src=x>": 2, "a\nb": 2, "\\xff\\xfe": 2, "...": 2}
    for run in one.library.snapshot.runs:
        run.name.encode()


def test_a_file_without_permission_is_told_and_the_rest_is_read(follow: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="stepscope-test-") as folder:
        os.chmod(folder, 0o755)
        eb.write(Path(folder) / "closed" / "tfevents", eb.scalars(b"x", range(2))).chmod(0)
        eb.write(Path(folder) / "open" / "tfevents", eb.scalars(b"x", range(3))).chmod(0o644)
        for name in ("closed", "open"):
            (Path(folder) / name).chmod(0o755)
        one = follow(Root("", folder))
        mine = os.geteuid()
        if mine == 0:
            os.seteuid(65534)
        try:
            one.loader.load()
        finally:
            os.seteuid(mine)
        assert one.runs() == {"closed": 0, "open": 3}
        assert [(u.path, u.reason) for u in one.library.snapshot.unreadable] == [(f"{folder}/closed/tfevents", "permission denied")]
        os.chmod(Path(folder) / "closed" / "tfevents", 0o644)
        one.loader.reload()
        assert (one.runs()["closed"], one.library.snapshot.unreadable) == (2, ())


@pytest.mark.parametrize("name", ["run", "run/below"])
def test_a_folder_that_cannot_be_listed_for_a_while_keeps_its_runs(follow: Any, name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="stepscope-test-") as folder:
        os.chmod(folder, 0o755)
        eb.write(Path(folder) / name / "tfevents", eb.scalars(b"x", range(2)))
        run = Path(folder) / "run"
        one = follow(Root("", folder))
        one.loader.load()
        mine = os.geteuid()
        run.chmod(0)
        if mine == 0:
            os.seteuid(65534)
        try:
            one.loader.reload()
        finally:
            os.seteuid(mine)
            run.chmod(0o755)
        assert one.runs() == {name: 2}
        assert [(u.path, u.reason) for u in one.library.snapshot.unreadable] == [(str(run), "permission denied")]


MANY = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from stepscope.ingest.loader import Loader, Root
from stepscope.store.library import Library
library = Library()
loader = Loader(library, [Root("", sys.argv[1])], cache=False)
loader.load()
snapshot = library.snapshot
points = sum(file.events.points for run in snapshot.runs for file in run.files)
print(len(snapshot.runs), points, len(snapshot.unreadable), loader.load_seconds)
"""


@pytest.mark.slow
def test_ten_thousand_runs_with_sixty_four_open_files(tmp_path: Path) -> None:
    data = eb.version(1.0) + eb.scalars(b"x", range(3))
    for i in range(10_000):
        folder = f"{tmp_path}/{i // 100:03}/{i:05}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/events.out.tfevents.1", "wb") as writer:
            writer.write(data)
    done = subprocess.run([sys.executable, "-c", MANY, tmp_path], capture_output=True, text=True, check=True)
    runs, points, unreadable, seconds = done.stdout.split()
    assert (int(runs), int(points), int(unreadable)) == (10_000, 30_000, 0)
    assert float(seconds) < 20


@pytest.mark.parametrize("interval", [0.0, 5.0])
def test_progress_ends_as_live_or_once(follow: Any, write_run: Write, interval: float) -> None:
    write_run("a")
    one = follow(interval=interval)
    one.loader.load()
    assert one.library.snapshot.progress.state == ("live" if interval else "once")
