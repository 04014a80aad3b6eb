"""The Profile tab of a folder without a profile: what its logs tell about memory, and marking a series as memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.profile_page import plain
from log_folder import LogFolder
from stepscope import SummaryWriter

T0 = 1.7e9
HOSTILE = "<img src=x onerror=alert(1)>_mib"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for run, start, grows in (("steady", T0, 0.0), ("leaky", T0 + 10_000, 1.0)):
        with SummaryWriter(str(logs.path / run)) as writer:
            for place in range(200):
                # Training went back to step 500 after 100 points: the run was restarted.
                step = 10 * place if place < 100 else 500 + 10 * (place - 100)
                used = 4096.0 + grows * (place % 100)
                values = {
                    "system/gpu/0/memory_used_mib": used,
                    "system/gpu/0/memory_used_percent": used / 163.84,
                    "system/swap/used_mib": 0.0,
                    "torch/allocated": 2.0 + place / 200,
                    "cuda/reserved_gb": 3.0,
                    HOSTILE: 1.0,
                    "loss": 1.0,
                }
                for tag, value in values.items():
                    writer.add_scalar(tag, value, step, start + 5.0 * place)
    return serve(logs.path)


@pytest.fixture
def tab(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    """The page; it must end without a complaint, and leaves a picture behind when a test fails."""
    page.set_default_timeout(60_000)
    failures = request.session.testsfailed
    yield page
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


def card(tab: Page, name: str) -> Locator:
    return tab.get_by_role("article", name=name, exact=True)


def fact(tab: Page, name: str, what: str) -> str:
    row = card(tab, name).locator("dl > div").filter(has=tab.get_by_text(what, exact=True))
    return plain(row.locator("dd").inner_text())


def test_the_list_says_what_logs_alone_tell(tab: Page, address: str) -> None:
    tab.goto(address + "#profile")
    expect(tab.get_by_role("heading", name="No profiles yet")).to_be_visible()
    told = tab.get_by_role("region", name="Available from logs").get_by_role("listitem").filter(has_text="Memory")
    expect(told).to_contain_text(re.compile("leaky: 2 series.*1 growing.*1 steady.*GPU 0.*720 MiB"))
    told.get_by_role("button", name="Memory").click()
    expect(card(tab, "GPU 0")).to_be_visible()
    expect(tab).to_have_url(re.compile("show=memory"))
    parts = tab.get_by_role("navigation", name="Views of logged data")
    expect(parts.locator("[aria-current=page]")).to_have_text("Memory")
    parts.get_by_role("button", name="Overview").click()
    expect(tab.get_by_role("heading", name="No profiles yet")).to_be_visible()


def test_a_series_has_its_chart_and_its_numbers(tab: Page, address: str) -> None:
    tab.goto(address + "#profile?show=memory")
    gpu = card(tab, "GPU 0")
    expect(gpu).to_contain_text("720 MiB")
    expect(gpu).to_contain_text("restarted once")
    assert fact(tab, "GPU 0", "Peak") == "4.1 GiB at step 990"
    assert fact(tab, "GPU 0", "Last") == "4.1 GiB at step 1490"
    assert fact(tab, "GPU 0", "Capacity").startswith("16 GiB, 26%")
    slopes = [re.findall(r"\+\d+ [KM]iB", fact(tab, "GPU 0", name)) for name in ("Slope per hour", "Slope per step")]
    assert slopes == [["+720 MiB"] * 3, ["+102 KiB"] * 3], "with both ends of the interval"
    assert re.fullmatch(r"in 16 h \d+ min, at step ~120 000", fact(tab, "GPU 0", "Full"))
    expect(gpu).to_contain_text(re.compile("system/gpu/0/memory_used_mib.*MiB.*200 points"))
    expect(gpu).to_contain_text("system/gpu/0/memory_used_percent")
    chart = gpu.get_by_role("application")
    expect(chart).to_have_attribute("aria-busy", "false")
    tab.wait_for_function(INKED, arg=chart.locator("canvas").nth(1).element_handle())
    expect(tab.get_by_text("Never used: swap.")).to_be_visible()


def test_another_run_is_in_the_address(tab: Page, address: str) -> None:
    tab.goto(address + "#profile?show=memory")
    tab.get_by_role("combobox", name="Run").select_option("steady")
    expect(card(tab, "GPU 0")).to_contain_text("steady")
    expect(tab).to_have_url(re.compile("&memory="))
    tab.reload()
    expect(tab.get_by_role("combobox", name="Run").locator("option:checked")).to_have_text("steady")
    expect(card(tab, "GPU 0")).to_contain_text("steady")


def mark(tab: Page, words: str) -> None:
    tab.get_by_role("combobox", name="Find a series").fill(words)
    expect(tab.get_by_role("listbox", name="Find a series").get_by_role("option")).to_have_count(1)
    tab.get_by_role("combobox", name="Find a series").press("Enter")


def test_a_series_is_marked_with_its_unit_and_unmarked(tab: Page, complaints: list[str], address: str) -> None:
    tab.goto(address + "#profile?show=memory")
    tab.get_by_role("button", name="Mark a series as memory").click()
    panel = tab.get_by_role("dialog", name="Mark a series as memory")
    # What is memory already is not offered.
    expect(panel.get_by_role("listbox").get_by_role("option")).to_have_count(5)
    mark(tab, "torch")
    expect(panel.get_by_role("alert")).to_contain_text("torch/allocated")
    assert [text for text in complaints if "400" not in text] == []
    complaints.clear()
    panel.get_by_role("combobox", name="Unit of the series").select_option("GiB")
    mark(tab, "torch")
    expect(panel).to_be_hidden()
    own = card(tab, "torch/allocated")
    assert fact(tab, "torch/allocated", "Peak") == "2.99 GiB at step 1490"
    own.get_by_role("combobox", name="Unit of torch/allocated").select_option("GB")
    expect(own).to_contain_text("in GB")
    assert fact(tab, "torch/allocated", "Peak") == "2.79 GiB at step 1490"
    tab.reload()
    expect(own).to_be_visible()
    own.get_by_role("button", name="Unmark").click()
    expect(own).to_have_count(0)


def test_a_name_tells_its_unit_and_cannot_run(tab: Page, address: str) -> None:
    tab.on("dialog", lambda _: pytest.fail("The name of a series ran."))
    tab.goto(address + "#profile?show=memory")
    tab.get_by_role("button", name="Mark a series as memory").click()
    mark(tab, "onerror")
    own = card(tab, HOSTILE)
    expect(own).to_contain_text(f"{HOSTILE} in MiB")
    own.get_by_role("button", name="Unmark").click()
    expect(own).to_have_count(0)


def test_a_folder_without_logged_memory_says_how_to_log_it(
    tab: Page, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain_logs = LogFolder(tmp_path_factory.mktemp("plain"))
    plain_logs.write("train", {"loss": [0.5, 0.4], "used_mb": [1.0, 2.0]})
    tab.goto(serve(plain_logs.path) + "#profile")
    line = tab.get_by_role("listitem").filter(has_text="Memory")
    expect(line).to_contain_text("Log system metrics")
    line.get_by_role("button", name="Memory").click()
    expect(tab.get_by_role("region", name="No memory logged")).to_contain_text("SystemMonitor(writer)")
    tab.get_by_role("button", name="Mark a series as memory").click()
    mark(tab, "used_mb")
    expect(card(tab, "used_mb")).to_contain_text("2 points")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_logged_memory_has_no_faults(tab: Page, address: str, scheme: str, width: int, tmp_path: Path) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    tab.goto(address + "#profile?show=memory")
    expect(card(tab, "GPU 0")).to_be_visible()
    assert tab.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(tab) == []
    tab.goto(address + "#profile")
    expect(tab.get_by_role("listitem").filter(has_text="Memory")).to_contain_text("growing")
    assert tab.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(tab) == []
    tab.screenshot(path=tmp_path / f"{scheme}.png")
