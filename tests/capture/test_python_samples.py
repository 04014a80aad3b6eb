"""Our samples beside a framework's profiler (python_samples), and those of worker processes (worker_samples): same file, same clock."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope.capture.profilers.added_tracks import SAMPLES
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import MarkerFamily, Profile, SpanKind, TrackRole

HERE = Path(__file__).parent
Run = Callable[..., subprocess.CompletedProcess[str]]


def sampled(profile: Profile) -> dict[str, list[tuple[str, int, int]]]:
    """Spans of each sampled track."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for track in profile.tracks:
        if SAMPLES in (track.process, track.name[: len(SAMPLES)]):
            assert track.role == TrackRole.DERIVED, "it repeats time that the thread's own track has"
            spans = profile.spans
            found[track.name] = [
                (profile.names[int(spans.name[row])], int(spans.start[row]), int(spans.end[row]))
                for row in range(track.first_row, track.last_row)
            ]
            assert {int(kind) for kind in spans.kind[track.first_row : track.last_row]} <= {int(SpanKind.PYTHON), int(SpanKind.IO)}
    return found


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_functions_are_sampled_beside_a_framework(framework: str, tmp_path: Path, run_in_peers: Callable[..., Any], verbs: Run) -> None:
    (session,) = run_in_peers(HERE / "beside_in_peers.py", framework, tmp_path, "samples")
    (path,) = Path(session).iterdir()
    profile = read_file(str(path))
    spans = [span for track in sampled(profile).values() for span in track]
    slow = [(start, end) for name, start, end in spans if name.endswith("slow_python")]
    steps = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)["steps"]
    assert [step["step"] for step in steps] == [1, 2, 3]
    numbered = profile.markers.row[profile.markers.family <= MarkerFamily.STEP_NUM].tolist()
    markers = sorted((int(profile.spans.start[row]), int(profile.spans.end[row])) for row in numbered)
    assert len(markers) == 3
    for first, last in markers:
        inside = sum(max(0, min(end, last) - max(start, first)) for start, end in slow)
        assert inside > 0.5 * 0.1e9, "on the clock of the steps: most of each slow step is in the function"


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_of_a_data_loader_are_sampled(start: str, tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    (session,) = run_in_peers(HERE / "beside_in_peers.py", "torch", tmp_path, start)
    (path,) = Path(session).iterdir()
    workers = {name: spans for name, spans in sampled(read_file(str(path))).items() if name.startswith("worker ")}
    assert len({name.split(":")[0] for name in workers}) == 2
    assert any(name.endswith("slow_item") for spans in workers.values() for name, _, _ in spans)


def spin(ready: Any, end: Any) -> None:
    ready.set()
    while not end.is_set():
        pass


@pytest.mark.slow
def test_a_forked_process_is_sampled_beside_plain_python(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready, end = context.Event(), context.Event()
    with stepscope.profile(tmp_path, steps="1-60", framework="python") as profile:
        worker = context.Process(target=spin, args=(ready, end))
        worker.start()
        ready.wait(60)
        for number in range(62):
            with profile.step(number):
                time.sleep(0.02)
        end.set()
        worker.join(60)
    (path,) = Path(profile.sessions[0]).iterdir()
    text = path.read_text()
    assert f"worker {worker.pid}: " in text
    assert any(
        event["name"].endswith(": spin") and event["pid"] == SAMPLES
        for event in json.loads(text)["traceEvents"]
        if event.get("cat") == "python_function"
    )


def test_a_process_that_is_forked_later_is_left_alone(tmp_path: Path) -> None:
    with stepscope.profile(tmp_path, framework="python"):
        pass
    context = multiprocessing.get_context("fork")
    names = context.Queue()
    worker = context.Process(target=lambda: names.put([thread.name for thread in __import__("threading").enumerate()]))
    worker.start()
    assert not [name for name in names.get(timeout=60) if name.startswith("stepscope-worker")]
    worker.join(60)
