"""The Throughput part of the Profile tab: rates with their origin, a batch that the user gives, and epochs of recording and log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import mark_epochs, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder


def log_epochs(logs: LogFolder, run: str, count: int) -> None:
    """Epochs of 60 s that end at every hundredth step; steps of 0.4 s, validation of 9 s, and checkpoints of 3 s at every other end."""
    ends = [100 * epoch + 99 for epoch in range(count)]
    logs.write(run, {"epoch": [(end, float(epoch)) for epoch, end in enumerate(ends)]}, gap=60.0)
    series = {
        "step_time/total": [(step, 2.4 if step % 100 == 0 else 0.4) for step in range(100 * count)],
        "step_time/validation": [(end, 9.0) for end in ends],
        "step_time/checkpoint": [(end, 3.0) for end in ends[::2]],
    }
    logs.write(run, series, file="events.out.tfevents.2")


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    mark_epochs(write_trace(logs.path / "marked"))
    write_trace(logs.path / "plain")
    log_epochs(logs, "plain", 12)
    write_trace(logs.path / "alone", written=1_694_770_412_963)
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def open_part(profile: ProfilePage, address: str, run: str, more: str = "") -> None:
    """The Throughput part of a run's only session."""
    sessions = profile.page.request.get(f"{address}api/v1/profile/sessions").json()["sessions"]
    (session,) = [one["id"] for one in sessions if one["run_name"] == run]
    profile.open(address, f"#profile?session={session}&show=throughput{more}")
    expect(profile.page.get_by_role("region", name="Epochs", exact=True)).to_be_visible()


def rows(where: Locator) -> list[list[str]]:
    """The cells of a table's rows."""
    return [[plain(cell) for cell in row.get_by_role("cell").all_inner_texts()] for row in where.locator("tbody tr").all()]


def rates(profile: ProfilePage) -> dict[str, list[str]]:
    """Rate and origin by what is counted."""
    return {row[0]: row[1:] for row in rows(profile.page.get_by_role("region", name="Rates"))}


