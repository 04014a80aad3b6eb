"""Operations that C and C++ code marks with stepscope_op.h (op_recorder, added_tracks): in the tables with time and bytes."""

from __future__ import annotations

import ctypes
import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope
from marked_library import compiled
from stepscope._native import start_marked_ops, stop_marked_ops
from stepscope.capture.profilers.added_tracks import AddedSpan, AddedTrack, with_tracks
from stepscope.capture.profilers.profiler import Recorded
from stepscope.capture.profilers.python_trace import Clock
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import MarkerFamily

HERE = Path(__file__).parent
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def c_library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return ctypes.CDLL(str(compiled(tmp_path_factory.mktemp("c"), "c")))


@pytest.fixture(scope="module")
def cpp_library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return ctypes.CDLL(str(compiled(tmp_path_factory.mktemp("cpp"), "cpp")))


def test_operations_nest_and_know_thread_and_bytes(c_library: ctypes.CDLL) -> None:
    start_marked_ops()
    c_library.outer()
    ops, dropped = stop_marked_ops()
    inner, outer = ops
    assert dropped == 0
    assert (inner[0], inner[5]) == ("c_inner", 4096)
    assert (outer[0], outer[5]) == ("c_outer", 0)
    assert outer[1] <= inner[1] < inner[2] <= outer[2]
    assert {op[3] for op in ops} == {threading.get_native_id()}


def test_nothing_is_recorded_before_and_after(c_library: ctypes.CDLL) -> None:
    c_library.outer()
    start_marked_ops()
    assert stop_marked_ops() == ([], 0)
    c_library.outer()
    start_marked_ops()
    assert stop_marked_ops() == ([], 0)


def test_every_thread_is_recorded(c_library: ctypes.CDLL) -> None:
    start_marked_ops()
    threads = [threading.Thread(target=c_library.outer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ops, _ = stop_marked_ops()
    assert len(ops) == 8
    assert {op[0] for op in ops} == {"c_outer", "c_inner"}


@pytest.mark.slow
def test_they_are_operations_of_the_profile(c_library: ctypes.CDLL, cpp_library: ctypes.CDLL, tmp_path: Path, verbs: Run) -> None:
    with stepscope.profile(tmp_path, steps="1-3", framework="python") as profile:
        for number in range(4):
            with profile.step(number):
                c_library.outer()
                cpp_library.of_block()
    told = json.loads(verbs("profile", "ops", profile.sessions[0], "--json", "--no-cache").stdout)
    ops = {row["name"]: row for row in told["ops"]}
    assert {name: ops[name]["count"] for name in ("c_outer", "c_inner", "cpp_op")} == {"c_outer": 3, "c_inner": 3, "cpp_op": 3}
    assert (ops["c_inner"]["bytes"], ops["cpp_op"]["bytes"]) == (3 * 4096, 3 * 512)
    assert ops["c_outer"]["self_us"] < ops["c_outer"]["total_us"], "what is inside it is not its own"


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_they_are_beside_the_operations_of_a_framework(
    framework: str, tmp_path: Path, run_in_peers: Callable[..., Any], verbs: Run
) -> None:
    library = compiled(tmp_path, "c")
    (session,) = run_in_peers(HERE / "beside_in_peers.py", framework, tmp_path / "run", "ops", library)
    ops = {row["name"]: row for row in json.loads(verbs("profile", "ops", session, "--json", "--no-cache").stdout)["ops"]}
    assert (ops["c_inner"]["count"], ops["c_inner"]["bytes"]) == (3, 3 * 4096)
    assert len(ops) > 3, "those of the framework"
    (path,) = Path(session).iterdir()
    profile = read_file(str(path))
    numbered = profile.markers.row[profile.markers.family <= MarkerFamily.STEP_NUM]
    marked = [row for row in range(len(profile.spans)) if profile.names[int(profile.spans.name[row])].startswith("c_outer")]
    assert {int(profile.spans.track[row]) for row in marked} == {int(profile.spans.track[row]) for row in numbered}, "on its thread"
    assert {int(profile.spans.parent[row]) for row in marked} == set(numbered.tolist()), "inside of its step"


def test_a_file_of_another_kind_stays_as_it_is(tmp_path: Path) -> None:
    file = Recorded(str(tmp_path / "memory.prof"), ".memory.prof")
    track = AddedTrack("ops", "thread", 1, 1, [AddedSpan("op", 0, 1)])
    assert with_tracks(file, [track], Clock.now()) is file
