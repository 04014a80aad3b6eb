"""The routes of throughput and epochs: rates with their origin, epochs of the recording, and those that runs have logged."""

from __future__ import annotations

from typing import Any

import pytest

from dashboards.epoch_profiles import MIB, log_epochs, two_epochs
from dashboards.profile_server import ProfileServer
from figures import figures
from stepscope import SummaryWriter


def asked(profiles: ProfileServer, **query: Any) -> dict[str, Any]:
    (session,) = profiles.sessions()
    return profiles.part("throughput", session["id"], **query)


def rates(found: dict[str, Any]) -> dict[str, tuple[float | None, str]]:
    return {one["rate"]: (one["per_second"], one["origin"]) for one in found["rates"]}


def test_every_rate_says_where_it_comes_from(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", two_epochs)
    found = asked(profiles, batch=32, tokens=128)
    assert (found["has_steps"], found["step_ms"], found["throughput"]["ranks"]) == (True, 10, 1)
    assert (found["throughput"]["batch_size"], found["throughput"]["batch_size_from"]) == (32, "given")
    told = rates(found)
    assert told["steps"] == (100, "typical step, 10 ms")
    assert {key: (rate, figures(origin)) for key, (rate, origin) in told.items() if key != "steps"} == {
        "examples": (3200, [32]),
        "tokens": (409_600, [128]),
        "copied": (pytest.approx(100 * MIB), []),
    }
    assert "input" not in told


def test_what_cannot_be_told_says_why(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  11112222\nmain  oooooooo")
    told = rates(asked(profiles))
    assert told["examples"][0] is None
    assert told["examples"][1].startswith("Examples per second")
    assert told["tokens"][0] is None
    assert told["input"][0] is None
    reasons = {told["tokens"][1], rates(asked(profiles, tokens=5))["tokens"][1]}
    assert len(reasons) == 2, "the size of a batch is missing as well"


def test_ranks_count_together(profiles: ProfileServer) -> None:
    for rank in range(2):
        profiles.record("train", f"rank{rank}", "main  11112222\nmain  oooooooo", rank=rank)
    found = asked(profiles, batch=4)
    rate, origin = rates(found)["examples"]
    assert (rate, figures(origin)) == (2000, [4, 2])


def test_epochs_of_the_recording_with_examples_of_their_training(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", two_epochs)
    first, second = asked(profiles, batch=32)["epochs"]
    assert (first["epoch"], second["epoch"], first["steps"]) == (3, 4, 4)
    assert (first["seconds"], first["first_step_seconds"], first["train_seconds"]) == (0.1, 0.01, 0.03)
    assert (first["validation_seconds"], first["checkpoint_seconds"], first["between_seconds"]) == (0.02, 0, pytest.approx(0.04))
    assert first["examples_per_second"] == pytest.approx(4 * 32 / 0.04)
    assert asked(profiles)["epochs"][0]["examples_per_second"] is None
    assert profiles.report(batch=32)["epochs"] == [first, second]


def test_of_many_epochs_the_last_are_answered(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", two_epochs)
    log_epochs(profiles, "train")
    found = asked(profiles, limit=1)
    assert ([one["epoch"] for one in found["epochs"]], found["epochs_total"]) == ([4], 2)
    assert ([one["epoch"] for one in found["logged"]["epochs"]], found["logged"]["epochs_total"]) == ([2], 2)


def test_the_answer_has_what_the_run_has_logged_as_the_route_without_a_profile_has_it(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  11112222\nmain  oooooooo")
    log_epochs(profiles, "train")
    logged = asked(profiles)["logged"]
    assert logged["run_name"] == "train"
    assert logged == profiles.get("epochs")["logged"]


def test_epochs_that_are_logged_later_are_answered(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  11112222\nmain  oooooooo")
    assert asked(profiles)["logged"] is None
    log_epochs(profiles, "train")
    assert asked(profiles)["logged"]["epochs_total"] == 2
    assert len(profiles.read) == 1


@pytest.mark.parametrize("query", [{"batch": 0}, {"batch": -1}, {"tokens": 1 << 41}, {"batch": "many"}])
def test_sizes_that_cannot_be_are_refused(profiles: ProfileServer, query: dict[str, Any]) -> None:
    profiles.put("train", "worker0", two_epochs)
    (session,) = profiles.sessions()
    profiles.get(f"{session['id']}/throughput", 400, **query)


def test_logged_epochs_without_any_profile(profiles: ProfileServer) -> None:
    log_epochs(profiles, "train")
    profiles.folder.load()
    answer = profiles.get("epochs")
    assert [(one["run_name"], one["near"]) for one in answer["runs"]] == [("train", True)]
    logged = answer["logged"]
    assert (logged["run_name"], logged["series"]) == ("train", ["epoch", "step_time/total", "step_time/validation"])
    assert [one["epoch"] for one in logged["epochs"]] == [1, 2]
    last = logged["epochs"][-1]
    assert (last["seconds"], last["steps"], last["first_step_seconds"], last["train_seconds"]) == (10, 10, 0.5, 4.5)
    assert (last["validation_seconds"], last["checkpoint_seconds"], last["between_seconds"]) == (2, None, 3)
    assert (logged["step_seconds"], logged["steps_logged"]) == (0.5, 30)
    assert "step_time/checkpoint" in logged["note"]


def test_runs_that_belong_to_a_session_come_first(profiles: ProfileServer) -> None:
    profiles.put("a/profile", "worker0", two_epochs)
    for run in ("a/train", "b/train", "a"):
        profiles.folder.write(run, {"epoch_seconds": [3.0, 4.0]})
    (session,) = profiles.sessions()
    answer = profiles.get("epochs", session=session["id"])
    assert [(one["run_name"], one["near"]) for one in answer["runs"]] == [("a", True), ("a/train", True), ("b/train", False)]
    assert answer["logged"]["run_name"] == "a"
    other = answer["runs"][2]["run"]
    assert profiles.get("epochs", session=session["id"], run=other)["logged"]["run_name"] == "b/train"


def test_a_run_beside_the_session_in_the_log_folder_is_another_one(profiles: ProfileServer) -> None:
    profiles.put("one", "worker0", two_epochs)
    profiles.folder.write("two", {"epoch_seconds": [3.0, 4.0]})
    (session,) = profiles.sessions()
    answer = profiles.get("epochs", session=session["id"])
    assert ([one["near"] for one in answer["runs"]], answer["logged"]) == ([False], None)


def test_parts_that_are_missing_say_what_to_log(profiles: ProfileServer) -> None:
    profiles.folder.write("seconds", {"epoch_seconds": [3.0, 4.0]})
    profiles.folder.write("ends", {"epoch": [(9, 0.0), (19, 1.0)]})
    profiles.folder.write("one", {"epoch": [(9, 0.0)]})
    profiles.folder.write("some", {"epoch": [(9, 0.0), (19, 1.0)], "step_time": [(0, 0.1), (10, 0.1)]})
    profiles.folder.load()
    runs = {one["run_name"]: one["run"] for one in profiles.get("epochs")["runs"]}
    notes = {name: profiles.get("epochs", run=run)["logged"]["note"] for name, run in runs.items()}
    assert list(notes) == ["ends", "one", "seconds", "some"]
    assert len(set(notes.values())) == 4
    assert "step_time/total" in notes["ends"]
    assert "epoch" in notes["seconds"]


def test_nothing_logged_and_nothing_there(profiles: ProfileServer) -> None:
    profiles.folder.write("train", {"loss": [1.0, 0.5]})
    profiles.folder.load()
    assert profiles.get("epochs") | {"epoch": 0} == {"epoch": 0, "runs": [], "total": 0, "logged": None}
    assert profiles.get("epochs", 404, run="0123456789ab")["error"]["code"] == "unknown_run"
    assert profiles.get("epochs", 404, session="0123456789ab")["error"]["code"] == "unknown_session"


def test_a_batch_that_the_run_has_logged_as_a_hyperparameter(profiles: ProfileServer) -> None:
    log_epochs(profiles, "plain")
    with SummaryWriter(str(profiles.folder.path / "train")) as writer:
        writer.add_hparams({"batch_size": 24, "lr": 0.1}, {}, run_name=".")
        writer.add_scalar("epoch_seconds", 3.0, 0)
    profiles.folder.load()
    runs = {one["run_name"]: one["run"] for one in profiles.get("epochs")["runs"]}
    logged = profiles.get("epochs", run=runs["train"])["logged"]
    assert logged["batch_size"] == 24
    assert "batch_size" in logged["batch_size_from"]
    plain = profiles.get("epochs", run=runs["plain"])["logged"]
    assert plain["batch_size"] is None
    assert plain["batch_size_from"].startswith("Examples per second")
