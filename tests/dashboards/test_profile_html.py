"""The report as one HTML file over HTTP: made by a job, the API's own answers inside, and no name of a profile ends their block."""

from __future__ import annotations

import re
import tempfile
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from analyses.request_profiles import served
from analyses.timeline import timeline
from dashboards.epoch_profiles import log_epochs, two_epochs
from dashboards.profile_server import ProfileServer
from report_files import answers_block, embedded, use_small_bundle
from stepscope.dashboards.profile import html_report, html_route
from stepscope.dashboards.profile.html_report import EMBEDDED
from stepscope.model.profile import Profile

LONG = 20.0
HOSTILE = "</script><img src=x onerror=alert(1)><!-- &amp; \u2028\u2029 \"'\u202e"
PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiiilo    iiiilo    iiiilo    iiiilo
    gpu 0         KKKK      KKKK      KKKK      KKKK
"""


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_bundle(tmp_path, monkeypatch)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where jobs write."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


class Elements(HTMLParser):
    """The names of all elements, as a browser would find them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)


def start(profiles: ProfileServer, **wanted: Any) -> Any:
    (session,) = profiles.sessions()
    return profiles.client.post(f"/api/v1/profile/{session['id']}/html", json=wanted)


def saved(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch, **wanted: Any) -> str:
    monkeypatch.setattr(html_route, "HTML_WAIT", LONG)
    job = start(profiles, **wanted).json()
    assert (job["state"], job["done"], job["total"]) == ("done", len(EMBEDDED), len(EMBEDDED))
    return profiles.client.get(f"/api/v1/{job['result_at']}").text


def test_the_answers_inside_are_those_of_the_api(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for rank in range(2):
        profiles.record("train", f"rank{rank}", PICTURE, rank=rank)
    log_epochs(profiles, "train")
    found = embedded(saved(profiles, monkeypatch, range="2:4", batch=32, tokens=128))
    (session,) = profiles.sessions()
    asked = {"range": "2:4", "batch": 32, "tokens": 128}
    for part in EMBEDDED:
        own = {name: value for name, value in asked.items() if name in part.wanted.__struct_fields__}
        assert found[part.id] == profiles.part(part.id, session["id"], **own), part.id
    assert found["wanted"]["range"] == "2:4"
    assert found["report"]["range"] is not None
    assert found["name"] == f"train {session['name']}"
    assert found["report"]["captured_seconds"] == session["time"], "the file and the picker tell the same time"


def test_the_chosen_requests_are_inside(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles.put("server", "worker0", served)
    assert embedded(saved(profiles, monkeypatch))["inference"]["request"] == "predict"
    assert embedded(saved(profiles, monkeypatch, request="tidy up"))["inference"]["request"] == "tidy up"


def test_a_step_time_without_the_profiler_reaches_the_report(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles.record("train", "worker0", PICTURE)
    assert embedded(saved(profiles, monkeypatch, step_ms=8.0))["report"]["inflation"] == pytest.approx(0.25)


def test_epochs_are_inside(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles.put("train", "worker0", two_epochs)
    assert [epoch["epoch"] for epoch in embedded(saved(profiles, monkeypatch))["throughput"]["epochs"]] == [3, 4]


def test_no_name_ends_the_block_or_begins_markup(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles.record("train", "worker0", PICTURE, K=HOSTILE, o=HOSTILE, i=HOSTILE)
    page = saved(profiles, monkeypatch)
    assert not re.search("[<>&\u2028\u2029]", answers_block(page))
    assert HOSTILE in {row["name"] for row in embedded(page)["report"]["most_exposed"]}
    assert Elements(page).names == ["title", "script"]


def test_the_title_is_text(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles.record("a<b>&c", "worker0", PICTURE)
    page = saved(profiles, monkeypatch)
    assert "<title>a&lt;b&gt;&amp;c " in page
    assert Elements(page).names == ["title", "script"]


def test_it_is_downloaded_under_the_name_of_its_session(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_route, "HTML_WAIT", LONG)
    profiles.record("train", "worker0", PICTURE)
    headers = profiles.client.get(f"/api/v1/{start(profiles).json()['result_at']}").headers
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert re.fullmatch(r'attachment; filename="train[\w.-]*\.html"', headers["content-disposition"])


def test_while_it_is_made_it_is_a_job_that_can_be_cancelled(
    profiles: ProfileServer, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_route, "HTML_WAIT", 0.0)
    reading, go = threading.Event(), threading.Event()

    def slow() -> Profile:
        reading.set()
        assert go.wait(LONG)
        return timeline(PICTURE)

    profiles.put("train", "worker0", slow)
    job = start(profiles).json()
    assert reading.wait(LONG)
    row = profiles.client.get(f"/api/v1/jobs/{job['id']}").json()
    assert (row["state"], row["done"], row["total"], row["result_at"]) == ("running", 0, len(EMBEDDED), None)
    early = profiles.client.get(f"/api/v1/profile/html/{job['id']}")
    assert (early.status_code, early.json()["error"]["code"]) == (404, "not_done")
    assert profiles.client.post(f"/api/v1/jobs/{job['id']}/cancel").status_code == 200
    go.set()
    late = profiles.client.get(f"/api/v1/profile/html/{job['id']}")
    while late.json()["error"]["code"] == "not_done":
        late = profiles.client.get(f"/api/v1/profile/html/{job['id']}")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "cancelled")
    assert list(temporary.iterdir()) == []


def test_without_the_built_page_it_says_what_to_do(profiles: ProfileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_route, "HTML_WAIT", LONG)
    monkeypatch.setattr(html_report, "BUNDLE", tmp_path / "none.html")
    profiles.record("train", "worker0", PICTURE)
    answer = start(profiles)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_page")
    assert "make page" in answer.json()["error"]["message"]
    assert profiles.read == [], "nothing is read for a file that cannot be made"


def test_a_session_or_range_that_there_is_not(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_route, "HTML_WAIT", LONG)
    profiles.record("train", "worker0", PICTURE)
    assert profiles.client.post("/api/v1/profile/none/html", json={}).status_code == 404
    assert start(profiles, range="x:y").status_code == 400
