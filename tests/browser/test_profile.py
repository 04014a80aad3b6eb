"""The Profile tab on traces with known numbers: sentence, bar, parts, steps, where the time is, tables, and its address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.charts_page import ChartsPage
from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.page_clock import address_written
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, INPUT, KERNEL, WRITTEN, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder
from sample_files import SAMPLES, needs
from stepscope.rules.all_rules import ALL_RULES

SLOW = FIRST_STEP + 3
LOADS = "Load data in worker processes"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    logs.write("train", {"loss": [0.5, 0.4, 0.3]})
    write_trace(logs.path / "train", slow={SLOW: 6.0}, operations=[f"aten::op{place}" for place in range(60)])
    write_trace(logs.path / "older", written=WRITTEN - 86_400_000)
    for rank, communication in (("rank0", 2.0), ("rank1", 0.5)):
        write_trace(logs.path / "ranks", rank, communication=communication, written=WRITTEN - 2 * 86_400_000)
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProfilePage]:
    """The tab; it must end without a complaint, and leaves a picture behind when a test fails."""
    failures = request.session.testsfailed
    yield ProfilePage(page)
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


def test_the_newest_session_is_opened(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    expect(profile.page.get_by_role("button", name="Choose a profile")).to_contain_text("train")
    expect(profile.page.locator(".facts")).to_contain_text("6 steps by ProfilerStep#")
    assert "PyTorch·Test GPU" in profile.page.locator(".facts").inner_text().replace("\n", "")


def test_one_sentence_says_what_a_step_takes(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    assert all(value in profile.sentence() for value in ("10 ms", "30%", "input", "4 worker", "7 ms"))
    assert profile.page.locator(".sentence").evaluate("(words) => getComputedStyle(words).fontSize") == "20px"


def test_cards_say_what_to_change(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    card = profile.change(LOADS)
    expect(card).to_contain_text("30% of a step (3 ms)")
    assert [value for value in ("7 ms", "10 ms", "upper bound") if value not in plain(card.locator(".gain").inner_text())] == []
    assert card.locator("pre").inner_text().startswith("loader = DataLoader(")
    expect(card).to_contain_text("in the first step of a run")
    left = card.locator(".bar .left").bounding_box()
    maybe = card.locator(".bar .maybe").bounding_box()
    whole = card.locator(".bar").bounding_box()
    assert left is not None
    assert maybe is not None
    assert whole is not None
    assert (maybe["width"], left["width"] / whole["width"]) == (0, pytest.approx(0.7, rel=0.05)), "a bound has no range"


def test_evidence_leads_to_its_step(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.change(LOADS).get_by_role("button", name=f"step {SLOW}").first.click()
    profile.instances().get_by_role("button", name=f"Show step {SLOW}").click()
    expect(profile.page.get_by_role("button", name="Range", exact=True)).to_contain_text(str(SLOW))


def test_evidence_leads_to_its_spans(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    line = profile.change(LOADS).get_by_role("button", name=re.compile("^The longest wait"))
    line.click()
    chosen = profile.instances().get_by_role("region", name="Chosen instance")
    expect(chosen).to_contain_text(f"in step {SLOW}")
    length = chosen.locator("dd").first.inner_text().split(",")[0].replace("\u202f", " ")
    assert f", {length}." in plain(line.inner_text()), "the sentence and the span have one length"
    chosen.get_by_role("button", name="Select this range").click()
    expect(profile.page.get_by_role("button", name="Range", exact=True)).to_contain_text("ms")


def test_parts_of_the_bar_lead_to_their_operations(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.page.locator(".legend").get_by_role("button", name="Input wait").click()
    parts = profile.page.get_by_role("region", name="Input wait: parts and definition")
    parts.locator("td").get_by_role("button").first.click()
    expect(profile.page.get_by_role("searchbox", name="Filter operations")).to_have_value("part:input")
    expect(profile.page.get_by_role("grid", name="Table of operations")).to_contain_text(INPUT)


def test_why_the_device_is_idle_is_told_with_what_has_the_time(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    region = profile.page.get_by_role("region", name="Idle time")
    cells = [row.get_by_role("cell").all_inner_texts()[:4] for row in region.locator("tbody tr").all()]
    rows = [[plain(cell).replace("\n", "") for cell in row] for row in cells]
    assert rows[:2] == [["Input wait", "1", "3 ms", "30%"], [INPUT, "1", "3 ms", "30%"]]
    expect(region.get_by_role("heading", name="Device idle time")).to_be_visible()


def test_rules_that_say_nothing_are_counted_and_tell_why(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.page.get_by_role("button", name="All rules").click()
    panel = profile.page.get_by_role("dialog", name="All rules")
    expect(panel.locator(".rule[title*='one rank']").first).to_be_visible()
    expect(panel).to_contain_text("profile_memory=True")
    assert (
        panel.locator("dt, .rule").count()
        == len(ALL_RULES) - profile.page.get_by_role("region", name="Recommendations").get_by_role("article").count()
    )


def test_the_bar_has_six_groups_that_sum_to_the_step(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    assert profile.legend() == {
        "Compute": "4 ms 40%",
        "Communication": "0 s 0%",
        "Copy": "1 ms 10%",
        "Input wait": "3 ms 30%",
        "Host": "500 µs 5%",
        "Untraced": "1.5 ms 15%",
    }
    widths = [piece.bounding_box()["width"] for piece in profile.page.locator(".bar .piece").all()]  # pyright: ignore[reportOptionalSubscript]
    assert len(widths) == 5
    assert widths[0] == pytest.approx(0.4 * sum(widths), rel=0.02)
    colours = [piece.evaluate("(one) => getComputedStyle(one).background") for piece in profile.page.locator(".bar .piece").all()]
    assert len(set(colours)) == 5
    assert "repeating-linear-gradient" in colours[-1]


def test_hover_shows_the_parts_without_moving_the_page(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    before = profile.steps().bounding_box()
    profile.group("Host").hover()
    rows = [plain(row).split("\t") for row in profile.parts("Host").locator("tbody tr").all_inner_texts()]
    assert [[cell.strip() for cell in row] for row in rows] == [["Launching", "150 µs", "1.5%"], ["Operations", "350 µs", "3.5%"]]
    assert profile.steps().bounding_box() == before


def test_a_click_keeps_the_definition_open_and_in_the_address(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.group("Input wait").click()
    expect(profile.parts("Input wait")).to_contain_text("waits for the next batch")
    profile.page.wait_for_url("**part=input_wait*")
    profile.page.reload()
    expect(profile.parts("Input wait")).to_be_visible()
    profile.page.get_by_role("button", name="Close definition").click()
    expect(profile.parts("Input wait")).to_have_count(0)


def test_an_outlier_is_counted_and_a_step_has_its_own_bar(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    expect(profile.page.get_by_role("region", name="Steps")).to_contain_text("1 outlier")
    profile.steps().focus()
    for _ in range(4):
        profile.page.keyboard.press("ArrowRight")
    said = plain(profile.steps().get_attribute("aria-valuetext") or "")
    assert [value for value in (f"Step {SLOW}", "16 ms", "outlier", "+6 ms next batch") if value not in said] == []
    profile.page.wait_for_url(f"**range={SLOW}:{SLOW + 1}*")
    profile.settled()
    assert profile.legend()["Input wait"] == "9 ms 56%"
    profile.page.keyboard.press("Escape")
    expect(profile.page.get_by_role("heading", name="Typical step")).to_be_visible()
    profile.settled()
    assert profile.legend()["Input wait"] == "3 ms 30%"


def test_a_column_says_what_is_in_it_and_is_chosen_by_a_click(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    strip = profile.steps()
    box = strip.bounding_box()
    assert box is not None
    pitch = min(120.0, (box["width"] - 88 - 176) / 6)
    strip.hover(position={"x": 88 + 3.5 * pitch, "y": 100})
    tip = profile.page.get_by_role("tooltip").filter(has_text=f"Step {SLOW}")
    expect(tip).to_contain_text("next batch")
    strip.click(position={"x": 88 + 3.5 * pitch, "y": 100})
    expect(profile.page.get_by_role("heading", name=f"Step {SLOW},")).to_be_visible()
    profile.page.get_by_role("button", name="Show typical step").click()
    expect(profile.page.get_by_role("heading", name="Typical step")).to_be_visible()


def test_where_the_time_is(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    rows = profile.where()
    assert rows[:3] == [
        ["aten::mm", "Compute", "1", "4 ms", "40%"],
        [INPUT, "Input wait", "1", "3 ms", "30%"],
        ["aten::copy_", "Copy", "1", "1 ms", "10%"],
    ]
    assert len(rows) <= 8
    profile.page.get_by_role("button", name="All operations").click()
    assert profile.table("operations")


def test_the_table_sorts_finds_and_saves(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=ops")
    profile.page.get_by_role("searchbox", name="Filter operations").fill("aten::op")
    expect(profile.page.get_by_role("toolbar", name="Table of operations")).to_contain_text("60 of")
    profile.sort("operations", "Operation")
    assert [row[0] for row in profile.table("operations")][:3] == ["aten::op0", "aten::op1", "aten::op2"]
    profile.sort("operations", "Operation")
    assert [row[0] for row in profile.table("operations")][:2] == ["aten::op59", "aten::op58"]
    profile.page.wait_for_url("**rows=aten::op&by=-name*")
    with profile.page.expect_download() as download:
        profile.page.get_by_role("button", name="Save as CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("name,type,device,count_per_step,exposed_us")
    assert [line.split(",")[0] for line in lines[1:4]] == ["aten::op59", "aten::op58", "aten::op57"]
    assert len(lines) == 61


def test_only_the_rows_on_screen_exist(profile: ProfilePage, address: str) -> None:
    profile.page.set_viewport_size({"width": 1280, "height": 500})
    profile.open(address, "#profile?show=ops")
    assert len(profile.table("operations")) < 40
    grid = profile.page.get_by_role("grid", name="Table of operations")
    grid.evaluate("(scroller) => scroller.scrollTo(0, 1e6)")
    expect(grid.get_by_role("row").last).to_have_attribute("aria-rowindex", grid.get_attribute("aria-rowcount") or "")


def test_kernels_have_their_launch_facts(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=kernels")
    (row,) = profile.table("kernels")
    assert row[0] == KERNEL
    assert "6" in row
    assert "24 ms" in row


def test_columns_are_chosen_and_kept_in_the_address(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=kernels")
    assert not any("80 × 1 × 1" in row for row in profile.table("kernels"))
    profile.page.get_by_role("button", name="Columns", exact=True).click()
    profile.page.get_by_role("checkbox", name="Grid", exact=True).check()
    profile.page.get_by_role("checkbox", name="Count", exact=True).uncheck()
    profile.page.wait_for_url("**tablecolumns=kernels.grid~kernels.count*")
    profile.page.reload()
    grid = profile.page.get_by_role("grid", name="Table of kernels")
    expect(grid).to_contain_text("80 × 1 × 1")
    expect(grid.get_by_role("columnheader", name="Count")).to_have_count(0)
    profile.page.get_by_role("button", name="Columns", exact=True).click()
    profile.page.get_by_role("button", name="Reset columns").click()
    expect(grid.get_by_role("columnheader", name="Count")).to_have_count(1)
    expect(grid.get_by_role("columnheader", name="Grid")).to_have_count(0)


def test_an_edge_tells_of_columns_to_the_right(profile: ProfilePage, address: str) -> None:
    profile.page.set_viewport_size({"width": 1280, "height": 700})
    profile.open(address, "#profile?show=kernels")
    grid = profile.page.get_by_role("grid", name="Table of kernels")
    assert grid.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "the usual columns fit"
    edge = "(one) => getComputedStyle(one.parentElement, '::after').opacity"
    assert grid.evaluate(edge) == "0"
    profile.page.get_by_role("button", name="Columns", exact=True).click()
    for name in ("Family", "Stream", "Grid", "Block", "Min", "Max"):
        profile.page.get_by_role("checkbox", name=name, exact=True).check()
    profile.page.keyboard.press("Escape")
    shown = f"(one) => ({edge})(one) === '1'"
    profile.page.wait_for_function(shown, arg=grid.element_handle())
    grid.evaluate("(one) => one.scrollTo(1e4, 0)")
    profile.page.wait_for_function(shown.replace("'1'", "'0'"), arg=grid.element_handle())
    name = grid.get_by_role("gridcell").first.bounding_box()
    whole = grid.bounding_box()
    assert name is not None
    assert whole is not None
    assert name["x"] == pytest.approx(whole["x"], abs=2), "names stay while the numbers scroll"


def test_rows_are_grouped_as_chosen_and_calls_are_listed_when_asked(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=ops")
    before = len(profile.table("operations"))
    assert not any(row[0] == "cudaLaunchKernel" for row in profile.table("operations"))
    profile.page.get_by_label("Calls", exact=True).check()
    profile.page.get_by_role("searchbox", name="Filter operations").fill("cudaLaunchKernel")
    expect(profile.page.get_by_role("grid", name="Table of operations").get_by_role("row")).to_have_count(2)
    profile.page.wait_for_url("**calls=on*")
    profile.page.get_by_role("searchbox", name="Filter operations").fill("")
    profile.show("Kernels")
    profile.page.get_by_label("Group by").select_option("Family")
    profile.page.wait_for_url("**rowsby=family*")
    expect(profile.page.get_by_role("toolbar", name="Table of kernels")).to_contain_text("1 row")
    assert before > 3


def test_back_goes_back(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    address_written(profile.page)
    profile.show("Operations")
    assert profile.table("operations")
    profile.page.wait_for_url("**show=ops*")
    profile.page.go_back()
    expect(profile.page.locator(".sentence")).to_be_visible()


def test_steps_can_be_found_another_way(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.page.get_by_role("button", name="Step source").click()
    profile.page.get_by_role("menuitemcheckbox", name="whole profile").click()
    expect(profile.page.locator(".facts")).to_contain_text("whole profile")
    profile.page.wait_for_url("**stepsby=whole%20profile*")
    expect(profile.page.get_by_role("region", name="Steps")).to_have_count(0)
    profile.page.get_by_role("button", name="Step source").click()
    profile.page.get_by_role("menuitem", name="Auto: best source").click()
    expect(profile.page.get_by_role("region", name="Steps")).to_be_visible()


def test_another_session_is_chosen_from_the_list(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.page.get_by_role("button", name="Choose a profile").click()
    names = [
        name.split("\n")[0] for name in profile.page.get_by_role("listbox", name="Profiles").get_by_role("option").all_inner_texts()
    ]
    assert names == ["train", "older", "ranks"]
    profile.page.get_by_role("option", name="older").click()
    expect(profile.page.get_by_role("region", name="Steps")).not_to_contain_text("outlier")
    profile.page.wait_for_url("**session=*")
    profile.page.reload()
    expect(profile.page.get_by_role("button", name="Choose a profile")).to_contain_text("older")


def test_ranks_are_a_map_and_can_be_chosen(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.page.get_by_role("button", name="Choose a profile").click()
    profile.page.get_by_role("option", name="ranks").click()
    expect(profile.page.locator(".sentence")).to_contain_text("rank 1")
    assert profile.sentence().endswith(" rank 1.")
    assert profile.legend()["Communication"] == "1.25 ms 13%"
    assert profile.page.get_by_role("slider", name="Ranks").evaluate(INKED) > 300
    profile.page.get_by_role("button", name="Choose a rank").click()
    profile.page.get_by_role("dialog", name="Choose a rank").get_by_role("button", name="rank 0").click()
    expect(profile.group("Communication")).to_have_attribute("aria-label", "Communication 2\u202fms 20%")
    profile.page.wait_for_url("**worker=rank0*")
    profile.page.get_by_role("slider", name="Ranks").focus()
    profile.page.keyboard.press("ArrowDown")
    expect(profile.group("Communication")).to_have_attribute("aria-label", "Communication 500\u202fµs 5%")


@pytest.mark.parametrize("width", [1280, 1440, 2560])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    profile = ProfilePage(page)
    for view in ("#profile?part=host", "#profile?show=ops"):
        profile.open(address, view)
        page.screenshot(path=tmp_path / f"{theme}-{width}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WIDER_THAN_THE_PAGE) == []
        assert faults(page) == []
    profile.show("Overview")
    assert profile.steps().evaluate(INKED) > 3000
    assert wrong == []
    context.close()


def test_charts_still_open_first_where_there_are_numbers(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.line_count("loss") == 1


@needs("kineto")
def test_a_real_before_and_after(profile: ProfilePage, serve: Callable[..., str]) -> None:
    real = serve(SAMPLES / "kineto")
    profile.open(real)
    for name, said in (
        ("resnet50_workers0", ("178 ms", "33%", "input", "4 worker", "118 ms")),
        ("resnet50_workers4", ("125 ms", "16%", "host")),
    ):
        profile.page.get_by_role("button", name="Choose a profile").click()
        profile.page.get_by_role("searchbox", name="Find a profile").fill(name)
        profile.page.get_by_role("option", name=name).click()
        expect(profile.page.locator(".facts")).to_contain_text("Tesla V100")
        expect(profile.page.get_by_role("button", name="Choose a profile")).to_contain_text(name[-8:])
        expect(profile.page.locator(".sentence")).to_be_visible()
        assert [each for each in said if each not in profile.sentence()] == []


def test_a_part_that_does_not_exist_is_the_overview(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=constructor")
    assert "10 ms" in profile.sentence()
    parts = profile.page.get_by_role("navigation", name="Views of the profile")
    expect(parts.get_by_role("button", name="Overview")).to_have_attribute("aria-current", "page")


def test_parts_that_do_not_fit_are_in_a_menu(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 600, "height": 900})
    page = context.new_page()
    profile = ProfilePage(page)
    profile.open(address)
    groups = page.get_by_role("navigation", name="Views of the profile").get_by_role("button")
    expect(groups).to_have_text(["Overview", "Trace", "Time", "Memory", "Communication", "What if", "Compare"])
    profile.show("Operations")
    row = page.get_by_role("navigation", name="Views of time")
    expect(row.get_by_role("button", name="Operations")).to_be_visible()
    more = row.get_by_role("button", name="More views")
    expect(more).to_have_text("More")
    expect(row.get_by_role("button", name="Counters")).to_have_count(0)
    tops = row.get_by_role("button").evaluate_all("(all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size")
    assert tops == 1
    profile.show("Counters")
    expect(more).to_have_text("Counters")
    page.wait_for_url("**show=counters*")
    page.set_viewport_size({"width": 2200, "height": 900})
    expect(more).to_have_count(0)
    expect(row.get_by_role("button", name="Counters")).to_have_attribute("aria-current", "page")
    context.close()
