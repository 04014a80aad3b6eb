"""The memory route on drawn profiles: who held what, filters, files that record memory alone, and what to turn on without any."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import to_builtins

from analyses.memory_tables import Event, with_allocations
from analyses.timeline import timeline
from dashboards.profile_server import ProfileServer
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.parts.memory import MEMORY, MemoryWanted

STEPS = """
    main  11111222223333344444555556666677777
    main  oo...oo...oo...oo...oo...oo...oo...
"""


def leaking() -> Profile:
    """Each step keeps 100 bytes, and takes and gives back 50 more."""
    events = [
        event
        for step in range(7)
        for event in (
            Event(5 * step + 0.5, 100, 10 + step, "o", op="model/dense/MatMul"),
            Event(5 * step + 1.0, 50, 1, "o", op="model/loss"),
            Event(5 * step + 1.5, -50, 1, "o"),
        )
    ]
    return replace(with_allocations(STEPS, events), framework="TensorFlow")


def asked(profiles: ProfileServer, **query: Any) -> Any:
    (session,) = profiles.sessions()
    return profiles.part("memory", session["id"], **query)


def test_who_held_what_and_that_it_grows(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", leaking)
    answer = asked(profiles)
    (memory,) = answer["devices"]
    assert (memory["name"], memory["peak_bytes"], memory["peak_step"], answer["notes"]) == ("host", 750, 7, [])
    assert [(row["op"], row["module"], row["bytes"]) for row in memory["at_peak"]] == [
        ("model/dense/MatMul", "model/dense", 700),
        ("model/loss", "model", 50),
    ]
    assert (memory["growth"]["verdict"], memory["growth"]["bytes_per_step"]) == ("grows", 100.0)
    assert memory["steps"][:2] == [{"step": 1, "ms": 0.0}, {"step": 2, "ms": 5.0}]
    assert memory["stacked_by"] == ["op", "module"]


def test_layers_and_rows_are_as_asked(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", leaking)
    (memory,) = asked(profiles, by="module", scope="model/dense")["devices"]
    assert [layer["name"] for layer in memory["timeline"]["layers"]] == ["model/dense", "model"]
    assert [row["op"] for row in memory["at_peak"]] == ["model/dense/MatMul"]
    assert memory["at_peak_left_out_bytes"] == 50
    (memory,) = asked(profiles, min_bytes=101)["devices"]
    assert memory["largest"] == []


def test_workers_are_answered_together_or_one_by_one(profiles: ProfileServer) -> None:
    for rank in (0, 1):
        profiles.put("train", f"worker{rank}", lambda rank=rank: replace(leaking(), rank=rank))
    path = snapshot_file(profiles.folder.path / "train")
    profiles.drawn[str(path)] = leaking
    with_steps = next(one for one in profiles.sessions() if one["has_steps"])
    devices = profiles.part("memory", with_steps["id"])["devices"]
    assert [row["rank"] for row in devices if row["worker"].startswith("worker")] == [0, 1]
    (device,) = profiles.part("memory", with_steps["id"], worker="worker1")["devices"]
    assert (device["worker"], device["rank"]) == ("worker1", 1)


def test_rows_at_the_peak_are_limited(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", leaking)
    (memory,) = asked(profiles, limit=1)["devices"]
    assert ([row["bytes"] for row in memory["at_peak"]], memory["at_peak_left_out_bytes"]) == ([700], 50)


def test_a_recording_without_memory_says_what_to_turn_on(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", lambda: replace(timeline(STEPS), framework="PyTorch"))
    answer = asked(profiles)
    assert answer["devices"] == []
    assert "profile_memory=True" in answer["notes"][0]


def test_sessions_of_a_run_are_compared(profiles: ProfileServer) -> None:
    for place, keeps in enumerate((100, 100, 300)):
        picture = STEPS.replace("11111222223333344444555556666677777", str(place + 1) * 35)
        events = [Event(0.5, keeps, 1, "o", op="grows"), Event(1.0, 50, 2, "o", op="stays")]
        profile = replace(with_allocations(picture, events), framework="TensorFlow")
        profiles.put("train", "worker0", lambda profile=profile: profile, time=1_794_770_412_963 - 86_400_000 * place)
    profiles.put("other", "worker0", leaking, time=1_794_770_412_963 - 86_400_000 * 9)
    newest = profiles.sessions()[0]
    found = profiles.part("memory_compare", newest["id"])
    # By step, although the later steps were written earlier.
    assert (found["by_step"], [one["step"] for one in found["sessions"]]) == (True, [1, 2, 3])
    (memory,) = found["memories"]
    assert (memory["name"], memory["peak_bytes"]) == ("host", [150, 150, 350])
    assert memory["rows"][0] == {"name": "grows", "bytes": [100, 100, 300], "change_bytes": 200}
    assert "200 B" in memory["sentence"]
    (memory,) = profiles.part("memory_compare", newest["id"], limit=1)["memories"]
    assert [row["name"] for row in memory["rows"]] == ["grows"]


def test_sessions_that_cannot_be_read_are_left_out_of_the_comparison(profiles: ProfileServer) -> None:
    for day in range(2):
        profiles.put("train", "worker0", leaking, time=1_794_770_412_963 - 86_400_000 * day)
    broken = profiles.put("train", "worker0", leaking, time=1_794_770_412_963 - 86_400_000 * 5)

    def fail() -> Profile:
        raise BadInput("It is cut short.", "truncated")

    profiles.drawn[str(broken)] = fail
    newest = profiles.sessions()[0]
    assert len(profiles.part("memory_compare", newest["id"])["sessions"]) == 2


def test_named_sessions_are_compared(profiles: ProfileServer) -> None:
    profiles.put("one", "worker0", leaking)
    profiles.put("two", "worker0", leaking, time=1_794_770_412_963 - 86_400_000)
    one, two = profiles.sessions()
    found = profiles.part("memory_compare", one["id"], sessions=f"{one['id']},{two['id']}", by="module")
    assert (found["by_step"], found["memories"][0]["peak_bytes"]) == (False, [750, 750])
    assert {row["name"] for row in found["memories"][0]["rows"]} == {"model/dense", "model"}
    profiles.part("memory_compare", one["id"], 404, sessions="0" * 16)


def snapshot_file(folder: Path) -> Path:
    """A file that is a snapshot by its name and first bytes; what is read of it is drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "snapshot.pickle"
    path.write_bytes(b"\x80\x04}\x94(\x8c\x08segments\x94]\x94\x8c\x0ddevice_traces\x94]\x94u.")
    return path


