"""Deleting runs over HTTP: the plan says what moves, nothing else moves, and it comes back."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.queries.trashing import Trashing
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

MakeClient = Callable[..., TestClient]


@pytest.fixture
def ids(folder: LogFolder) -> dict[str, str]:
    """Ids by name, of an experiment with a run in a run, and a run that is being written."""
    for name in ("a", "a/inner", "b", "exp/train", "exp/validation"):
        folder.write(name, {"loss": [1.0, 2.0]})
    folder.write("live", {"loss": [1.0]}, start=time.time())
    return {run.name: str(run.id) for run in folder.load().snapshot.runs}


def names(client: TestClient) -> set[str]:
    """The runs that are listed."""
    return {run["name"] for run in client.get("/api/v1/runs").json()["runs"]}


def post(client: TestClient, route: str, **body: Any) -> Any:
    """The answer of a route of the trash."""
    answer = client.post(f"/api/v1/trash/{route}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_plan_says_what_moves_and_moves_nothing(client: TestClient, folder: LogFolder, ids: dict[str, str]) -> None:
    (folder.path / "a" / "model.ckpt").write_bytes(bytes(1000))
    (planned,) = post(client, "plan", runs=[ids["a"]])["folders"]
    events = sum(path.stat().st_size for path in (folder.path / "a").rglob("events*"))
    assert (planned["path"], planned["files"], planned["bytes"]) == (str(folder.path / "a"), 3, 1000 + events)
    assert {run["name"]: run["chosen"] for run in planned["runs"]} == {"a": True, "a/inner": False}
    assert (planned["counted_all"], planned["problem"], planned["trash"]) == (True, None, str(folder.path) + ".stepscope-trash")
    assert names(client) == set(ids)
    assert client.get("/api/v1/trash").json() == {"folders": []}
    assert not Path(planned["trash"]).exists()


def test_runs_are_moved_listed_and_restored(client: TestClient, folder: LogFolder, ids: dict[str, str]) -> None:
    moved = post(client, "move", runs=[ids["b"], ids["exp/train"], ids["exp/validation"]])
    assert ([one["name"] for one in moved["done"]], moved["failed"]) == (["b", "exp/train", "exp/validation"], [])
    assert names(client) == {"a", "a/inner", "live"}
    listed = client.get("/api/v1/trash").json()["folders"]
    assert {one["name"]: one["runs"] for one in listed} == {name: [name] for name in ("b", "exp/train", "exp/validation")}
    assert all(one["by"] == "local" and one["files"] == 1 and one["bytes"] > 0 for one in listed)
    restored = post(client, "restore", folders=[one["id"] for one in listed])
    assert len(restored["done"]) == 3
    assert names(client) == set(ids)
    assert client.get("/api/v1/trash").json() == {"folders": []}
    assert (folder.path / "exp" / "train").is_dir()


def test_other_runs_in_a_folder_have_to_be_named(client: TestClient, folder: LogFolder, ids: dict[str, str]) -> None:
    refused = post(client, "move", runs=[ids["a"]])
    assert (refused["done"], [one["path"] for one in refused["failed"]]) == ([], [str(folder.path / "a")])
    assert names(client) == set(ids)
    assert len(post(client, "move", runs=[ids["a"]], also=[ids["a/inner"]])["done"]) == 1
    assert names(client) == set(ids) - {"a", "a/inner"}


def test_live_runs_need_a_word_of_their_own(client: TestClient, folder: LogFolder, ids: dict[str, str]) -> None:
    (planned,) = post(client, "plan", runs=[ids["live"]])["folders"]
    assert [run["live"] for run in planned["runs"]] == [True]
    answer = post(client, "move", runs=[ids["live"], ids["b"]])
    assert ([one["name"] for one in answer["done"]], [one["path"] for one in answer["failed"]]) == (["b"], [str(folder.path / "live")])
    assert post(client, "move", runs=[ids["live"]], live_too=True)["failed"] == []


def test_a_folder_inside_another_is_named_once(client: TestClient, ids: dict[str, str]) -> None:
    (planned,) = post(client, "plan", runs=[ids["a/inner"], ids["a"]])["folders"]
    assert all(run["chosen"] for run in planned["runs"])


def test_deleting_for_good_takes_what_was_named_alone(client: TestClient, folder: LogFolder, ids: dict[str, str]) -> None:
    post(client, "move", runs=[ids["b"], ids["exp/train"]])
    by_name = {one["name"]: one for one in client.get("/api/v1/trash").json()["folders"]}
    answer = post(client, "delete", folders=[by_name["b"]["id"]])
    assert ([one["name"] for one in answer["done"]], answer["job"]["state"]) == (["b"], "done")
    assert [one["name"] for one in client.get("/api/v1/trash").json()["folders"]] == ["exp/train"]
    again = post(client, "delete", folders=[by_name["b"]["id"]])
    assert (again["done"], len(again["failed"]), again["job"]["state"]) == ([], 1, "failed")


def test_a_name_that_is_taken_again_stays_in_the_trash(client: TestClient, folder: LogFolder, ids: dict[str, str]) -> None:
    post(client, "move", runs=[ids["b"]])
    folder.write("b", {"loss": [9.0]})
    (one,) = client.get("/api/v1/trash").json()["folders"]
    answer = post(client, "restore", folders=[one["id"]])
    assert (answer["done"], len(answer["failed"])) == ([], 1)
    assert client.get("/api/v1/trash").json()["folders"] == [one]


@pytest.mark.parametrize("entry", ["../logs", "..", "/", "20260328T101112-0123456789ab", "a" * 64])
@pytest.mark.parametrize("route", ["restore", "delete"])
def test_no_text_of_a_request_is_a_path(client: TestClient, folder: LogFolder, ids: dict[str, str], route: str, entry: str) -> None:
    assert post(client, route, folders=[entry])["done"] == []
    assert folder.path.is_dir()
    assert names(client) == set(ids)


@pytest.mark.parametrize("run", ["..", "a", "../logs", "0" * 12, "x" * 65])
def test_unknown_runs_are_refused(client: TestClient, ids: dict[str, str], run: str) -> None:
    for route in ("plan", "move"):
        answer = client.post(f"/api/v1/trash/{route}", json={"runs": [ids["b"], run]})
        assert answer.status_code in (400, 404)
    assert names(client) == set(ids)


def test_runs_behind_links_stay(client: TestClient, folder: LogFolder, tmp_path: Path) -> None:
    elsewhere = LogFolder(tmp_path / "elsewhere")
    elsewhere.write("run", {"loss": [1.0]})
    (folder.path / "link").symlink_to(elsewhere.path)
    (run,) = folder.load().snapshot.runs
    (planned,) = post(client, "plan", runs=[run.id])["folders"]
    assert "link" in planned["problem"]
    assert len(post(client, "move", runs=[run.id])["failed"]) == 1
    assert (elsewhere.path / "run").is_dir()


def test_the_log_folder_itself_stays(client: TestClient, folder: LogFolder) -> None:
    folder.write(".", {"loss": [1.0]})
    (run,) = folder.load().snapshot.runs
    assert len(post(client, "move", runs=[run.id])["failed"]) == 1
    assert folder.path.is_dir()


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_other_sites_cannot_delete(client: TestClient, ids: dict[str, str], headers: dict[str, str]) -> None:
    for route in ("plan", "move", "restore", "delete"):
        answer = client.post(f"/api/v1/trash/{route}", json={"runs": [ids["b"]]}, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_origin")
    assert names(client) == set(ids)


def test_a_server_that_anybody_reaches_deletes_nothing(folder: LogFolder, notes: UserState, ids: dict[str, str]) -> None:
    project = Project(Reads(folder.library), folder.loader, notes, (Root("", str(folder.path)),), may_delete=False)
    with TestClient(Application(project).asgi, base_url="http://localhost") as client:
        for route, body in (
            ("plan", {"runs": [ids["b"]]}),
            ("move", {"runs": [ids["b"]]}),
            ("restore", {"folders": []}),
            ("delete", {"folders": []}),
        ):
            answer = client.post(f"/api/v1/trash/{route}", json=body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "delete_off")
    assert (folder.path / "b").is_dir()


def test_a_trash_is_not_read_where_its_parent_is_served(folder: LogFolder, client: TestClient, ids: dict[str, str]) -> None:
    post(client, "move", runs=[ids["b"]])
    above = LogFolder(folder.path.parent)
    assert "logs/b" not in {run.name for run in above.load().snapshot.runs}
    assert not any("stepscope-trash" in run.path for run in above.library.snapshot.runs)


def test_a_settings_folder_goes_with_the_last_run_below_it(folder: LogFolder) -> None:
    from stepscope.run_folders import new_run

    with new_run(str(folder.path), lr=0.1) as run:
        run.train.add_scalar("loss", 1.0, 0)
        run.validation.add_scalar("loss", 2.0, 0)
    snapshot = folder.load().snapshot
    by_role = {one.name.rpartition("/")[2]: str(one.id) for one in snapshot.runs}
    trashing = Trashing(Reads(folder.library).views, {"": str(folder.path)}, 0.0)
    (alone,) = trashing.plan([by_role["train"]])
    assert Path(alone.path).name == "train"
    (together,) = trashing.plan([by_role["train"], by_role["validation"]])
    assert (Path(together.path), {run.chosen for run in together.runs}) == (folder.path / Path(run.name), {True})


def test_a_folder_that_contains_another_log_folder_stays(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "logs")
    logs.write("a", {"loss": [1.0]})
    logs.write("a/inner", {"loss": [1.0]})
    (run,) = [run for run in logs.load().snapshot.runs if run.name == "a"]
    trashing = Trashing(Reads(logs.library).views, {"": str(logs.path), "inner": str(logs.path / "a" / "inner")}, 0.0)
    (planned,) = trashing.plan([str(run.id)])
    assert planned.problem is not None
    shutil.rmtree(logs.path / "a")
