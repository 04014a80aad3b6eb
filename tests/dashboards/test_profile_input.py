"""The route of the input pipeline: a fetch with its phases, stages of tf.data, and none."""

from __future__ import annotations

from analyses.input_profiles import tf_data, torch_loader
from dashboards.profile_server import ProfileServer
from stepscope.analyses.input.stages import Remedy


def test_phases_of_a_fetch(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", torch_loader)
    (session,) = profiles.sessions()
    (found,) = profiles.part("input", session["id"])["inputs"]
    assert (found["loader"].split()[0], found["in_processes"], found["fetches"]) == ("DataLoader", False, 1)
    assert (found["step_us"], found["waited_us"], found["hidden_us"]) == (14_000, 10_000, 0)
    assert {one["phase"]: one["waited_us"] for one in found["phases"]} == {
        "read": 2_000,
        "decode": 1_000,
        "shuffle": 1_000,
        "collate": 2_000,
        "own_code": 2_000,
        "unknown": 2_000,
    }
    assert (found["stages"], found["slowest"], found["remedies"]) == ([], "", [])


def test_stages_of_tf_data(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", tf_data)
    (session,) = profiles.sessions()
    (found,) = profiles.part("input", session["id"], worker="worker0")["inputs"]
    assert [(one["name"], one["depth"], one["waited_us"], one["beside_us"]) for one in found["stages"]] == [
        ("Root", 0, 0, 0),
        ("Prefetch", 1, 0, 0),
        ("Map", 2, 1_000, 1_000),
        ("Generator", 3, 5_000, 1_000),
    ]
    assert found["slowest"] == "Iterator::Root::Prefetch::Map::Generator"
    assert found["remedies"][0] == Remedy.NO_GENERATOR.value


def test_no_fetch(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111\nmain  oooo")
    (session,) = profiles.sessions()
    (found,) = profiles.part("input", session["id"])["inputs"]
    assert (found["loader"], found["fetches"], found["phases"]) == ("none", 0, [])
    assert profiles.part("input", session["id"], 404, worker="nobody")["error"]["code"] == "unknown_worker"
