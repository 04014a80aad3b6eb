"""Sound over HTTP: every step of every sample, with a type that cannot run, whatever the log holds."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

import image_logs as il
from log_folder import LogFolder
from stepscope.dashboards.audio.encoding import TYPES
from text_and_sound_logs import old_audio, sound, tensor_audio


def get(client: TestClient, tag: str, step: float = 0, **more: Any) -> Any:
    (run,) = client.get("/api/v1/runs").json()["runs"]
    return client.get("/api/v1/audio/sound", params={"run": run["id"], "tag": tag, "step": step, **more})


def logged(folder: LogFolder, *records: bytes) -> None:
    il.write(folder.path, "a", *records)
    folder.load()


def test_sounds_of_the_old_message_come_as_they_were_logged(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(old_audio("s", step, sound(step + 1)) for step in range(12)))
    assert client.get("/api/v1/audio/tags").json()["tags"] == [{"name": "s", "runs": [0], "values": [12]}]
    got = get(client, "s", 7)
    assert (got.content, got.headers["content-type"]) == (sound(8), "audio/wav")
    assert (got.headers["x-samples"], got.headers["x-label"]) == ("1", "")
    assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"


def test_samples_and_labels_of_a_tensor(folder: LogFolder, client: TestClient) -> None:
    logged(
        folder,
        tensor_audio("pairs", 0, sound(1), "größe".encode(), sound(2), b"two", shape=[2, 2]),
        tensor_audio("alone", 0, sound(1), sound(2), sound(3), shape=[3]),
    )
    got = get(client, "pairs", sample=0)
    assert (got.content, got.headers["x-label"], got.headers["x-samples"]) == (sound(1), "gr%C3%B6%C3%9Fe", "2")
    assert get(client, "alone", sample=2).content == sound(3)
    assert get(client, "alone", sample=3).json()["error"]["code"] == "unknown_sample"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (sound(), "audio/wav"),
        (b"OggS" + bytes(30), "audio/ogg"),
        (b"fLaC" + bytes(30), "audio/flac"),
        (b"ID3\x04" + bytes(30), "audio/mpeg"),
        (b"\xff\xfb\x90\x00" + bytes(30), "audio/mpeg"),
        (bytes(4) + b"ftypM4A " + bytes(30), "audio/mp4"),
        (b"\xff\xf9\x00", "application/octet-stream"),
        (b"<html><script>alert(1)</script>", "application/octet-stream"),
        (b"RIFF....AVI ", "application/octet-stream"),
        (b"\xff", "application/octet-stream"),
    ],
)
def test_the_type_is_told_by_the_bytes_alone(folder: LogFolder, client: TestClient, data: bytes, kind: str) -> None:
    logged(folder, old_audio("s", 0, data))
    got = get(client, "s")
    assert got.headers["content-type"] == kind
    assert kind in TYPES
    assert got.headers["content-disposition"].startswith("attachment")


def test_nothing_is_no_sound(folder: LogFolder, client: TestClient) -> None:
    logged(folder, old_audio("s", 0, b""), tensor_audio("t", 0, shape=[0]))
    assert get(client, "s").json()["error"]["code"] == "bad_audio"
    assert get(client, "t").json()["error"]["code"] == "bad_audio"