def test_a_session_of_memory_alone_is_listed_and_shown(profiles: ProfileServer) -> None:
    path = snapshot_file(profiles.folder.path / "train")
    profiles.drawn[str(path)] = leaking
    (session,) = profiles.sessions()
    assert session["has_steps"] is False
    assert profiles.part("memory", session["id"])["devices"][0]["peak_bytes"] == 750
    error = profiles.part("report", session["id"], 404)["error"]
    assert error["code"] == "no_steps"
    assert profiles.client.get("/api/v1/folder").json()["profiles"] == 1


def test_wrong_questions_are_refused(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", leaking)
    (session,) = profiles.sessions()
    assert session["has_steps"] is True
    profiles.part("memory", "none", 404)
    profiles.part("memory", session["id"], 404, worker="nobody")
    for wrong in ({"by": "colour"}, {"min_bytes": -1}, {"scope": "x" * 2000}, {"points": 1}):
        profiles.part("memory", session["id"], 400, **wrong)


@pytest.mark.slow
def test_any_snapshot_makes_an_answer(tmp_path: Path) -> None:
    random = Random(1)
    actions = ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "oom", "no such"]
    numbers: list[object] = [0, 1, -1, 5, 256, 1 << 20, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, -(1 << 62), None, "a"]
    for _ in range(150):
        events = [
            {"action": random.choice(actions), **{key: random.choice(numbers) for key in ("addr", "size", "time_us", "device_free")}}
            for _ in range(random.randrange(12))
        ]
        blocks = [
            {
                "size": random.choice(numbers),
                "address": random.choice(numbers),
                "state": random.choice(["inactive", "active_allocated"]),
            }
            for _ in range(random.randrange(4))
        ]
        segment = {key: random.choice(numbers) for key in ("device", "address", "total_size")} | {"blocks": blocks}
        path = tmp_path / "snapshot.pickle"
        path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [events]}))
        at = profile_at(str(path), Opening(cache=False))
        for by in (None, *StackedBy):
            for row in at.answer(MEMORY, MemoryWanted(by=by)).devices:
                assert sum(held.bytes for held in row.at_peak) == row.peak_bytes - row.at_peak_left_out_bytes
                json.dumps(to_builtins(row), allow_nan=False)
