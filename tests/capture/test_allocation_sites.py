"""Host memory by allocation site: known bytes at a known line, read by our reader of pprof files, and of XSpace sessions with one."""

from __future__ import annotations

import gzip
import inspect
import json
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import stepscope
from stepscope.capture.profilers.allocation_sites import ENDING, pprof_of
from stepscope.formats.open_profile import read_file

Run = Callable[..., subprocess.CompletedProcess[str]]
SIZE = 3_000_000


def allocate() -> bytes:
    return bytes(SIZE)


def test_what_is_held_is_listed_by_the_line_that_allocated_it(tmp_path: Path, verbs: Run) -> None:
    with stepscope.profile(tmp_path, framework="python", allocations=True) as profile, profile.step(0):
        held = [allocate(), allocate()]
    assert not tracemalloc.is_tracing()
    (session,) = profile.sessions
    (path,) = Path(session).glob(f"*{ENDING}")
    snapshot = read_file(str(path)).memory_snapshot
    assert snapshot is not None
    largest = int(snapshot.blocks.bytes.argmax())
    assert SIZE * len(held) <= int(snapshot.blocks.bytes[largest]) < SIZE * len(held) + 1000
    line = inspect.getsourcelines(allocate)[1] + 1
    assert snapshot.stacks[int(snapshot.blocks.stack[largest])][0].startswith(f"{__file__}:{line}")
    told = json.loads(verbs("profile", "memory", path, "--json", "--no-cache").stdout)
    assert told["devices"][0]["name"].startswith("host")
    steps = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)["steps"]
    assert [step["step"] for step in steps] == [0], "the session has the steps of its trace"


def test_without_a_word_nothing_is_traced(tmp_path: Path) -> None:
    with stepscope.profile(tmp_path, framework="python") as profile:
        assert not tracemalloc.is_tracing()
    assert not list(Path(profile.sessions[0]).glob(f"*{ENDING}"))


def test_tracing_of_the_program_goes_on(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with stepscope.profile(tmp_path, framework="python", allocations=True):
            pass
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_stacks_are_innermost_first_and_sizes_whole(tmp_path: Path) -> None:
    path = tmp_path / "memory.prof"
    path.write_bytes(gzip.compress(pprof_of([(10, 1, [("main.py", 1), ("load.py", 7)]), (5, 2, [("main.py", 1)])], 1)))
    snapshot = read_file(str(path)).memory_snapshot
    assert snapshot is not None
    assert snapshot.blocks.bytes.tolist() == [10, 5]
    assert [list(snapshot.stacks[int(each)]) for each in snapshot.blocks.stack] == [["load.py:7 ", "main.py:1 "], ["main.py:1 "]]
