"""The routes of logged memory: which runs and series, what each says and where from, and the marks that users set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dashboards.profile_server import ProfileServer
from stepscope import SummaryWriter
from stepscope.store.user_state import MAX_MARKS, UserState

MIB = 1 << 20
T0 = 1.7e9


def log(server: ProfileServer, run: str, series: dict[str, list[float]], start: float = T0) -> None:
    """A point of every series each minute and ten steps."""
    with SummaryWriter(str(server.folder.path / run)) as writer:
        for tag, values in series.items():
            for place, value in enumerate(values):
                writer.add_scalar(tag, value, 10 * place, start + 60.0 * place)
    server.folder.load()


GROWING = [1024.0 + place for place in range(100)]
FREE = [1024.0 - place for place in range(100)]


def mark(server: ProfileServer, run: str, tag: str, unit: str | None, status: int = 200) -> Any:
    answer = server.client.patch("/api/v1/profile/memory/marks", json={"run": run, "tag": tag, "unit": unit})
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_run_without_a_profile_tells_its_memory(profiles: ProfileServer) -> None:
    log(profiles, "train", {"system/memory/used_mib": GROWING, "system/memory/available_mib": FREE, "loss": [0.5]})
    answer = profiles.get("memory/logged")
    assert [(run["name"], run["series"]) for run in answer["runs"]] == [("train", 1)]
    assert answer["run"] == answer["runs"][0]["id"]
    (row,) = answer["series"]
    assert (row["name"], row["unit"], row["marked"], row["verdict"]) == ("machine", "MiB", False, "grows")
    assert (row["peak_bytes"], row["capacity_bytes"]) == (1123 * MIB, 2048 * MIB)
    assert row["sentence"].startswith("1.1 GiB of 2 GiB (55%) at step 990;")
    assert all(word in row["source"] for word in ("system/memory/used_mib", "MiB", "100 points", "system/memory/available_mib"))
    assert all(word in answer["sentence"] for word in ("1 series", "1 growing", "machine", "60 MiB", "15.4 h"))
    assert "profile_memory=True" in answer["advice"]


def test_the_line_of_the_slope_lies_on_the_points(profiles: ProfileServer) -> None:
    log(profiles, "train", {"system/process/rss_mib": GROWING})
    (row,) = profiles.get("memory/logged")["series"]
    trend = row["trend"]
    assert (trend["over"], trend["first"]["step"], trend["last"]["step"]) == ("step", 0, 990)
    assert trend["first"]["bytes"] == pytest.approx(1024 * MIB, rel=1e-3)
    assert trend["last"]["bytes"] == pytest.approx(1123 * MIB, rel=1e-3)


def test_a_restart_is_placed(profiles: ProfileServer) -> None:
    log(profiles, "train", {"system/process/rss_mib": GROWING})
    log(profiles, "train", {"system/process/rss_mib": GROWING[:20]}, start=4e9)
    (row,) = profiles.get("memory/logged")["series"]
    assert (row["restarts"], row["restarted"]) == (1, [{"step": 0, "time": 4e9}])
    assert row["trend"]["first"]["time"] == 4e9
    assert row["source"].endswith("since the restart.")


def test_the_run_that_logged_last_is_shown_first(profiles: ProfileServer) -> None:
    log(profiles, "old", {"system/process/rss_mib": [1.0]})
    log(profiles, "new", {"system/process/rss_mib": [2.0]}, start=4e9)
    log(profiles, "none", {"loss": [2.0]}, start=4.1e9)
    answer = profiles.get("memory/logged")
    new, old = answer["runs"]
    assert (new["name"], old["name"], answer["run"]) == ("new", "old", new["id"])
    assert profiles.get("memory/logged", run=old["id"])["series"][0]["run"] == "old"
    # A run without such series, such as that of a profile, does not leave the part empty.
    assert profiles.get("memory/logged", run="f" * 16)["run"] == new["id"]


def test_a_folder_without_memory_has_an_empty_answer(profiles: ProfileServer) -> None:
    log(profiles, "train", {"loss": [0.5]})
    answer = profiles.get("memory/logged")
    assert (answer["runs"], answer["run"], answer["series"], answer["sentence"]) == ([], None, [], "")
    assert answer["units"][0] == "bytes"


def run_id(server: ProfileServer) -> str:
    return server.client.get("/api/v1/runs").json()["runs"][0]["id"]


def test_a_series_is_marked_and_the_mark_taken_away(profiles: ProfileServer, tmp_path: Path) -> None:
    log(profiles, "train", {"torch/allocated": [2.0, 3.0]})
    run = run_id(profiles)
    assert mark(profiles, run, "torch/allocated", "GB") == {"marks": [{"tag": "torch/allocated", "unit": "GB"}]}
    (row,) = profiles.get("memory/logged")["series"]
    assert (row["tag"], row["unit"], row["marked"], row["peak_bytes"]) == ("torch/allocated", "GB", True, 3e9)
    mark(profiles, run, "torch/allocated", "GiB")
    assert profiles.get("memory/logged")["series"][0]["peak_bytes"] == 3 << 30
    # Marks are the user's: nothing is written into the log folder.
    assert UserState(tmp_path / "data").of("local").memory_marks(str(profiles.folder.path)) == {"torch/allocated": "GiB"}
    assert not list(profiles.folder.path.rglob("*.sqlite3"))
    assert mark(profiles, run, "torch/allocated", None) == {"marks": []}
    assert profiles.get("memory/logged")["series"] == []


def test_the_unit_comes_from_the_name_or_is_asked_for(profiles: ProfileServer) -> None:
    log(profiles, "train", {"cuda/used_kb": [2.0], "cuda/used": [2.0]})
    run = run_id(profiles)
    assert mark(profiles, run, "cuda/used_kb", "")["marks"] == [{"tag": "cuda/used_kb", "unit": "KB"}]
    assert mark(profiles, run, "cuda/used", "", 400)["error"]["code"] == "no_unit"
    assert mark(profiles, run, "cuda/used", "furlongs", 400)["error"]["code"] == "bad_unit"


def test_what_is_not_there_cannot_be_marked(profiles: ProfileServer) -> None:
    log(profiles, "train", {"used_mb": [2.0]})
    assert mark(profiles, run_id(profiles), "no/such_mb", "MB", 404)["error"]["code"] == "unknown_tag"
    assert mark(profiles, "0" * 16, "used_mb", "MB", 404)["error"]["code"] == "unknown_run"
    assert mark(profiles, run_id(profiles), "x" * 5_000, None, 413)["error"]["code"] == "too_long"


def test_marks_are_bounded(tmp_path: Path) -> None:
    notes = UserState(tmp_path).of("local")
    for place in range(MAX_MARKS):
        notes.mark_memory("/logs", f"m{place}", "MB")
    with pytest.raises(Exception, match="remove some marks first"):
        notes.mark_memory("/logs", "one more", "MB")
    notes.mark_memory("/logs", "m0", "GB")
    notes.mark_memory("/other", "one more", "MB")
    assert (len(notes.memory_marks("/logs")), notes.memory_marks("/logs")["m0"]) == (MAX_MARKS, "GB")
