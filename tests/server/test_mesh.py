"""Meshes over HTTP: every type of tensor that writers use, and whatever else a log may hold in their place."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import event_bytes as eb
import image_logs as il
from log_folder import LogFolder
from server.mesh_records import FACES, VERTICES, mesh, tensor
from stepscope import SummaryWriter

COLOURS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [300, -5, 7]]], np.int32)


def logged(folder: LogFolder, *records: bytes) -> None:
    il.write(folder.path, "a", *records)
    folder.load()


def ask(client: TestClient, name: str = "m", step: float = 0, **more: Any) -> Any:
    (run,) = client.get("/api/v1/runs").json()["runs"]
    return client.get("/api/v1/mesh/mesh", params={"run": run["id"], "tag": name, "step": step, **more})


def got(client: TestClient, name: str = "m", step: float = 0, **more: Any) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Header and columns of one mesh."""
    data = ask(client, name, step, **more).content
    size = int.from_bytes(data[:4], "little")
    header, buffers = json.loads(data[4 : 4 + size]), data[(4 + size + 7) // 8 * 8 :]
    layouts = {"f32": "<f4", "i32": "<i4", "u8": "u1"}
    columns = {
        name: np.frombuffer(buffers, layouts[place["dtype"]], place["count"], place["offset"]).tolist()
        for name, place in header["columns"].items()
    }
    return header, columns


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(("vertices", "faces", "colours"), [(1, 3, 4), (1, 1, 1), (2, 9, 3)])
def test_every_type_of_tensor_that_writers_use(
    folder: LogFolder, client: TestClient, listed: bool, vertices: int, faces: int, colours: int
) -> None:
    logged(
        folder,
        mesh("m_VERTEX", tensor(VERTICES, vertices, listed=listed)),
        mesh("m_FACE", tensor(FACES, faces, listed=listed)),
        mesh("m_COLOR", tensor(np.clip(COLOURS, 0, 255), colours, listed=listed)),
    )
    header, columns = got(client)
    assert columns["vertices"] == VERTICES.ravel().tolist()
    assert columns["faces"] == FACES.ravel().tolist()
    assert columns["colours"] == np.clip(COLOURS, 0, 255).ravel().tolist()
    assert (header["samples"], header["notices"], header["fov"]) == (1, [], None)


def test_meshes_of_the_writer_at_every_step_and_sample(folder: LogFolder, client: TestClient) -> None:
    with SummaryWriter(folder.path / "a") as writer:
        for step in range(3):
            both = np.concatenate([VERTICES, VERTICES + step])
            writer.add_mesh("m", both, global_step=step, config_dict={"camera": {"cls": "PerspectiveCamera", "fov": 60}})
    folder.load()
    assert client.get("/api/v1/mesh/tags").json()["tags"] == [{"name": "m", "runs": [0], "values": [3]}]
    header, columns = got(client, step=2, sample=1)
    assert (header["samples"], header["fov"]) == (2, 60.0)
    assert columns["vertices"] == (VERTICES + 2).ravel().tolist()
    assert (columns["faces"], columns["colours"]) == ([], [])
    assert ask(client, sample=2).json()["error"]["code"] == "unknown_sample"


def test_faces_that_name_no_vertex_are_left_out(folder: LogFolder, client: TestClient) -> None:
    faces = np.array([[[0, 1, 2], [0, 1, 4], [-1, 0, 1]]])
    logged(folder, mesh("m_VERTEX", tensor(VERTICES, 1, listed=False)), mesh("m_FACE", tensor(faces, 3, listed=False)))
    header, columns = got(client)
    assert columns["faces"] == [0, 1, 2]
    assert [notice.startswith("2 faces ") for notice in header["notices"]] == [True]


def test_vertices_that_are_no_points_are_left_out_with_their_faces(folder: LogFolder, client: TestClient) -> None:
    vertices = VERTICES.copy()
    vertices[0, 3, 1] = np.nan
    logged(folder, mesh("m_VERTEX", tensor(vertices, 1, listed=False)), mesh("m_FACE", tensor(FACES, 3, listed=False)))
    header, columns = got(client)
    assert columns["faces"] == [0, 1, 2]
    assert [notice.startswith("1 vertices ") for notice in header["notices"]] == [True]
    logged(folder, mesh("cloud_VERTEX", tensor(vertices, 1, listed=False)))
    assert len(got(client, "cloud")[1]["vertices"]) == 9


def test_colours_that_do_not_fit_are_not_used_and_others_are_kept_in_range(folder: LogFolder, client: TestClient) -> None:
    logged(
        folder,
        mesh("m_VERTEX", tensor(VERTICES, 1, listed=False)),
        mesh("m_COLOR", tensor(COLOURS[:, :2], 3, listed=False)),
        mesh("n_VERTEX", tensor(VERTICES, 1, listed=False)),
        mesh("n_COLOR", tensor(COLOURS, 1, listed=False)),
    )
    header, columns = got(client)
    assert (columns["colours"], len(header["notices"])) == ([], 1)
    assert "2 colours for 4 vertices" in header["notices"][0]
    assert got(client, "n")[1]["colours"][-3:] == [255, 0, 7]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xff\xff",
        tensor(VERTICES, 1, listed=False, shape=[1, 400, 3]),
        tensor(VERTICES, 1, listed=False, shape=[1 << 40, 1 << 40, 3]),
        tensor(VERTICES, 1, listed=False, shape=[1, -4, 3]),
        tensor(VERTICES[0], 1, listed=False),
        tensor(VERTICES[..., :2], 1, listed=False),
        eb.tensor(7, eb.message(8, b"text"), shape=[1]),
        eb.tensor(3, eb.message(7, b"\x80"), shape=[1, 1, 3]),
        eb.tensor(3, eb.message(7, b"\xff\xff\xff\xff\xff\xff\x01\x00\x00"), shape=[1, 1, 3]),
    ],
)
def test_what_is_no_mesh_is_a_sentence(folder: LogFolder, client: TestClient, data: bytes) -> None:
    logged(folder, mesh("m_VERTEX", data))
    error = ask(client).json()["error"]
    assert error["code"] == "bad_mesh"
    assert error["message"].startswith("This value is not a mesh")


