"""Who asks decides what they may do and see: every route that changes something refuses a viewer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.route import Route
from stepscope.model.user import LOCAL_USER, Role, User
from stepscope.server.app import all_routes

MakeClient = Callable[..., TestClient]
USERS = {
    "ann": User("ann", "Ann", Role.EDITOR),
    "bob": User("bob", "Bob", Role.EDITOR),
    "vera": User("vera", "Vera", Role.VIEWER),
}


def by_header(request: HTTPConnection) -> User:
    """Who a request says that it is from; a stand-in for sign-in."""
    return USERS[request.headers["x-user"]]


def test_the_local_user_may_change_things() -> None:
    assert LOCAL_USER.role is Role.EDITOR


@pytest.mark.parametrize("route", [route for route in all_routes() if route.role > Role.VIEWER], ids=lambda route: route.path)
def test_a_viewer_cannot_use_what_needs_an_editor(make_client: MakeClient, route: Route) -> None:
    client = make_client(who=by_header)
    answer = client.request(route.method, f"/api/v1{route.path}", headers={"x-user": "vera"}, json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "role")


def test_every_route_that_changes_something_needs_an_editor() -> None:
    assert [route.path for route in all_routes() if route.method == "PATCH" and route.role < Role.EDITOR] == []


def test_a_viewer_sees_what_an_editor_noted_and_not_their_colours(folder: LogFolder, make_client: MakeClient) -> None:
    folder.write("a", {"loss": [1.0]})
    folder.load()
    client = make_client(who=by_header)

    def run(user: str) -> dict[str, object]:
        (row,) = client.get("/api/v1/runs", headers={"x-user": user}).json()["runs"]
        return {name: row[name] for name in ("note", "colour", "pinned")}

    (row,) = client.get("/api/v1/runs", headers={"x-user": "ann"}).json()["runs"]
    changes = {"note": "lr too high", "colour": "#123456", "pinned": True}
    assert client.patch(f"/api/v1/runs/{row['id']}", json=changes, headers={"x-user": "ann"}).status_code == 200
    assert run("ann") == changes
    assert run("bob") == run("vera") == {"note": "lr too high", "colour": None, "pinned": False}


def test_layouts_are_personal(folder: LogFolder, make_client: MakeClient) -> None:
    client = make_client(who=by_header)
    chart = {"title": "c", "patterns": ["loss"], "bands": []}
    kept = {"categories": [{"title": "mine", "closed": False, "charts": [chart]}]}
    answer = client.patch("/api/v1/custom_scalars/layout", json=kept, headers={"x-user": "ann"})
    assert answer.status_code == 200, answer.text
    own = {user: client.get("/api/v1/custom_scalars/layout", headers={"x-user": user}).json()["own"] for user in USERS}
    assert {user: len(layout) for user, layout in own.items()} == {"ann": 1, "bob": 0, "vera": 0}
