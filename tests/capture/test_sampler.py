"""Samples of Python stacks: spans of what stays on the stack, cut where others begin, and threads of a real program."""

from __future__ import annotations

import _thread
import json
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import pytest

import stepscope
from stepscope.capture.profilers.sampler import WAIT, Sample, Sampler, name_of, spans_of, without_own

Run = Callable[..., subprocess.CompletedProcess[str]]


def a() -> None: ...


def b() -> None: ...


def c() -> None: ...


A, B, C = (function.__code__ for function in (a, b, c))


def drawn(samples: list[Sample], cuts: list[int]) -> list[tuple[str, int, int]]:
    """Spans by the last letter of their names."""
    return sorted((span.name[-1], span.start, span.end) for span in spans_of(samples, cuts, 10))


def test_what_stays_on_the_stack_is_one_span() -> None:
    samples = [Sample(10, (A, B)), Sample(20, (A, B)), Sample(30, (A, C)), Sample(40, (A,))]
    assert drawn(samples, []) == [("a", 0, 50), ("b", 0, 25), ("c", 25, 35)]


def test_no_span_goes_across_a_cut() -> None:
    samples = [Sample(10, (A, B)), Sample(20, (A, B)), Sample(30, (A, B))]
    outer = [("a", 0, 12), ("a", 15, 22), ("a", 25, 40)]
    inner = [("b", 0, 12), ("b", 12, 15), ("b", 15, 22), ("b", 22, 25), ("b", 25, 40)]
    assert drawn(samples, [12, 22]) == [*outer, *inner]


def test_a_gap_is_no_span() -> None:
    assert drawn([Sample(10, (A,)), Sample(100, (A,))], []) == [("a", 0, 20), ("a", 90, 110)]


def test_a_function_that_is_called_again_inside_another_is_its_own() -> None:
    assert drawn([Sample(10, (A, B)), Sample(20, (C, A, B))], [])[:2] == [("a", 0, 15), ("a", 15, 30)]


def test_nothing_was_sampled() -> None:
    assert drawn([], [5]) == []


def test_names_are_those_of_torch() -> None:
    assert name_of(A) == f"capture/test_sampler.py({A.co_firstlineno}): a"


def busy(until: threading.Event) -> int:
    count = 0
    while not until.is_set():
        count += 1
    return count


def test_all_threads_of_a_program_are_sampled() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=busy, args=(ended,))
    thread.start()
    sampler = Sampler(0.002)
    sampler.start()
    deadline = time.monotonic() + 60
    while len(sampler.samples.get(thread.native_id or 0, [])) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    sampler.stop()
    ended.set()
    thread.join()
    taken = len(sampler.samples[thread.native_id or 0])
    assert {threading.main_thread().native_id, thread.native_id} <= set(sampler.samples)
    assert any(span.name.endswith(": busy") for span in sampler.spans(thread.native_id or 0))
    assert len(sampler.samples[thread.native_id or 0]) == taken, "it has stopped"


def slow_function() -> None:
    deadline = time.perf_counter() + 0.1
    while time.perf_counter() < deadline:
        pass


@pytest.mark.parametrize("python", [True, False])
def test_sampled_functions_nest_in_the_spans_of_a_profile(python: bool, tmp_path: Path, verbs: Run) -> None:
    with stepscope.profile(tmp_path, steps="1-3", framework="python", python=python) as profile:
        for number in range(4):
            with profile.step(number), stepscope.span("outer"):
                slow_function()
    (session,) = profile.sessions
    (path,) = Path(session).iterdir()
    events = [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]
    sampled = [event for event in events if event["cat"] == "python_function"]
    assert any(event["name"].endswith(": slow_function") for event in sampled) == python
    outer = [(event["ts"], event["ts"] + event["dur"]) for event in events if event["name"] == "outer"]
    for event in sampled:
        start, end = event["ts"], event["ts"] + event["dur"]
        for first, last in outer if event["tid"] == threading.get_native_id() else []:
            assert end <= first + 0.01 or start >= last - 0.01 or (start >= first - 0.01 and end <= last + 0.01)
    steps = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)["steps"]
    assert [step["step"] for step in steps] == [1, 2, 3]
    if python:
        assert sum(step["parts"]["python"] for step in steps) > 0