def test_rates_say_where_they_come_from(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Throughput")
    open_part(profile, address, "plain")
    told = rates(profile)
    assert told["Steps"] == ["100/s", "typical step, 10 ms"]
    assert told["To devices"][0] == "105 MB/s"
    assert told["Examples"][0] == "–"
    assert told["Examples"][1].startswith("Examples per second")
    assert profile.sentence().startswith("100 steps ")


def test_a_batch_that_the_user_gives_stays_in_the_address(profile: ProfilePage, address: str) -> None:
    open_part(profile, address, "plain")
    page = profile.page
    page.get_by_label("Batch size per rank").fill("32")
    page.get_by_label("Tokens per example").fill("128")
    page.get_by_label("Tokens per example").press("Enter")
    expect(page.get_by_role("region", name="Rates")).to_contain_text("128 tokens")
    assert rates(profile)["Examples"] == ["3200/s", "batch size 32 as entered"]
    assert profile.sentence().startswith("100 steps, 3200 examples, 409 600 tokens ")
    page.wait_for_url("**batch=32&tokens=128*")
    page.reload()
    expect(page.get_by_label("Batch size per rank")).to_have_value("32")
    expect(page.get_by_role("region", name="Rates")).to_contain_text("batch size 32")


def test_epochs_of_the_recording(profile: ProfilePage, address: str) -> None:
    open_part(profile, address, "marked")
    section = profile.page.get_by_role("region", name="Epochs", exact=True)
    expect(section).to_contain_text("annotations")
    expect(section).to_contain_text("2 epochs")
    table = profile.page.get_by_role("region", name="Epoch table")
    assert [(row[0], row[1]) for row in rows(table)] == [("1", "30 ms"), ("2", "36 ms")]
    expect(section.get_by_role("img")).to_have_attribute("aria-label", "2 epochs, median 33\u202fms")


def test_epochs_that_the_run_has_logged(profile: ProfilePage, address: str) -> None:
    open_part(profile, address, "plain")
    section = profile.page.get_by_role("region", name="Epochs", exact=True)
    expect(section).to_contain_text("logged as epoch, step_time/total, step_time/validation, step_time/checkpoint")
    expect(section).to_contain_text("11 epochs, median 1\u202fmin")
    first = rows(profile.page.get_by_role("region", name="Epoch table"))[0]
    assert first == ["1", "1 min", "39.6 s", "2.4 s", "9 s", "0 s", "9 s", "100"]
    chart = section.get_by_role("img")
    box = chart.bounding_box()
    assert box is not None
    profile.page.mouse.move(box["x"] + 100, box["y"] + 80)
    tip = profile.page.get_by_role("tooltip")
    expect(tip).to_contain_text("Epoch 1")
    expect(tip).to_contain_text("Validation")


def test_another_runs_epochs_are_a_choice_in_the_address(profile: ProfilePage, address: str) -> None:
    open_part(profile, address, "alone")
    page = profile.page
    expect(page.get_by_role("region", name="PyTorch profile")).to_be_visible()
    page.get_by_label("Source of epochs").select_option(label="plain")
    expect(page.get_by_role("region", name="Epoch table")).to_be_visible()
    page.wait_for_url("**epochsof=*")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_nothing_overflows_and_everything_can_be_read(
    browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    open_part(ProfilePage(page), address, "plain", "&batch=32")
    expect(page.get_by_role("region", name="Epoch table")).to_be_visible()
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.screenshot(path=tmp_path / f"throughput-{theme}-{width}.png")
    page.close()


@pytest.fixture(scope="module")
def logs_alone(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder without any profile, in which one of three runs has logged steps and epochs, and one the seconds of epochs."""
    logs = LogFolder(tmp_path_factory.mktemp("logs_alone"))
    log_epochs(logs, "a", 40)
    logs.write("b", {"epoch_seconds": [70.0, 64.0, 65.0], "epoch_examples_per_second": [900.0, 1000.0, 990.0]})
    logs.write("c", {"loss": [1.0, 0.5]})
    return serve(logs.path)


def test_without_a_profile_the_tab_offers_what_was_logged(profile: ProfilePage, logs_alone: str) -> None:
    page = profile.page
    page.goto(f"{logs_alone}#profile")
    line = page.get_by_role("region", name="Available from logs").get_by_role("listitem").filter(has_text="Throughput")
    expect(line).to_contain_text(re.compile("a: 2\\.5 steps .*39 epochs.*1\u202fmin"))
    expect(line).to_contain_text("1 more run has logged epochs.")
    line.get_by_role("button", name="Throughput").click()
    expect(page.get_by_role("region", name="Epoch table")).to_be_visible()
    rate, origin = rates(profile)["Steps"]
    assert (rate, "4000" in origin, origin.split()[-1]) == ("2.5/s", True, "step_time/total")
    page.get_by_label("Batch size per rank").fill("32")
    page.get_by_label("Batch size per rank").press("Enter")
    expect(page.get_by_role("region", name="Rates")).to_contain_text("batch size 32")
    page.wait_for_url("**show=throughput*batch=32*")


def test_another_run_without_steps(profile: ProfilePage, logs_alone: str) -> None:
    page = profile.page
    page.goto(f"{logs_alone}#profile?show=throughput")
    page.get_by_label("Source of epochs").select_option(label="b")
    expect(page.locator(".sentence")).to_have_text(re.compile("3 epochs.*1\u202fmin 5\u202fs"))
    section = page.get_by_role("region", name="Epochs", exact=True)
    expect(section).to_contain_text("Parts of an epoch need the series epoch as well")
    assert [row[-1] for row in rows(page.get_by_role("region", name="Epoch table"))] == ["900/s", "1000/s", "990/s"]
    expect(page.get_by_role("region", name="Rates")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_logged_epochs_can_be_read(browser: Browser, logs_alone: str, theme: Scheme, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 800}, color_scheme=theme)
    page.goto(f"{logs_alone}#profile?show=throughput")
    expect(page.get_by_role("region", name="Epoch table")).to_be_visible()
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.screenshot(path=tmp_path / f"logged-throughput-{theme}.png")
    page.close()
