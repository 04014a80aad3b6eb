"""Pipes, sockets, devices and files of /proc in place of logs, profiles and tables: refused at once, never waited for."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from opened_profiles import open_profile
from stepscope._native import EventFile, NamePool, read_kineto, read_whole_file
from stepscope.cli import main
from stepscope.formats.event_recordings import recordings_of
from stepscope.ingest.loader import Loader, Root
from stepscope.model.errors import BadInput, NotThere
from stepscope.sources.files import read_range
from stepscope.store.library import Library
from stepscope.store.user_files import user_text

PATIENCE = 60
"""Seconds until something that waits for a pipe has certainly been caught."""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def local_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # addresses of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def endless_device(path: Path) -> None:
    os.symlink("/dev/zero", path)


def terminal(path: Path) -> None:
    os.symlink("/dev/tty", path)


def kernel_file(path: Path) -> None:
    """A regular file of no size, whose reading waits for the kernel's next message, or may not be read."""
    os.symlink("/proc/kmsg", path)


every_kind = pytest.mark.parametrize("make", [pipe, local_socket, endless_device, terminal, kernel_file])


def outcome(work: Callable[[], object]) -> object:
    """What it returns or raises; fails when it waits."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # handed on to the test
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it waits for a file that is none"
    return found[0]


NAMES = ("rank0.pt.trace.json", "rank1.xplane.pb", "a.pftrace", "snapshot.pickle", "memory.prof", "events.out.tfevents.1.host")


@every_kind
def test_a_folder_with_nothing_else_has_no_profile(make: Callable[[Path], None], tmp_path: Path) -> None:
    for name in NAMES:
        make(tmp_path / name)
    assert isinstance(outcome(lambda: open_profile(str(tmp_path))), NotThere | BadInput)
    left = outcome(lambda: main(["profile", "report", str(tmp_path)]))
    assert isinstance(left, SystemExit)
    assert left.code == 2


@every_kind
@pytest.mark.parametrize("name", NAMES)
def test_one_that_is_named_by_its_path_is_refused(make: Callable[[Path], None], name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    make(path)
    found = outcome(lambda: open_profile(str(path)))
    assert isinstance(found, BadInput)
    if make is not kernel_file:  # which is a regular file, and empty
        assert found.code == "not_a_file"


@every_kind
def test_every_reader_of_bytes_refuses_it_or_finds_nothing(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "given"
    make(path)
    text = str(path)
    events = EventFile(os.fsencode(path), NamePool())
    readers: list[Callable[[], object]] = [
        lambda: read_range(text, 0, 100),
        lambda: read_whole_file(os.fsencode(path), 100).tobytes(),
        lambda: user_text(text),
        lambda: recordings_of(text),
        lambda: read_kineto(os.fsencode(path), [], 1 << 30, 400, 1000, 1000)[0],
        events.scan,
    ]
    for reader in readers:
        found = outcome(reader)
        assert isinstance(found, OSError) or found in (b"", "", None, "unknown", 0), found
    assert events.points == 0


@every_kind
def test_the_server_passes_it_by(make: Callable[[Path], None], tmp_path: Path) -> None:
    for name in NAMES:
        make(tmp_path / name)
    library = Library()
    loader = Loader(library, [Root("", str(tmp_path))], reload_interval=0, cache=False)
    outcome(loader.reload)
    assert sum(file.events.points for run in library.snapshot.runs for file in run.files) == 0