def code(name: str, file: str) -> CodeType:
    """A function of that name in a file of the package, or elsewhere."""
    found = str(Path(stepscope.__file__).parent / file) if file.endswith(".py") else "/home/someone/train"
    return compile(f"def {name}(): ...", found, "exec").co_consts[0]


@pytest.mark.parametrize(
    ("stack", "kept"),
    [
        ([("main", ""), ("train", "")], ["main", "train"]),
        ([("main", ""), ("start", "capture/profile.py"), ("mkdtemp", ""), ("open", "")], ["main"]),
        ([("main", ""), ("__iter__", "capture/step_loop.py"), ("load", "")], ["main", "__iter__", "load"]),
        (
            [("main", ""), ("captured", "capture/profile.py"), ("step", ""), ("stop", "capture/profile.py")],
            ["main", "captured", "step"],
        ),
        ([("train", "demo/training.py"), ("add_scalar", "writer/writer.py"), ("item", "")], ["train", "add_scalar", "item"]),
        ([("run", "writer/background.py"), ("wait", "")], []),
    ],
)
def test_what_the_capture_does_is_no_function_of_the_program(stack: list[tuple[str, str]], kept: list[str]) -> None:
    assert [each.co_name for each in without_own([code(name, file) for name, file in stack])] == kept


def test_outer_functions_come_first_and_none_is_ours(tmp_path: Path) -> None:
    with stepscope.profile(tmp_path, framework="python") as profile:
        slow_function()
    (path,) = Path(profile.sessions[0]).iterdir()
    sampled = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "python_function"]
    own = [event for event in sampled if event["tid"] == threading.get_native_id()]
    names = [event["name"].split(": ")[-1] for event in own]
    assert names.index("test_outer_functions_come_first_and_none_is_ours") < names.index("slow_function")
    assert not [name for name in names if name.startswith(("Capture.", "Recording.", "Sampler.", "WithSystemCounters."))]


def test_plain_python_is_not_called_overhead(tmp_path: Path, verbs: Run) -> None:
    with stepscope.profile(tmp_path, steps="1-5", framework="python") as profile:
        for number in range(7):
            with profile.step(number):
                slow_function()
    report = json.loads(verbs("profile", "report", profile.sessions[0], "--json", "--no-cache").stdout)
    verdicts = {finding["rule"]: finding["verdict"] for finding in report["findings"]}
    assert report["framework"] == "Python"
    assert verdicts["python_between_ops"] != "fires", report["findings"]


def started(target: Callable[[], object]) -> None:
    threading.Thread(target=target, daemon=True).start()


def started_below(target: Callable[[], object]) -> None:
    """As libraries do that know nothing of the module threading; such a thread has no native id."""
    _thread.start_new_thread(target, ())


@pytest.mark.parametrize("start", [started, started_below])
def test_a_thread_that_waits_is_told_from_one_that_runs(
    start: Callable[[Callable[[], object]], None], tmp_path: Path, verbs: Run
) -> None:
    done = threading.Event()
    start(done.wait)
    with stepscope.profile(tmp_path, steps="1-5", framework="python") as profile:
        for number in range(7):
            with profile.step(number):
                slow_function()
    done.set()
    (path,) = Path(profile.sessions[0]).iterdir()
    spans = [each for each in json.loads(path.read_text())["traceEvents"] if each.get("ph") == "X"]
    waited = sum(each["dur"] for each in spans if each["name"] == WAIT and each["tid"] != threading.get_native_id())
    ran = sum(each["dur"] for each in spans if each["name"].endswith("slow_function"))
    assert waited > ran / 2
    report = json.loads(verbs("profile", "report", profile.sessions[0], "--json", "--no-cache").stdout)
    assert {finding["rule"]: finding["verdict"] for finding in report["findings"]}["python_between_ops"] != "fires"
