"""The route of what-if: levers that reach something, several pulled at once, bounds, refusals and bad questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analyses.timeline import timeline
from dashboards.profile_server import ProfileServer

INPUT_BOUND = """
    main     1111111111222222222233333333334444444444
    main     iiiilo    iiiilo    iiiilo    iiiilo
    gpu 0         KKKK      KKKK      KKKK      KKKK
"""


def ask(profiles: ProfileServer, **query: Any) -> dict[str, Any]:
    (session,) = profiles.sessions()
    return profiles.part("whatif", session["id"], **query)


def test_levers_that_reach_something_are_offered(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles)
    names = {lever["name"]: lever for lever in found["changes"]}
    assert {"input", "workers", "prefetch", "kernels"} <= set(names)
    assert not {"straggler", "communication", "copies", "gc"} & set(names)
    assert (names["workers"]["moves"], names["workers"]["workers"], names["input"]["moves"]) == (True, True, False)
    assert (found["baseline_ms"], found["serial"], found["refused"]) == (10, False, None)
    assert abs(found["replay_error"]) < 0.15
    assert (found["each"], found["together"]) == ([], None)


def test_input_taken_away_is_a_range_with_its_calibration(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles, changes="input=0")
    together = found["together"]
    assert together["kind"] == "removes"
    assert 0 < together["band"] < 1
    assert together["pairs"] > 0
    assert together["predicted_ms"]["low"] <= 6 <= together["predicted_ms"]["high"] < 10
    assert [each["change"] for each in found["each"]] == ["input=0"]
    alone = next(lever["alone"] for lever in found["changes"] if lever["name"] == "input")
    assert alone["predicted_ms"] == together["predicted_ms"] == found["predicted_ms"]


def test_several_levers_are_one_answer_and_as_sure_as_the_least_sure(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles, changes="input=0, kernels=2x")
    assert found["together"]["change"] == "input=0, kernels=2x"
    assert (found["together"]["kind"], found["together"]["band"]) == ("at_best", None)
    first, second = found["each"]
    assert second["baseline_ms"] < first["baseline_ms"]
    assert found["together"]["predicted_ms"]["low"] < first["predicted_ms"]["low"] * 1.1


def test_moved_work_needs_cores(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    unknown = ask(profiles, changes="workers=2")["together"]
    assert unknown["kind"] == "at_best"
    assert any("cores" in note for note in unknown["notes"])
    refused = ask(profiles, changes="workers=2", cores=1)["together"]
    assert "exceed the 1 available" in refused["refused"]
    assert (refused["predicted_ms"]["low"], refused["bound_ms"]) == (None, pytest.approx(6, rel=0.1))
    assert ask(profiles, changes="workers=2", cores=8)["together"]["kind"] == "moves"


@pytest.mark.parametrize(("cores", "most", "asked"), [(None, 16, 4), (64, 16, 4), (4, 3, 3), (1, 0, 1)])
def test_workers_go_as_far_as_there_are_cores(profiles: ProfileServer, cores: int | None, most: int, asked: int) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    found = ask(profiles) if cores is None else ask(profiles, cores=cores)
    (workers,) = (lever for lever in found["changes"] if lever["name"] == "workers")
    assert (workers["most"], workers["alone"]["change"]) == (most, f"workers={asked}")
    assert (workers["alone"]["refused"] is None) == (most > 0)
    assert workers["tried"] == asked
    saves = {lever["name"]: 1 - (lever["alone"]["predicted_ms"]["low"] or 0) / found["baseline_ms"] for lever in found["changes"]}
    assert {lever["name"]: lever["matters"] for lever in found["changes"]} == {name: saved >= 0.005 for name, saved in saves.items()}
    assert {lever["most"] for lever in found["changes"] if lever["name"] != "workers"} == {0}


def test_at_best_is_one_bound_and_says_why(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    for change, why, unmeasured in (("workers=2", "cores", False), ("kernels=2x", "kernels", True)):
        found = ask(profiles, changes=change)["together"]
        low, middle, high = (found["predicted_ms"][key] for key in ("low", "mid", "high"))
        assert low == middle == high <= found["baseline_ms"]
        assert [why in note for note in found["notes"]].count(True) == 1
        assert found["unmeasured"] is unmeasured


def test_a_recording_that_cannot_be_replayed_is_refused_with_the_reason(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", lambda: replace(timeline(INPUT_BOUND), format="run_metadata"))
    found = ask(profiles, changes="input=0")
    assert found["refused"].startswith("RunMetadata")
    assert found["together"]["refused"] == found["refused"]
    assert found["together"]["bound_ms"] == pytest.approx(6, rel=0.1)


def test_without_a_device_the_model_is_serial(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  111112222233333\nmain  iiioo iiioo iiioo")
    found = ask(profiles, changes="input=0.5")
    assert (found["serial"], found["replay_error"]) == (True, None)
    assert any("serial model" in note for note in found["together"]["notes"])


def test_the_step_without_the_profiler_is_what_the_user_says_or_the_run_has_logged(profiles: ProfileServer) -> None:
    captured = 1_794_770_412_963_000_000
    profiles.put("train", "worker0", lambda: replace(timeline(INPUT_BOUND), base_ns=captured))
    unknown = ask(profiles, changes="input=0")
    assert (unknown["baseline_ms"], unknown["logged"], unknown["inflation"]) == (10, None, None)
    said = ask(profiles, changes="input=0", step_ms=5)
    assert (said["baseline_ms"], said["logged"], said["inflation"]) == (5, None, pytest.approx(1.0))
    assert said["predicted_ms"]["low"] == pytest.approx(unknown["predicted_ms"]["low"] / 2)


def test_what_the_run_has_logged_is_taken_unless_the_user_says_otherwise(profiles: ProfileServer) -> None:
    captured = 1_794_770_412_963_000_000
    profiles.put("train", "worker0", lambda: replace(timeline(INPUT_BOUND), base_ns=captured))
    profiles.folder.write("train", {"step_time/total": [0.008] * 50}, start=captured / 1e9 - 60)
    found = ask(profiles, changes="launches=0")
    assert found["logged"] == {"ms": pytest.approx(8), "tag": "step_time/total", "steps": 50}
    assert (found["baseline_ms"], found["inflation"]) == (pytest.approx(8), pytest.approx(0.25))
    said = ask(profiles, changes="launches=0", step_ms=5)
    assert (said["baseline_ms"], said["logged"]) == (5, found["logged"])
    assert any("100%" in note for note in said["together"]["notes"])
    report = profiles.report(step_ms=5)
    assert report["findings"][0]["step_ms"]["low"] < 5


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"changes": "colour=0"}, "not a change"),
        ({"changes": ",".join(["input=0"] * 21)}, "too many"),
        ({"changes": "input=-1"}, "not a change"),
        ({"changes": "kernel:nothing=0"}, "No kernel"),
        ({"cores": 0}, ""),
        ({"step_ms": 0}, ""),
        ({"step_ms": "nan"}, ""),
    ],
)
def test_bad_questions(profiles: ProfileServer, query: dict[str, Any], word: str) -> None:
    profiles.record("train", "worker0", INPUT_BOUND)
    (session,) = profiles.sessions()
    message = profiles.part("whatif", session["id"], 400, **query)["error"]["message"]
    assert word in message
    assert message.endswith(".")
