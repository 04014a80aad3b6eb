"""The page's own commands: theme, help, palette, sharing, and the main ways without a mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_clock import let_pass
from browser.sample_runs import write_three_runs
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def background(charts: ChartsPage) -> str:
    """The colour of the page behind everything."""
    return charts.page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_theme_changes_and_stays(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    system = background(charts)
    charts.button("Theme: system").click()
    assert background(charts) == system
    charts.button("Theme: light").click()
    expect(charts.button("Theme: dark")).to_be_visible()
    dark = background(charts)
    assert dark != system
    charts.reload()
    assert background(charts) == dark
    charts.page.keyboard.press("t")
    assert background(charts) == system


def test_curves_are_redrawn_for_the_theme(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    frame = charts.chart("loss").locator("canvas").first
    light = frame.evaluate("(canvas) => canvas.toDataURL()")
    light_run = charts.colour("alpha")
    charts.page.keyboard.press("t")
    charts.page.keyboard.press("t")
    charts.wait_until(lambda: frame.evaluate("(canvas) => canvas.toDataURL()") != light)
    assert charts.colour("alpha") != light_run


def test_help_lists_the_keys(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.keyboard.press("?")
    dialog = charts.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    for words in ("Ctrl K", "Pause or resume live updates", "In a chart: pin the step"):
        expect(dialog.get_by_text(words)).to_be_visible()
    charts.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    charts.button("Keyboard shortcuts").click()
    expect(dialog).to_be_visible()


def test_the_palette_finds_tags_runs_and_commands(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    field = charts.page.get_by_role("combobox", name="Find a tag, a run or a command")
    charts.page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    charts.page.keyboard.type("two norm")
    charts.page.keyboard.press("Enter")
    expect(charts.page.get_by_label("Filter tags by regular expression")).to_have_value("^layers/two/norm$")
    charts.page.keyboard.press("Control+k")
    charts.page.keyboard.type("beta")
    charts.page.keyboard.press("Enter")
    expect(charts.page.get_by_role("complementary", name="Inspector").get_by_role("heading", name="beta")).to_be_visible()
    charts.page.keyboard.press("Escape")
    charts.page.keyboard.press("Control+k")
    charts.page.keyboard.type("logarithmic")
    charts.page.keyboard.press("Enter")
    expect(charts.button("Log y")).to_have_attribute("aria-pressed", "true")
    charts.page.keyboard.press("Control+k")
    charts.page.keyboard.type("zzzz")
    expect(charts.page.get_by_text("No matches")).to_be_visible()
    charts.page.keyboard.press("Escape")
    expect(field).to_have_count(0)


def test_the_palette_opens_help_and_goes_to_fields(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    for words, opened in (
        ("keyboard shortcuts", charts.page.get_by_role("dialog", name="Keyboard shortcuts")),
        ("filter tags", charts.page.locator("#tag-filter:focus")),
        ("find runs", charts.page.locator("#run-search:focus")),
    ):
        charts.page.keyboard.press("Control+k")
        charts.page.keyboard.type(words)
        charts.page.keyboard.press("Enter")
        expect(opened).to_be_visible()
        let_pass(charts.page, 100)
        expect(opened).to_be_visible()
        charts.page.keyboard.press("Escape")


def test_a_shared_link_opens_the_same_view(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.swatch("beta").click()
    charts.drag("loss", 0.3, 0.5)
    shown = charts.steps("loss")
    charts.button("Share").click()
    charts.button("Copy a link to this view").click()
    expect(charts.page.get_by_text("Copied a link")).to_be_visible()
    link = charts.page.evaluate("navigator.clipboard.readText()")
    charts.page.goto("about:blank")
    charts.page.goto(link)
    assert charts.steps("loss") == shown
    assert charts.drawn() == ["gamma", "alpha"]


def test_tabs_without_data_say_how_to_fill_them(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Graphs").click()
    expect(charts.page.get_by_role("region", name="PyTorch")).to_contain_text("add_graph")
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Charts").click()
    charts.settle()
    assert charts.line_count("loss") == 3


def test_the_folder_button_tells_path_size_and_health(charts: ChartsPage, address: str, logs: LogFolder) -> None:
    charts.open(address)
    charts.page.locator("button.folder").click()
    panel = charts.page.locator(":popover-open")
    expect(panel).to_contain_text(str(logs.path))
    expect(panel).to_contain_text("3 event files")
    expect(panel).to_contain_text("3 runs, 7 tags, 4200 points")
    expect(panel).to_contain_text("all records are good")


def test_runs_without_a_mouse(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    keyboard = charts.page.keyboard
    keyboard.press("/")
    expect(charts.page.get_by_role("searchbox", name="Find runs")).to_be_focused()
    keyboard.type("a")
    charts.page.get_by_role("grid", name="Runs").focus()
    keyboard.press("ArrowDown")
    keyboard.press("Space")
    assert charts.drawn() == ["gamma", "alpha"]
    keyboard.press("Alt+Space")
    assert charts.drawn() == ["beta"]
    keyboard.press("m")
    expect(charts.page.get_by_role("menuitem", name="Show only this run")).to_be_visible()
    keyboard.press("Escape")
    charts.page.get_by_role("grid", name="Runs").focus()
    keyboard.press("Enter")
    expect(charts.page.get_by_role("heading", name="beta")).to_be_visible()
    keyboard.press("Escape")
    expect(charts.page.get_by_role("complementary", name="Inspector")).to_have_count(0)


def test_charts_without_a_mouse(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    keyboard = charts.page.keyboard
    keyboard.press("f")
    keyboard.type("loss")
    charts.settle()
    charts.keys("loss", "Home", "Shift+ArrowRight")
    assert charts.tooltip().step == 10
    expect(charts.chart("loss").locator("[aria-live]")).to_contain_text("step 10")
    before = charts.page.locator(".tooltip tr.nearest .name").inner_text()
    charts.keys("loss", "ArrowUp")
    if charts.page.locator(".tooltip tr.nearest .name").inner_text() == before:
        charts.keys("loss", "ArrowDown")
    assert charts.page.locator(".tooltip tr.nearest .name").inner_text() != before
    charts.keys("loss", "Enter")
    expect(charts.page.get_by_role("heading", name="Step 10")).to_be_visible()
    charts.keys("loss", "+")
    charts.wait_until(lambda: charts.steps("loss") != (0, 199))
    charts.keys("loss", "Escape", "Escape")
    expect(charts.page.get_by_role("heading", name="Step 10")).to_have_count(0)


def test_tab_reaches_every_kind_of_control_with_a_visible_focus(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    reached: dict[str, bool] = {}
    for _ in range(60):
        charts.page.keyboard.press("Tab")
        name, seen = charts.page.evaluate(
            """() => {
              const at = document.activeElement;
              const style = getComputedStyle(at);
              const after = getComputedStyle(at, '::after');
              const ring = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || after.opacity === '0.3' ||
                at.querySelector('.active') !== null;
              return [at.getAttribute('aria-label') || at.innerText.trim() || at.id, ring];
            }"""
        )
        reached[name] = seen
    words = " | ".join(reached)
    for part in ("Charts", "Pause live updates", "Find runs", "Runs", "Width of the run list", "X axis", "Group runs", "loss: 3 lines"):
        assert part in words, f"{part} is not reached: {words}"
    assert [name for name, seen in reached.items() if not seen] == []


@pytest.mark.parametrize(
    ("panel", "second", "field"),
    [
        ("Sort runs", "last of a tag…", "Sort by last of tag"),
        ("More for loss", "Add tag…", "Add tag to this chart"),
        ("More for loss", "Set y range…", "From"),
    ],
)
def test_the_second_page_of_a_panel_takes_what_is_typed(charts: ChartsPage, address: str, panel: str, second: str, field: str) -> None:
    charts.open(address)
    charts.card("loss").hover()
    charts.button(panel).first.click()
    charts.button(second).click()
    first = charts.page.locator(":popover-open").get_by_label(field).first
    expect(first).to_be_focused()
    charts.page.keyboard.type("1")
    expect(first).to_have_value("1")
