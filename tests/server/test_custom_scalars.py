"""Layouts over HTTP: those of our own writer, joined over runs; hostile ones; and the one made on the page, kept outside the logs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import event_bytes as eb
import histogram_logs as hl
from log_folder import LogFolder
from server.layout_records import TAG, layout_record
from stepscope import SummaryWriter
from stepscope.queries import layouts
from stepscope.queries.blobs import BlobReader, BlobSeries, Payload
from stepscope.store import user_state
from stepscope.store.user_state import UserState


def lines(title: bytes, *patterns: bytes) -> bytes:
    """A chart of tags."""
    return eb.message(1, title) + eb.message(2, b"".join(eb.message(1, pattern) for pattern in patterns))


def category(title: bytes, *charts: bytes, closed: bool = False) -> bytes:
    """A category as a field of its layout."""
    inner = eb.message(1, title) + b"".join(eb.message(2, chart) for chart in charts) + (eb.integer(3, 1) if closed else b"")
    return eb.message(2, inner)


def ask(folder: LogFolder, client: TestClient) -> dict[str, Any]:
    folder.load()
    answer = client.get("/api/v1/custom_scalars/layout")
    assert answer.status_code == 200
    return answer.json()


def chart(title: str, *patterns: str) -> dict[str, Any]:
    return {"title": title, "patterns": list(patterns), "bands": []}


def test_what_our_writer_logs_is_joined_over_runs(folder: LogFolder, client: TestClient) -> None:
    band = ["Margin", ["v", "v/low", "v/high"]]
    for run, layout in {
        "run10": {"Loss": {"third": ["Multiline", ["c"]]}},
        "run2": {"Loss": {"both": ["Multiline", ["loss/.*", "x"]], "band": band}, "Other": {}},
        "run1": {"Loss": {"both": ["Multiline", ["loss/.*", "x"]]}},
    }.items():
        with SummaryWriter(str(folder.path / run)) as writer:
            writer.add_custom_scalars(layout)
    found = ask(folder, client)
    joined = [
        chart("both", "loss/.*", "x"),
        {"title": "band", "patterns": [], "bands": [{"value": "v", "lower": "v/low", "upper": "v/high"}]},
        chart("third", "c"),
    ]
    assert found["logged"] == [
        {"title": "Loss", "charts": joined, "closed": False},
        {"title": "Other", "charts": [], "closed": False},
    ]
    assert (found["own"], found["problems"]) == ([], [])
    tabs = {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}
    assert tabs["custom_scalars"]


def test_the_last_layout_of_a_run_counts(folder: LogFolder, client: TestClient) -> None:
    first, last = layout_record(category(b"a", lines(b"t", b"x"))), layout_record(category(b"b", lines(b"t", b"y"), closed=True))
    hl.write(folder.path, "run", first, last)
    assert ask(folder, client)["logged"] == [{"title": "b", "charts": [chart("t", "y")], "closed": True}]


GOOD = category(b"good", lines(b"t", b"x"))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"\xff\xff\xff", "corrupt"),
        (eb.message(2, b"\x0a\x7fab"), "corrupt"),
        (category(b"c", b"\x0a\x7fab"), "corrupt"),
        (category(b"c", eb.message(2, b"\x0a\x7fab")), "corrupt"),
        (category(b"c", eb.message(3, eb.message(1, b"\x0a\x7fab"))), "corrupt"),
        (category(b"c", lines(b"t", b"x" * 1_001, b"y")), "1,000 characters"),
        (category(b"c", lines(b"t", *[b"x"] * 101)), "100 entries"),
        (b"".join(category(b"c%d" % place) for place in range(201)), "200 categories"),
        (category(b"c", *(lines(b"t%d" % place, b"x") for place in range(501))), "500 charts"),
        (eb.message(2, b"\0" * (1 << 20)), "KiB"),
    ],
)
def test_a_bad_layout_costs_itself_alone(folder: LogFolder, client: TestClient, message: bytes, words: str) -> None:
    hl.write(folder.path, "a", layout_record(GOOD))
    hl.write(folder.path, "b", layout_record(message))
    found = ask(folder, client)
    assert found["logged"][0] == {"title": "good", "charts": [chart("t", "x")], "closed": False}
    assert any(words in problem for problem in found["problems"])
    assert len(found["logged"]) <= 200
    assert sum(len(one["charts"]) for one in found["logged"]) <= 500


def test_damage_in_one_category_leaves_the_next(folder: LogFolder, client: TestClient) -> None:
    hl.write(folder.path, "a", layout_record(category(b"bad", b"\x0a\x7fab") + GOOD))
    assert ask(folder, client)["logged"][-1]["charts"] == [chart("t", "x")]


def test_names_are_bounded_and_bytes_that_are_no_text_are_replaced(folder: LogFolder, client: TestClient) -> None:
    hl.write(folder.path, "a", layout_record(category("é".encode() * 600, lines(b"\xff<b>", b"(?P<n>\xfe"))))
    (found,) = ask(folder, client)["logged"]
    assert found["title"] == "é" * layouts.MAX_TITLE
    assert found["charts"] == [chart("\ufffd<b>", "(?P<n>\ufffd")]


def test_a_value_without_a_message_is_said(folder: LogFolder, client: TestClient) -> None:
    about = eb.message(9, eb.metadata(b"custom_scalars", data_class=2))
    hl.write(folder.path, "a", hl.record(TAG, 0, eb.message(8, eb.tensor(eb.FLOAT, eb.content(b"\0" * 4), shape=[1])), about))
    assert "add_custom_scalars" in ask(folder, client)["problems"][0]


def test_so_many_runs_are_read(folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MAX_LAYOUTS", 2)
    for run in "abc":
        hl.write(folder.path, run, layout_record(category(run.encode())))
    found = ask(folder, client)
    assert [one["title"] for one in found["logged"]] == ["a", "b"]
    assert "2 layouts" in found["problems"][0]


def test_so_many_bytes_are_read_and_none_of_what_is_too_long(
    folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layouts, "_MAX_SUM", 1_000)
    monkeypatch.setattr(layouts, "_MAX_BYTES", 600)
    for run in "abcd":
        hl.write(folder.path, run, layout_record(category(run.encode() * (700 if run == "a" else 400))))
    read: list[str] = []
    whole = BlobReader.read

    def noted(self: BlobReader, series: BlobSeries, place: int) -> Payload:
        read.append(Path(os.fsdecode(series.files[0].events.path)).parent.name)
        return whole(self, series, place)

    monkeypatch.setattr(BlobReader, "read", noted)
    found = ask(folder, client)
    assert read == ["b", "c"]
    assert [one["title"][0] for one in found["logged"]] == ["b", "c"]
    assert len(found["problems"]) == 2


BAND = {"value": "v", "lower": "l", "upper": "u"}
OWN = [
    {"title": "Mine", "charts": [chart("all", "loss.*")], "closed": False},
    {"title": "Bands", "charts": [{"title": "b", "patterns": [], "bands": [BAND]}], "closed": True},
]


def keep(client: TestClient, categories: object) -> Any:
    return client.patch("/api/v1/custom_scalars/layout", json={"categories": categories})


def test_a_layout_made_on_the_page_is_kept_and_removed(folder: LogFolder, client: TestClient, tmp_path: Path) -> None:
    before = sorted(folder.path.rglob("*"))
    assert keep(client, OWN).json() == {"categories": OWN}
    assert ask(folder, client)["own"] == OWN
    assert sorted(folder.path.rglob("*")) == before
    assert UserState(tmp_path / "data").of("local").read_layout(str(folder.path)) is not None
    assert keep(client, []).status_code == 200
    assert ask(folder, client)["own"] == []
    assert UserState(tmp_path / "data").of("local").read_layout(str(folder.path)) is None


@pytest.mark.parametrize(
    ("categories", "status", "code"),
    [
        ([{"title": "a", "charts": []}] * 2, 400, "same_title"),
        ([{"title": str(place), "charts": []} for place in range(201)], 413, "layout_too_large"),
        ([{"title": "a", "charts": [chart("t")] * 501}], 413, "layout_too_large"),
        ([{"title": "a" * 501, "charts": []}], 413, "layout_too_large"),
        ([{"title": "a", "charts": [chart("t" * 501)]}], 413, "layout_too_large"),
        ([{"title": "a", "charts": [chart("t", "x" * 1_001)]}], 413, "layout_too_large"),
        ([{"title": "a", "charts": [chart("t", *["x"] * 101)]}], 413, "layout_too_large"),
        ([{"title": "a", "charts": [chart("t", "x") | {"bands": [BAND]}]}], 400, "two_kinds"),
        ([{"title": "a", "charts": [], "script": "x"}], 400, "bad_request"),
        ([{"title": 3, "charts": []}], 400, "bad_request"),
        ("all", 400, "bad_request"),
    ],
)
def test_bounds_of_what_is_kept(client: TestClient, categories: object, status: int, code: str) -> None:
    answer = keep(client, categories)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert client.get("/api/v1/custom_scalars/layout").json()["own"] == []


def test_a_kept_layout_of_another_version_is_said(folder: LogFolder, client: TestClient, notes: UserState) -> None:
    notes.of("local").keep_layout(str(folder.path), '{"pages": []}')
    found = ask(folder, client)
    assert found["own"] == []
    assert "another version" in found["problems"][0]


def test_the_store_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = UserState(tmp_path / "data").of("local")
    assert notes.read_layout("/logs") is None
    assert not (tmp_path / "data").exists()
    monkeypatch.setattr(user_state, "MAX_LAYOUTS", 1)
    with pytest.raises(user_state.TooMuch):
        notes.keep_layout("/logs", "x" * (user_state.MAX_LAYOUT + 1))
    notes.keep_layout("/logs", "one")
    notes.keep_layout("/logs", "two")
    with pytest.raises(user_state.TooMuch):
        notes.keep_layout("/other", "x")
    assert (notes.read_layout("/logs"), notes.read_layout("/other")) == ("two", None)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    notes = UserState(tmp_path / "file").of("local")
    assert notes.read_layout("/logs") is None
    with pytest.raises(user_state.Refused, match="STEPSCOPE_DATA_DIR"):
        notes.keep_layout("/logs", "x")
