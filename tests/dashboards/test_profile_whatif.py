"""The route of what-if: levers that reach something, several pulled at once, bounds, refusals and bad questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analyses.timeline import timeline
from dashboards.conftest import ProfileServer

INPUT_BOUND = """
    main     1111111111222222222233333333334444444444
    main     iiiilo    iiiilo    iiiilo    iiiilo
    gpu 0         KKKK      KKKK      KKKK      KKKK
"""


def ask(profiles: ProfileServer, **query: Any) -> dict[str, Any]:
    (session,) = profiles.sessions()
    return profiles.get("whatif", session=session["id"], **query)["what_if"]


def test_levers_that_reach_something_are_offered(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles)
    names = {lever["name"]: lever for lever in found["levers"]}
    assert {"input", "workers", "prefetch", "kernels"} <= set(names)
    assert not {"straggler", "communication", "copies", "gc"} & set(names)
    assert (names["workers"]["moves"], names["workers"]["workers"], names["input"]["moves"]) == (True, True, False)
    assert (found["baseline_ms"], found["serial"], found["refused"]) == (10, False, None)
    assert abs(found["replay_error"]) < 0.15
    assert (found["each"], found["together"]) == ([], None)


def test_input_taken_away_is_a_range_with_its_calibration(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles, levers="input=0")
    together = found["together"]
    assert together["kind"] == "removes"
    assert 0 < together["band"] < 1
    assert together["pairs"] > 0
    assert together["low_ms"] <= 6 <= together["high_ms"] < 10
    assert [each["lever"] for each in found["each"]] == ["input=0"]
    alone = next(lever["alone"] for lever in found["levers"] if lever["name"] == "input")
    assert (alone["low_ms"], alone["high_ms"]) == (together["low_ms"], together["high_ms"])


def test_several_levers_are_one_answer_and_as_sure_as_the_least_sure(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles, levers="input=0, kernels=2x")
    assert found["together"]["lever"] == "input=0, kernels=2x"
    assert (found["together"]["kind"], found["together"]["band"]) == ("at_best", None)
    first, second = found["each"]
    assert second["baseline_ms"] < first["baseline_ms"]
    assert found["together"]["low_ms"] < first["low_ms"] * 1.1


def test_moved_work_needs_cores(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    unknown = ask(profiles, levers="workers=2")["together"]
    assert unknown["kind"] == "at_best"
    assert any(note.endswith("say it in the field above.") for note in unknown["notes"])
    refused = ask(profiles, levers="workers=2", cores=1)["together"]
    assert "more than the 1 there are" in refused["refused"]
    assert (refused["low_ms"], refused["bound_ms"]) == (None, pytest.approx(6, rel=0.1))
    assert ask(profiles, levers="workers=2", cores=8)["together"]["kind"] == "moves"


@pytest.mark.parametrize(("cores", "most", "asked"), [(None, 16, 16), (64, 16, 16), (4, 3, 3), (1, 0, 1)])
def test_workers_go_as_far_as_there_are_cores(profiles: ProfileServer, cores: int | None, most: int, asked: int) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles) if cores is None else ask(profiles, cores=cores)
    (workers,) = (lever for lever in found["levers"] if lever["name"] == "workers")
    assert (workers["most"], workers["alone"]["lever"]) == (most, f"workers={asked}")
    assert (workers["alone"]["refused"] is None) == (most > 0)
    assert {lever["most"] for lever in found["levers"] if lever["name"] != "workers"} == {0}


def test_at_best_is_one_bound_and_says_why(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    for levers, why in (("workers=2", "how many cores there are"), ("kernels=2x", "kernels was never measured")):
        found = ask(profiles, levers=levers)["together"]
        assert found["low_ms"] == found["mid_ms"] == found["high_ms"] <= found["baseline_ms"]
        assert [why in note for note in found["notes"]].count(True) == 1


def test_a_recording_that_cannot_be_replayed_is_refused_with_the_reason(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", lambda: replace(timeline(INPUT_BOUND), format="run_metadata"))
    found = ask(profiles, levers="input=0")
    assert found["refused"].startswith("RunMetadata does not tell")
    assert found["together"]["refused"] == found["refused"]
    assert found["together"]["bound_ms"] == pytest.approx(6, rel=0.1)


def test_without_a_device_the_model_is_serial(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  111112222233333\nmain  iiioo iiioo iiioo")
    found = ask(profiles, levers="input=0.5")
    assert (found["serial"], found["replay_error"]) == (True, None)
    assert any("serial model" in note for note in found["together"]["notes"])


def test_the_step_without_the_profiler_is_what_the_user_says_or_the_run_has_logged(profiles: ProfileServer) -> None:
    captured = 1_794_770_412_963_000_000
    profiles.put("train", "worker0", lambda: replace(timeline(INPUT_BOUND), base_ns=captured))
    unknown = ask(profiles, levers="input=0")
    assert (unknown["baseline_ms"], unknown["logged"], unknown["inflation"]) == (10, None, None)
    said = ask(profiles, levers="input=0", step_ms=5)
    assert (said["baseline_ms"], said["logged"], said["inflation"]) == (5, None, pytest.approx(1.0))
    assert said["together"]["low_ms"] == pytest.approx(unknown["together"]["low_ms"] / 2)


def test_what_the_run_has_logged_is_taken_unless_the_user_says_otherwise(profiles: ProfileServer) -> None:
    captured = 1_794_770_412_963_000_000
    profiles.put("train", "worker0", lambda: replace(timeline(INPUT_BOUND), base_ns=captured))
    profiles.folder.write("train", {"step_time/total": [0.008] * 50}, start=captured / 1e9 - 60)
    found = ask(profiles, levers="launches=0")
    assert found["logged"] == {"ms": pytest.approx(8), "tag": "step_time/total", "steps": 50}
    assert (found["baseline_ms"], found["inflation"]) == (pytest.approx(8), pytest.approx(0.25))
    said = ask(profiles, levers="launches=0", step_ms=5)
    assert (said["baseline_ms"], said["logged"]) == (5, found["logged"])
    assert any(note.startswith("Profiler cost inside: recorded steps take 100 % longer") for note in said["together"]["notes"])
    report = profiles.report(step_ms=5)
    assert report["findings"][0]["step_ms"][0] < 5


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"levers": "colour=0"}, "no lever"),
        ({"levers": ",".join(["input=0"] * 21)}, "too many"),
        ({"levers": "input=-1"}, "no lever"),
        ({"levers": "kernel:nothing=0"}, "No kernel"),
        ({"cores": 0}, ""),
        ({"step_ms": 0}, ""),
        ({"step_ms": "nan"}, ""),
    ],
)
def test_bad_questions(profiles: ProfileServer, query: dict[str, Any], word: str) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    (session,) = profiles.sessions()
    message = profiles.get("whatif", 400, session=session["id"], **query)["error"]["message"]
    assert word in message
    assert message.endswith(".")
