"""Signal handlers that log, flush and close while the code they interrupt does the same: no deadlock, and nothing lost or doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from child_environment import with_sources
from stepscope._native import EventFile, NamePool

ReadFiles = Callable[[Path], list[Any]]
STORM = Path(__file__).with_name("signal_storm.py")
DOING = ["scalar", "text", "histogram", "flush", "close", "new_writer", "keys", "hparams"]

pytestmark = pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs timers that send signals")


def storm(folder: Path, doing: str, signals: int, seed: int, *more: str, seconds: float = 100) -> dict[str, Any]:
    """Runs the program, which stops itself when it hangs; returns what it has logged."""
    command = [sys.executable, str(STORM), str(folder), doing, str(signals), str(seed), str(seconds), *more]
    process = subprocess.run(command, env=with_sources(), capture_output=True, text=True, timeout=seconds + 60, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    return json.loads(process.stdout)


def steps(files: list[Any], tag: str) -> list[int]:
    return sorted(point[0] for written in files for point in written.points.get(tag, []))


def values_of(folder: Path, tag: bytes) -> int:
    """How many values of a tag are in the folder's files, of any kind."""
    count = 0
    for path in folder.iterdir():
        if path.is_file():
            names = NamePool()
            events = EventFile(str(path), names)
            events.scan()
            count += sum(int(n) for n, known in zip(events.counts(), events.tag_ids(), strict=True) if names.name(int(known)) == tag)
    return count


def check(folder: Path, counts: dict[str, int], read_file: Callable[[Path], Any]) -> None:
    files = [read_file(path) for path in (folder / "main").iterdir() if path.is_file()]
    assert {(written.skipped, written.pending) for written in files} == {(0, 0)}
    assert steps(files, "handled") == list(range(1, counts["signals"] + 1))
    assert steps(files, "main") == list(range(counts["main"]))
    assert values_of(folder / "main", b"note/text_summary") == counts["texts"]
    assert values_of(folder / "main", b"weights") == counts["histograms"]
    others = [path for path in folder.rglob("*tfevents*") if path.parent != folder / "main"]
    assert len({path.parent for path in others}) == counts["writers"]
    assert all(read_file(path).skipped == 0 for path in others)


@pytest.mark.slow
@pytest.mark.parametrize("doing", DOING)
def test_handlers_log_whatever_they_interrupt(tmp_path: Path, doing: str, read_file: Callable[[Path], Any]) -> None:
    counts = storm(tmp_path, doing, 400, 1)
    assert counts["signals"] >= 400
    check(tmp_path, counts, read_file)


def check_returned(folder: Path, counts: dict[str, Any], read_file: Callable[[Path], Any]) -> None:
    files = [read_file(path) for path in (folder / "main").iterdir() if path.is_file()]
    assert {(written.skipped, written.pending) for written in files} == {(0, 0)}
    found = steps(files, "main")
    assert len(found) == len(set(found))
    assert set(counts["returned"]) <= set(found) <= set(range(counts["main"]))


RAISED_IN = ["scalar", "text", "histogram", "flush", "close", "keys"]


@pytest.mark.slow
@pytest.mark.parametrize("doing", RAISED_IN)
def test_handlers_raise_wherever_they_interrupt(tmp_path: Path, doing: str, read_file: Callable[[Path], Any]) -> None:
    signals = 100 if doing in ("scalar", "keys") else 400  # few signals find the writer at work in these
    counts = storm(tmp_path, doing, signals, 2, "raising")
    assert counts["signals"] >= signals
    check_returned(tmp_path, counts, read_file)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("doing", DOING)
def test_tens_of_thousands_of_signals(tmp_path: Path, doing: str, read_file: Callable[[Path], Any]) -> None:
    for seed in range(5):
        counts = storm(tmp_path / str(seed), doing, 5_000, seed, seconds=500)
        check(tmp_path / str(seed), counts, read_file)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("doing", RAISED_IN)
def test_thousands_of_signals_that_raise(tmp_path: Path, doing: str, read_file: Callable[[Path], Any]) -> None:
    signals = 500 if doing in ("scalar", "keys") else 2_000
    for seed in range(5):
        counts = storm(tmp_path / str(seed), doing, signals, seed, "raising", seconds=500)
        check_returned(tmp_path / str(seed), counts, read_file)
