"""Images over HTTP: every step of every sample, with a type that cannot run, whatever the log holds."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import event_bytes as eb
import image_logs as il
from log_folder import LogFolder
from sample_files import SAMPLES, needs
from stepscope.queries import blobs
from stepscope.queries import image_encoding as encoding
from stepscope.sources.files import read_range

IMAGE = "/api/v1/images/image"


def run_id(client: TestClient, name: str = "a") -> str:
    return next(run["id"] for run in client.get("/api/v1/runs").json()["runs"] if run["name"] == name)


def steps(client: TestClient, tag: str, run: str = "a") -> tuple[dict[str, Any], list[float], list[float]]:
    """The header of one series, its steps and its wall times."""
    data = client.post("/api/v1/images/steps", json={"series": [{"run": run_id(client, run), "tag": tag}]}).content
    size = int.from_bytes(data[:4], "little")
    header, buffers = json.loads(data[4 : 4 + size])["series"][0], data[(4 + size + 7) // 8 * 8 :]

    def column(name: str) -> list[float]:
        place = header["columns"].get(name)
        return [] if place is None else np.frombuffer(buffers, "<f8", place["count"], place["offset"]).tolist()

    return header, column("step"), column("wall")


def get(client: TestClient, tag: str, step: float, **more: Any) -> Any:
    return client.get(IMAGE, params={"run": run_id(client), "tag": tag, "step": step, **more})


def one(folder: LogFolder, client: TestClient, data: bytes) -> Any:
    """The answer for an image with these bytes."""
    il.write(folder.path, "a", il.old_image("x", 0, data))
    folder.load()
    return get(client, "x", 0)


def test_tags_and_runs_are_listed_with_their_counts(folder: LogFolder, client: TestClient) -> None:
    il.write(folder.path, "a", *(il.old_image("input/x10", step, il.png()) for step in range(12)))
    il.write(folder.path, "b", il.old_image("input/x10", 0, il.png()), il.tensor_images("input/x2", 0, [il.png()]))
    folder.write("a", {"loss": [1.0]}, file="events.out.tfevents.2")
    folder.load()
    got = client.get("/api/v1/images/tags").json()
    named = {
        tag["name"]: {got["runs"][run]: values for run, values in zip(tag["runs"], tag["values"], strict=True)} for tag in got["tags"]
    }
    a, b = run_id(client), run_id(client, "b")
    assert list(named) == ["input/x2", "input/x10"]
    assert named == {"input/x2": {b: 1}, "input/x10": {a: 12, b: 1}}
    assert got["total"] == 3
    assert {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}["images"]


def test_every_step_is_there_and_every_sample_of_each(folder: LogFolder, client: TestClient) -> None:
    pictures = [il.png(8, 8, (step % 256, sample, 7)) for step in range(300) for sample in range(3)]
    records = [il.tensor_images("x", step * 10, pictures[step * 3 : step * 3 + 3]) for step in range(300)]
    il.write(folder.path, "a", *records)
    folder.load()
    header, step, wall = steps(client, "x")
    assert (header["samples"], len(step), step[:2], step[-1]) == (3, 300, [0, 10], 2990)
    for place in (0, 1, 150, 299):
        for sample in range(3):
            got = get(client, "x", step[place], wall=wall[place], sample=sample)
            assert (got.status_code, got.content) == (200, pictures[place * 3 + sample])
            assert (got.headers["x-samples"], got.headers["x-logged-size"]) == ("3", "8x8")


def test_of_two_values_at_a_step_the_last_counts_also_over_files(folder: LogFolder, client: TestClient) -> None:
    old, new, newest = (il.png(8, 8, (shade, 0, 0)) for shade in (1, 2, 3))
    il.write(folder.path, "a", il.old_image("x", 1, old), il.old_image("x", 5, old), il.old_image("x", 1, new, wall=il.START + 90))
    eb.write(
        folder.path / "a" / "events.out.tfevents.2",
        eb.version(il.START + 100),
        il.old_image("x", 5, newest, wall=il.START + 101),
        il.old_image("x", -3, newest, wall=il.START + 102),
    )
    folder.load()
    _, step, wall = steps(client, "x")
    assert (step, wall) == ([-3, 1, 5], [il.START + 102, il.START + 90, il.START + 101])
    assert get(client, "x", 1).content == new
    assert get(client, "x", 5).content == newest
    assert get(client, "x", 5, wall=il.START + 5).json()["error"]["code"] == "unknown_step"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (il.png(), "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a\x08\0\x08\0rest", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPrest", "image/webp"),
        (b"BM\x10\0\0\0\0\0\0\0rest", "image/bmp"),
        (b"\0\0\0\x1cftypavifrest", "image/avif"),
    ],
)
def test_images_are_shown_with_the_type_their_bytes_have(folder: LogFolder, client: TestClient, data: bytes, kind: str) -> None:
    got = one(folder, client, data)
    assert (got.status_code, got.content, got.headers["content-type"]) == (200, data, kind)
    assert got.headers["content-disposition"].startswith("inline")


@pytest.mark.parametrize("data", [il.SVG, il.HTML, b"\xef\xbb\xbf" + il.SVG, b"BM<script>alert(1)</script>", b"%PDF-1.7", b"x"])
def test_what_could_run_is_a_file_to_save(folder: LogFolder, client: TestClient, data: bytes) -> None:
    got = one(folder, client, data)
    assert (got.status_code, got.content, got.headers["content-type"]) == (200, data, "application/octet-stream")
    assert got.headers["content-disposition"] == 'attachment; filename="image.bin"'
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"


def test_an_image_cannot_bring_markup_to_life(folder: LogFolder, client: TestClient) -> None:
    got = one(folder, client, il.png() + il.HTML)
    assert got.headers["content-type"] == "image/png"
    assert (got.headers["x-content-type-options"], got.headers["content-security-policy"]) == ("nosniff", "default-src 'none'; sandbox")


@pytest.mark.parametrize("cut", [0, 9, 20, 40, len(il.png()) - 1])
def test_a_truncated_image_is_one_clear_error(folder: LogFolder, client: TestClient, cut: int) -> None:
    got = one(folder, client, il.png()[:cut])
    assert (got.status_code, got.json()["error"]["code"]) == (404, "bad_image")


def test_a_few_bytes_that_claim_gigapixels_are_refused(folder: LogFolder, client: TestClient) -> None:
    huge = bytearray(il.png())
    huge[16:24] = (65_000).to_bytes(4, "big") * 2
    got = one(folder, client, bytes(huge))
    assert (got.status_code, got.json()["error"]["code"]) == (413, "too_many_pixels")
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03"
    with pytest.raises(encoding.TooMuch):
        encoding.check_image(jpeg, "image/jpeg")


@pytest.mark.parametrize("size", [(b"", b""), (b"-1", b"8"), (b"9" * 5000, b"8"), (b"\xff", b"<b>")])
def test_wrong_sizes_do_not_hide_the_image(folder: LogFolder, client: TestClient, size: tuple[bytes, bytes]) -> None:
    il.write(folder.path, "a", il.tensor_images("x", 0, [il.png()], size=size))
    folder.load()
    got = get(client, "x", 0)
    assert (got.status_code, got.headers["x-logged-size"].split("x")[0]) == (200, "0")


def test_samples_are_counted_without_reading_the_images(folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    il.write(
        folder.path, "a", il.tensor_images("x", 0, [il.png() + bytes(300_000)] * 3), il.old_image("y", 0, il.png() + bytes(300_000))
    )
    folder.load()
    read: list[int] = []

    def counted(path: str, offset: int, length: int) -> bytes:
        read.append(length)
        return read_range(path, offset, length)

    monkeypatch.setattr(blobs, "read_range", counted)
    monkeypatch.setattr(blobs.BlobReader, "read_value", None)
    assert [steps(client, tag)[0]["samples"] for tag in ("x", "y")] == [3, 1]
    assert 0 < sum(read) < 50_000


def test_a_value_with_very_many_images_is_counted_up_to_a_bound(
    folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = [il.png() + bytes(20_000)] * 100
    il.write(folder.path, "a", il.tensor_images("x", 0, pictures))
    folder.load()
    read: list[int] = []

    def counted(path: str, offset: int, length: int) -> bytes:
        read.append(length)
        return read_range(path, offset, length)

    monkeypatch.setattr(blobs, "read_range", counted)
    monkeypatch.setattr(blobs, "MOST_STRINGS", 12)
    assert steps(client, "x")[0]["samples"] == 10
    assert len(read) < 20
    assert get(client, "x", 0, sample=99).content == pictures[99]


def test_values_without_an_image_and_samples_beyond_the_last(folder: LogFolder, client: TestClient) -> None:
    short = eb.value(
        b"short", eb.message(8, eb.tensor(eb.STRING, eb.message(8, b"8"), shape=[1])), eb.message(9, eb.metadata(b"images"))
    )
    il.write(folder.path, "a", il.tensor_images("x", 0, [il.png()]), eb.record(eb.event(0, il.START, eb.summary(short))))
    folder.load()
    assert get(client, "x", 0, sample=1).json()["error"]["code"] == "unknown_sample"
    assert get(client, "short", 0).json()["error"]["code"] == "bad_image"
    assert steps(client, "short")[0]["samples"] == 1
    assert get(client, "nothing", 0).json()["error"]["code"] == "unknown_tag"
    assert get(client, "x", 1).json()["error"]["code"] == "unknown_step"
    assert client.get(IMAGE, params={"run": "0" * 12, "tag": "x", "step": 0}).json()["error"]["code"] == "unknown_run"
    assert get(client, "x", 0, sample=-1).status_code == 400


def test_an_address_with_its_wall_time_never_changes_and_any_other_is_asked_about(folder: LogFolder, client: TestClient) -> None:
    il.write(folder.path, "a", il.old_image("x", 0, il.png()))
    folder.load()
    fixed, newest = get(client, "x", 0, wall=il.START), get(client, "x", 0)
    assert "immutable" in fixed.headers["cache-control"]
    assert newest.headers["cache-control"] == "private, no-cache"
    again = client.get(newest.request.url, headers={"if-none-match": newest.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_replaced_file_is_said_and_nothing_of_the_new_one_is_shown(folder: LogFolder, client: TestClient) -> None:
    path = il.write(folder.path, "a", il.old_image("x", 0, il.png()), il.old_image("x", 1, il.png()))
    folder.load()
    other = il.write(folder.path.parent / "aside", "a", il.old_image("y", 0, il.png(8, 8, (9, 9, 9))), il.old_image("y", 1, il.png()))
    os.replace(other, path)
    assert get(client, "x", 1).json()["error"]["code"] == "unreadable_value"
    path.unlink()
    assert get(client, "x", 1).json()["error"]["code"] == "unreadable_value"


def test_a_file_overwritten_in_place_is_noticed_by_its_tag(folder: LogFolder, client: TestClient) -> None:
    path = il.write(folder.path, "a", il.old_image("x", 0, il.png()))
    folder.load()
    with path.open("r+b") as file:
        file.write(path.read_bytes().replace(b"\x0a\x01x", b"\x0a\x01y"))
    assert get(client, "x", 0).json()["error"]["code"] == "unreadable_value"


def test_a_value_over_the_limit_is_refused_before_it_is_read(
    folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "MAX_VALUE_BYTES", 100)
    got = one(folder, client, il.png() + bytes(200))
    assert (got.status_code, got.json()["error"]["code"]) == (413, "value_too_large")
    assert steps(client, "x")[0]["samples"] == 1


def test_too_many_series_at_once_are_refused(folder: LogFolder, client: TestClient) -> None:
    il.write(folder.path, "a", il.old_image("x", 0, il.png()))
    folder.load()
    wanted = [{"run": run_id(client), "tag": "x"}] * 501
    assert client.post("/api/v1/images/steps", json={"series": wanted}).status_code == 413


def test_a_huge_step_finds_its_way_through_a_browsers_numbers(folder: LogFolder, client: TestClient) -> None:
    il.write(folder.path, "a", il.old_image("x", 2**63 - 1, il.png(), wall=il.START))
    folder.load()
    _, step, wall = steps(client, "x")
    assert get(client, "x", step[0], wall=wall[0]).content == il.png()


@needs("event_logs/torch_every_kind/all_kinds")
def test_the_sample_of_torch(make_client: Any, folder: LogFolder) -> None:
    os.symlink(SAMPLES / "event_logs" / "torch_every_kind" / "all_kinds", folder.path / "a")
    folder.load()
    client = make_client()
    for tag in client.get("/api/v1/images/tags").json()["tags"]:
        _, step, wall = steps(client, tag["name"])
        assert len(step) == tag["values"][0] > 0
        for place in range(len(step)):
            got = get(client, tag["name"], step[place], wall=wall[place])
            assert (got.status_code, got.headers["content-type"][:6]) == (200, "image/"), tag
