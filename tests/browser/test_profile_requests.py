"""The Requests part of the Profile tab: percentiles, the sorted strip, a way to the slowest, and what to do without requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.sample_requests import write_requests, write_served
from browser.schemes import Scheme
from log_folder import LogFolder

HOSTILE = "request <img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_requests(logs.path / "server")
    write_requests(logs.path / "hostile", HOSTILE)
    write_trace(logs.path / "train")
    write_served(logs.path / "tokens")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def open_run(profile: ProfilePage, address: str, run: str, more: str = "") -> None:
    """The only session of a run."""
    sessions = profile.page.request.get(f"{address}api/v1/profile/sessions").json()["sessions"]
    (session,) = [one["id"] for one in sessions if one["run_name"] == run]
    profile.page.goto("about:blank")
    profile.page.goto(f"{address}#profile?session={session}{more}")
    expect(profile.page.get_by_role("navigation", name="Views of the profile")).to_be_visible()


def rows(where: Locator) -> list[list[str]]:
    """The cells of a table's rows."""
    return [[plain(cell) for cell in row.get_by_role("cell").all_inner_texts()] for row in where.locator("tbody tr").all()]


def test_percentiles_and_their_parts(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "server")
    profile.show("Requests")
    latency = profile.page.get_by_role("region", name="Latency", exact=True)
    expect(latency).to_be_visible()
    told = {row[0]: row[1:6] for row in rows(latency)}
    assert told["p50"] == ["4.5 ms", "500 µs", "1.5 ms", "500 µs", "2 ms"]
    assert told["p95"] == ["13 ms", "500 µs", "1 ms", "500 µs", "11 ms"]
    assert told["p99"][0] == "13 ms"
    sentence = profile.sentence()
    assert [text for text in ("100", "4.5 ms", "13 ms", "device") if text not in sentence] == []
    profile.page.wait_for_url("**show=inference*")


def test_the_slowest_lead_to_their_time(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "server", "&show=inference")
    page = profile.page
    slowest = page.get_by_role("region", name="Slowest requests")
    expect(slowest).to_be_visible()
    first = rows(slowest)[0]
    assert (first[0], first[1], first[2]) == ("1.4 s", "Queue +11.5 ms", "16 ms")
    slowest.get_by_role("button").first.click()
    page.wait_for_url("**range=1400000us:1416000us*")
    expect(page.get_by_role("region", name="Time breakdown")).to_contain_text("16\u202fms")


def test_the_sorted_strip_tells_of_the_request_under_the_pointer(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "server", "&show=inference")
    chart = profile.page.get_by_role("region", name="Requests by latency").get_by_role("img")
    expect(chart).to_have_attribute("aria-label", "100 requests by latency: p50 4.5\u202fms, p95 13\u202fms, p99 13\u202fms")
    box = chart.bounding_box()
    assert box is not None
    profile.page.mouse.move(box["x"] + box["width"] - 27, box["y"] + 100)
    tip = profile.page.get_by_role("tooltip")
    expect(tip).to_contain_text("100")
    expect(tip).to_contain_text("16\u202fms")


def test_without_requests_the_part_is_dimmed_and_says_what_to_do(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "train", "&show=inference")
    page = profile.page
    expect(page.get_by_role("heading", name="No request annotations in this profile")).to_be_visible()
    expect(page.get_by_text("torch.profiler.record_function")).to_be_visible()
    profile.page.set_viewport_size({"width": 2200, "height": 800})
    button = page.get_by_role("navigation", name="Views of time").get_by_role("button", name="Requests", exact=True)
    expect(button).to_have_attribute("title", re.compile("request"))
    page.get_by_label("Request annotation").select_option(label="Each step")
    expect(page.locator(".sentence")).to_contain_text(re.compile("6 steps.*10\u202fms"))
    page.wait_for_url("**request=\\*")


def test_prefill_and_decode_of_a_server(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "tokens", "&show=inference")
    served = profile.page.get_by_role("region", name="Prefill and decode")
    expect(served).to_be_visible()
    assert rows(served) == [["Prefill", "1", "2", "30 ms", "30 ms"], ["Decode", "8", "2", "8 ms", "8 ms"]]
    facts = dict(zip(map(plain, served.get_by_role("term").all_inner_texts()), served.get_by_role("definition").all(), strict=True))
    told = {label: plain(where.inner_text()) for label, where in facts.items()}
    assert (told["Time to first token"], told["Time per output token"]) == ("30 ms", "8 ms")
    assert told["Output tokens"].startswith("1")


def test_a_name_that_is_not_there_is_said(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "server", "&show=inference&request=nothing")
    expect(profile.page.get_by_role("alert")).to_contain_text("request #")
    profile.page.get_by_label("Request annotation").select_option(label="request (100)")
    expect(profile.page.get_by_role("region", name="Latency", exact=True)).to_be_visible()


def test_names_are_text(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "hostile", "&show=inference")
    expect(profile.page.get_by_label("Request annotation")).to_have_value(HOSTILE)
    assert profile.page.locator("img").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("run", "region"), [("server", "Slowest requests"), ("tokens", "Prefill and decode")])
@pytest.mark.parametrize("width", [1280, 1440])
def test_nothing_overflows_and_everything_can_be_read(
    browser: Browser, address: str, theme: Scheme, width: int, run: str, region: str, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    open_run(ProfilePage(page), address, run, "&show=inference")
    expect(page.get_by_role("region", name=region)).to_be_visible()
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.screenshot(path=tmp_path / f"requests-{run}-{theme}-{width}.png")
    page.close()
