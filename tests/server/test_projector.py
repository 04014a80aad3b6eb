"""The projector over HTTP: embeddings of runs, their points, layouts, neighbours and scores, sprites and uploads."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope import SummaryWriter
from stepscope.projector import write_embedding

VECTORS = np.random.default_rng(4).normal(size=(40, 6)).astype(np.float32) * np.array([5, 3, 2, 1, 1, 1], np.float32)
KINDS = ["even" if row % 2 == 0 else "odd" for row in range(40)]
LAYOUTS = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "u8": "u1"}


def decoded(data: bytes) -> tuple[dict[str, Any], Any]:
    """The header of a frame, and a function that gives a column."""
    size = int.from_bytes(data[:4], "little")
    header, buffers = json.loads(data[4 : 4 + size]), data[(4 + size + 7) // 8 * 8 :]
    return header, lambda place: np.frombuffer(buffers, LAYOUTS[place["dtype"]], place["count"], place["offset"])


@pytest.fixture
def run(folder: LogFolder, client: TestClient) -> str:
    write_embedding(folder.path / "a", VECTORS, {"name": [f"p{row}" for row in range(40)], "kind": KINDS}, name="e")
    folder.load()
    (row,) = client.get("/api/v1/runs").json()["runs"]
    return row["id"]


def frame(client: TestClient, answer: Any, route: str) -> tuple[dict[str, Any], Any]:
    """The finished frame of a question, asked again until it is."""
    for _ in range(200):
        assert answer.status_code == 200, answer.text
        header, column = decoded(answer.content)
        if header["job"] is None:
            return header, column
        answer = client.get(f"/api/v1/projector/{route}/{header['job']['id']}")
    raise AssertionError("it never finished")


def points(client: TestClient, run: str, **more: Any) -> tuple[dict[str, Any], Any]:
    return frame(client, client.get("/api/v1/projector/points", params={"run": run, "name": "e", **more}), "points")


def layout(client: TestClient, run: str, **more: Any) -> tuple[dict[str, Any], Any]:
    return frame(client, client.post("/api/v1/projector/layout", json={"run": run, "name": "e", **more}), "layout")


def bits(chosen: list[int], count: int = 40) -> str:
    which = np.zeros(count, bool)
    which[chosen] = True
    return base64.b64encode(np.packbits(which, bitorder="little").tobytes()).decode()


def test_a_run_with_nothing_but_an_embedding_is_listed(client: TestClient, run: str) -> None:
    answer = client.get("/api/v1/projector/embeddings").json()
    assert [(row["run"], row["name"], row["steps"], row["problem"]) for row in answer["embeddings"]] == [(run, "e", [None], None)]
    assert (answer["problems"], answer["tsne"], answer["umap"]) == ([], None, None)
    tabs = {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}
    assert tabs["projector"]


def test_a_folder_without_embeddings(folder: LogFolder, client: TestClient) -> None:
    folder.write("r", {"loss": [1.0]})
    folder.load()
    assert client.get("/api/v1/projector/embeddings").json()["embeddings"] == []
    tabs = {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}
    assert not tabs["projector"]


def test_points_and_what_is_known_about_them(client: TestClient, run: str) -> None:
    header, column = points(client, run)
    assert (header["points"], header["total"], header["dimensions"], header["notices"], header["sprite"]) == (40, 40, 6, [], None)
    assert column(header["columns"]["rows"]).tolist() == list(range(40))
    name, kind = header["metadata"]
    assert (kind["name"], kind["kind"], kind["classes"]) == ("kind", "classes", ["even", "odd"])
    assert [kind["classes"][code] for code in column(kind["columns"]["codes"])] == KINDS
    assert name["kind"] == "classes"


def test_principal_components(client: TestClient, run: str) -> None:
    header, column = layout(client, run)
    found = column(header["columns"]["positions"]).reshape(40, 3)
    centred = VECTORS - VECTORS.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    assert np.allclose(np.abs(found), np.abs(left * sizes)[:, :3], atol=1e-3)
    assert header["variance"] == pytest.approx((sizes**2 / (sizes**2).sum()).tolist(), abs=1e-4)
    two, column_of_two = layout(client, run, components=2, axes=[1, 0])
    assert np.allclose(column_of_two(two["columns"]["positions"]).reshape(40, 2), found[:, [1, 0]], atol=1e-5)


def test_only_some_points_and_spherized(client: TestClient, run: str) -> None:
    chosen = [1, 2, 3, 5, 8, 13, 21]
    header, column = layout(client, run, only=bits(chosen), spherize=True)
    assert column(header["columns"]["points"]).tolist() == chosen
    values = VECTORS[chosen] - VECTORS[chosen].mean(axis=0)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    centred = values - values.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    found = column(header["columns"]["positions"]).reshape(7, 3)
    assert np.allclose(np.abs(found), np.abs(left * sizes)[:, :3], atol=1e-4)


def test_axes_between_means_of_points(client: TestClient, run: str) -> None:
    left, right = [0, 1, 2], [10, 11]
    ends = [{"left": bits(left), "right": bits(right)}, {"left": bits(right), "right": ""}]
    header, column = layout(client, run, method="custom", components=2, custom=ends)
    axis = VECTORS[right].mean(axis=0) - VECTORS[left].mean(axis=0)
    expected = (VECTORS - VECTORS.mean(axis=0)) @ axis / np.linalg.norm(axis)
    assert np.allclose(column(header["columns"]["positions"]).reshape(40, 2)[:, 0], expected, atol=1e-4)


def test_steps_are_aligned_with_another_one(folder: LogFolder, client: TestClient) -> None:
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 6)))[0].astype(np.float32)
    with SummaryWriter(folder.path / "a") as writer:
        writer.add_embedding(VECTORS, global_step=1, tag="e")
        writer.add_embedding(VECTORS @ turn, global_step=2, tag="e")
        writer.add_embedding(VECTORS[:30], global_step=3, tag="e")
    folder.load()
    (row,) = client.get("/api/v1/projector/embeddings").json()["embeddings"]
    assert row["steps"] == [1, 2, 3]
    first, column = layout(client, row["run"], step=1)
    second, second_column = layout(client, row["run"], step=2, align=1)
    assert np.allclose(second_column(second["columns"]["positions"]), column(first["columns"]["positions"]), atol=1e-2)
    assert len(layout(client, row["run"], step=3, align=1)[0]["notices"]) == 1


def test_neighbours_and_scores(client: TestClient, run: str) -> None:
    asked = {"run": run, "name": "e", "point": 3, "count": 5, "metric": "euclidean"}
    found = client.get("/api/v1/projector/neighbours", params=asked).json()["neighbours"]
    away = np.linalg.norm(VECTORS - VECTORS[3], axis=1)
    assert [row["point"] for row in found] == [point for point in np.argsort(away).tolist() if point != 3][:5]
    answer = client.post("/api/v1/projector/scores", json={"run": run, "name": "e", "column": "kind", "neighbours": 4}).json()
    while answer["job"] is not None:
        answer = client.get(f"/api/v1/projector/scores/{answer['job']['id']}").json()
    assert [(row["name"], row["points"]) for row in answer["classes"]] == [("even", 20), ("odd", 20)]
    assert answer["total"]["measured"] == 40
    assert -1 <= answer["total"]["silhouette"] <= 1


@pytest.mark.parametrize(
    ("method", "path", "asked", "code"),
    [
        ("GET", "points", {"name": "none"}, "unknown_embedding"),
        ("GET", "points", {"step": 7}, "unknown_step"),
        ("GET", "neighbours", {"point": 40}, "unknown_point"),
        ("GET", "sprite", {}, "no_sprite"),
        ("GET", "bookmarks", {}, "no_bookmarks"),
        ("POST", "layout", {"axes": [0, 99]}, "bad_axes"),
        ("POST", "layout", {"only": bits([1], 16)}, "bad_points"),
        ("POST", "layout", {"only": bits([])}, "no_points"),
        ("POST", "layout", {"method": "tsne", "perplexity": 20}, "bad_perplexity"),
        ("POST", "layout", {"method": "umap", "neighbours": 60}, "bad_neighbours"),
        ("POST", "scores", {"column": "none"}, "bad_column"),
    ],
)
def test_what_makes_no_sense_is_refused(client: TestClient, run: str, method: str, path: str, asked: dict[str, Any], code: str) -> None:
    whole = {"run": run, "name": "e", **asked}
    given: dict[str, Any] = {"params": whole} if method == "GET" else {"json": whole}
    answer = client.request(method, f"/api/v1/projector/{path}", **given)
    assert (answer.status_code >= 400, answer.json()["error"]["code"]) == (True, code)


def test_sprites_and_bookmarks(folder: LogFolder, client: TestClient) -> None:
    images = np.random.default_rng(0).random((40, 3, 4, 6)).astype(np.float32)
    write_embedding(folder.path / "a", VECTORS, sprites=images, name="e")
    (folder.path / "a" / "marks.json").write_text('[{"label": "one"}]')
    config = folder.path / "a" / "projector_config.pbtxt"
    config.write_text(config.read_text().replace("tensor_path", 'bookmarks_path: "marks.json"\n  tensor_path'))
    folder.load()
    (row,) = client.get("/api/v1/projector/embeddings").json()["embeddings"]
    assert (row["has_sprite"], row["has_bookmarks"]) == (True, True)
    assert points(client, row["run"])[0]["sprite"] == {"width": 6, "height": 4}
    asked = {"run": row["run"], "name": "e"}
    picture = client.get("/api/v1/projector/sprite", params=asked)
    assert (picture.headers["content-type"], picture.content[:4]) == ("image/png", b"\x89PNG")
    assert json.loads(client.get("/api/v1/projector/bookmarks", params=asked).json()["text"]) == [{"label": "one"}]


def test_paths_that_leave_the_run_are_refused_in_words(folder: LogFolder, client: TestClient) -> None:
    (folder.path / "a").mkdir()
    (folder.path / "a" / "projector_config.pbtxt").write_text('embeddings { tensor_name: "e" tensor_path: "/etc/passwd" }')
    folder.load()
    (row,) = client.get("/api/v1/projector/embeddings").json()["embeddings"]
    assert "leaves the folder" in row["problem"]
    answer = client.get("/api/v1/projector/points", params={"run": row["run"], "name": "e"})
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, row["problem"])


@pytest.mark.parametrize("form", ["npy", "tsv"])
def test_uploads_in_parts(client: TestClient, form: str) -> None:
    stream = io.BytesIO()
    np.save(stream, VECTORS)
    text = "\n".join("\t".join(map(str, row)) for row in VECTORS.tolist()).encode()
    data = stream.getvalue() if form == "npy" else text

    def send(upload: str, part: bytes, last: bool) -> Any:
        given = {"upload": upload, "data": base64.b64encode(part).decode(), "last": last}
        more = {"metadata": base64.b64encode("\n".join(KINDS).encode()).decode()} if last else {}
        return client.post("/api/v1/projector/upload", json=given | more)

    name = send("", data[:100], False).json()["upload"]
    assert send(name, data[100:], True).json()["upload"] == name
    header, _ = frame(client, client.get("/api/v1/projector/points", params={"run": "upload", "name": name}), "points")
    assert (header["points"], header["metadata"][0]["classes"]) == (40, ["even", "odd"])
    assert send(name, b"", True).json()["error"]["code"] == "unknown_upload"
    assert send("", b"not numbers", True).status_code == 400
    unknown = client.get("/api/v1/projector/points", params={"run": "upload", "name": "none"})
    assert unknown.json()["error"]["code"] == "unknown_embedding"