@pytest.mark.parametrize("shape", [[1_000_000, 3, 3], [-1, 3, 3], [4, 3]])
def test_a_shape_that_claims_what_is_not_there_is_one_mesh(folder: LogFolder, client: TestClient, shape: list[int]) -> None:
    logged(folder, mesh("m_VERTEX", tensor(VERTICES, eb.FLOAT, listed=False, shape=shape)))
    run = client.get("/api/v1/runs").json()["runs"][0]["id"]
    frame = client.post("/api/v1/mesh/steps", json={"series": [{"run": run, "tag": "m"}]}).content
    header = json.loads(frame[4 : 4 + int.from_bytes(frame[:4], "little")])
    assert header["series"][0]["samples"] == 1


def test_a_part_that_cannot_be_read_costs_that_part(folder: LogFolder, client: TestClient) -> None:
    logged(folder, mesh("m_VERTEX", tensor(VERTICES, 1, listed=False)), mesh("m_FACE", b"\xff"), mesh("m_COLOR", b"\xff"))
    header, columns = got(client)
    assert len(columns["vertices"]) == 12
    assert len(header["notices"]) == 2


def test_the_look_that_was_logged(folder: LogFolder, client: TestClient) -> None:
    look = {"camera": {"cls": "OrthographicCamera"}, "material": {"cls": "MeshBasicMaterial", "color": 0xFF8000, "wireframe": True}}
    logged(folder, mesh("m_VERTEX", tensor(VERTICES, 1, listed=False), config=json.dumps(look)))
    header, _ = got(client)
    assert (header["orthographic"], header["colour"], header["wireframe"], header["lit"]) == (True, [255, 128, 0], True, False)


@pytest.mark.parametrize(
    ("colour", "taken"), [("#0a141e", [10, 20, 30]), (-1, None), (1 << 24, None), ("red", None), (True, None), ([1], None)]
)
def test_colours_that_make_no_sense_are_none(folder: LogFolder, client: TestClient, colour: object, taken: list[int] | None) -> None:
    logged(folder, mesh("m_VERTEX", tensor(VERTICES, 1, listed=False), config=json.dumps({"material": {"color": colour}})))
    assert got(client)[0]["colour"] == taken


@pytest.mark.parametrize(
    ("config", "fov"),
    [
        ('{"camera": {"fov": 75}}', 75.0),
        ('{"camera": {"fov": 1e9}}', None),
        ('{"camera": {"fov": true}}', None),
        ('{"camera": ["fov"]}', None),
        ('{"camera":' * 5_000, None),
        ("[1]", None),
        ("{", None),
        ('{"camera": {"fov": "<script>"}}', None),
    ],
)
def test_only_sense_is_taken_from_the_configuration(folder: LogFolder, client: TestClient, config: str, fov: float | None) -> None:
    logged(folder, mesh("m_VERTEX", tensor(VERTICES, 1, listed=False), config=config))
    assert got(client)[0]["fov"] == fov
