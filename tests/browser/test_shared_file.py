"""Charts saved as one HTML file, in Chromium: as the page shows them, from a file without any network, whatever the names are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browser.charts_page import ChartsPage
from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from curves_files import curves_inside
from hparam_logs import trial
from log_folder import LogFolder
from report_files import embedded
from stepscope.dashboards.scalars.html_curves import BUNDLE

HOSTILE = "</script><img src=https:x onerror=\"document.title='run'\"><script>document.title='run'</script>"
MOST_BUNDLE_BYTES = 260_000
POINTS = 5_000


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, name in enumerate(("alpha", "beta", "gamma")):
        falling = [math.exp(-step / (500 + 400 * place)) for step in range(POINTS)]
        logs.write(name, {"loss": falling, "val/accuracy": [0.1, 0.5, 0.7 + 0.1 * place], HOSTILE: [1.0, 2.0]})
        trial(logs.path / name, {"lr": 10.0 ** -(place + 1), "optimizer": "adam"})
    return serve(logs.path)


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a file without any network; the page must not complain, and asks for nothing but the file."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    asked: list[str] = []

    def start(file: Path, scheme: Scheme = "light", width: int = 1280) -> Page:
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url) if not request.url.startswith("data:font/") else None)
        page.goto(file.as_uri())
        expect(page.get_by_role("application").first).to_be_visible()
        return page

    yield start
    for context in contexts:
        context.close()
    assert complaints == []
    assert all(url.startswith("file://") for url in asked), asked


def save(charts: ChartsPage, target: Path, **options: str) -> Path:
    """What the Share menu saves."""
    charts.button("Share").click()
    if "title" in options:
        charts.page.get_by_role("textbox", name="Title").fill(options["title"])
    if options.get("points") == "all":
        charts.page.get_by_label("Every point").check()
    with charts.page.expect_download() as download:
        charts.button("Save HTML file").click()
    download.value.save_as(target)
    expect(charts.page.get_by_text("Saved: ")).to_be_visible()
    charts.page.keyboard.press("Escape")
    return target


@pytest.fixture
def file(charts: ChartsPage, address: str, tmp_path: Path) -> Path:
    """The file of the page as it is at first."""
    charts.open(address)
    return save(charts, tmp_path / "charts.html")


def labels(page: Page) -> list[str]:
    """What screen readers hear of each chart."""
    return [str(one.get_attribute("aria-label")) for one in page.get_by_role("application").all()]


def colours(page: Page, buttons: str) -> dict[str, str]:
    """The colour of each run's swatch."""
    return {
        one.inner_text().strip() or str(one.get_attribute("aria-label")).removeprefix("Hide "): str(
            one.locator("rect").first.get_attribute("fill")
        )
        for one in page.locator(buttons).all()
    }


def test_the_share_menu_saves_what_the_page_shows(
    charts: ChartsPage, address: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    charts.open(address)
    charts.swatch("beta").click()
    charts.button("Log y").click()
    charts.page.locator("#tag-filter").fill("loss")
    charts.settle()
    shown = next(label for label in labels(charts.page) if label.startswith("loss: "))
    page = opened(save(charts, tmp_path / "charts.html", title="For the paper"))
    expect(page.get_by_role("heading", name="For the paper")).to_be_visible()
    expect(page.get_by_role("application")).to_have_count(1)
    expect(page.get_by_role("button", name="Log y")).to_have_attribute("aria-pressed", "true")
    assert labels(page) == [shown]
    assert set(colours(page, ".line")) == {"alpha", "gamma"}
    assert "beta" not in page.content()


def test_colours_are_those_of_the_page(charts: ChartsPage, file: Path, opened: Callable[..., Page]) -> None:
    page = opened(file)
    found = colours(page, ".line")
    assert found
    for name, colour in found.items():
        assert charts.swatch(name).locator("rect").first.get_attribute("fill") == colour


def test_a_reduction_is_stated_and_every_point_can_be_asked_for(
    charts: ChartsPage, file: Path, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened(file)
    loss = page.get_by_role("article", name="loss", exact=True)
    expect(loss.locator("footer")).to_contain_text("of 15\u202f000 points")
    whole = save(charts, tmp_path / "whole.html", points="all")
    assert len(curves_inside(whole.read_text())[("alpha", "loss")]["x"]) == POINTS
    expect(opened(whole).get_by_role("article", name="loss", exact=True).locator("footer")).to_contain_text("15\u202f000 points")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_groups_are_in_the_file_with_their_band(
    charts: ChartsPage, address: str, opened: Callable[..., Page], tmp_path: Path, scheme: Scheme
) -> None:
    charts.open(address, "#scalars?group=hp:optimizer&band=sd")
    charts.wait_until(lambda: charts.line_count("loss") == 1)
    shown = charts.summary("val/accuracy")
    colour = charts.page.get_by_role("list", name="Groups").locator("rect").first.get_attribute("fill")
    page = opened(save(charts, tmp_path / "charts.html"), scheme)
    assert shown in labels(page), "the same mean and band as on the page"
    group = page.get_by_role("button", name="adam", exact=False)
    expect(group).to_contain_text("n = 3")
    if scheme == "light":
        assert group.locator("rect").first.get_attribute("fill") == colour
    assert faults(page) == []
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    group.click()
    expect(page.get_by_role("article", name="loss", exact=True)).to_contain_text("groups do not have this tag")
    page.get_by_role("button", name="Groups", exact=True).click()
    expect(page.get_by_role("application").first).to_have_attribute("aria-label", containing("3 lines"))


def test_runs_are_hidden_and_shown_in_the_file(file: Path, opened: Callable[..., Page]) -> None:
    page = opened(file)
    assert all("3 lines" in label for label in labels(page))
    page.get_by_role("button", name="beta", exact=True).click()
    expect(page.get_by_role("application").first).to_have_attribute("aria-label", containing("2 lines"))
    page.get_by_role("button", name="gamma", exact=True).click(modifiers=["Alt"])
    expect(page.get_by_role("application").first).to_have_attribute("aria-label", containing("1 line,"))
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_role("application").first).to_have_attribute("aria-label", containing("3 lines"))


def containing(part: str) -> re.Pattern[str]:
    return re.compile(re.escape(part))


def test_hover_and_zoom_work_and_all_charts_zoom_together(file: Path, opened: Callable[..., Page]) -> None:
    page = opened(file)
    chart = page.get_by_role("application", name="loss: ", exact=False).first
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    expect(page.locator(".tooltip")).to_contain_text("alpha")
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"], steps=4)
    page.mouse.up()
    expect(page.get_by_role("button", name="Reset zoom")).to_be_visible()
    assert all("step 0 to" not in label for label in labels(page) if label.startswith("loss"))
    page.get_by_role("button", name="Reset zoom").click()
    expect(chart).to_have_attribute("aria-label", containing("step 0 to step 4999"))


def test_the_table_has_values_settings_and_notes(charts: ChartsPage, address: str, opened: Callable[..., Page], tmp_path: Path) -> None:
    charts.open(address)
    ids = {run["name"]: run["id"] for run in charts.page.request.get(f"{address}api/v1/runs").json()["runs"]}
    note = charts.page.request.patch(
        f"{address}api/v1/runs/{ids['alpha']}", data={"note": "warm-up too short"}, headers={"Origin": address.rstrip("/")}
    )
    assert note.ok, note.text()
    page = opened(save(charts, tmp_path / "charts.html"))
    table = page.get_by_role("table", name="Runs")
    heads = [head.inner_text().strip() for head in table.locator("thead th").all()]
    row = table.get_by_role("row").filter(has_text="alpha")
    cells = dict(zip(heads[1:], (cell.inner_text() for cell in row.get_by_role("cell").all()), strict=True))
    assert (cells["lr"], cells["val/accuracy"], cells["Note"]) == ("0.1", "0.7", "warm-up too short")
    assert "optimizer" not in heads, "what all runs share says nothing"
    table.get_by_role("button", name="val/accuracy").click()
    table.get_by_role("button", name="val/accuracy").click()
    assert "gamma" in table.locator("tbody tr").first.inner_text(), "the highest first"


def test_hostile_names_are_text(file: Path, opened: Callable[..., Page]) -> None:
    page = opened(file)
    expect(page.get_by_role("article").filter(has_text="</script><img")).to_be_visible()
    assert page.title() != "run"
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert [HOSTILE] in embedded(file.read_text())["charts"]


def test_the_policy_allows_the_files_own_script_and_style_alone(file: Path, browser: Browser) -> None:
    policy = file.read_text().split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split("; ")}
    assert rules["default-src"] == rules["connect-src"] == ["'none'"]
    assert all(only.startswith("'sha256-") for kind in ("script-src", "style-src") for only in rules[kind])
    page = browser.new_page()
    page.goto(file.as_uri())
    blocked = page.evaluate("""() => new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = "document.title = 'run'";
      document.body.append(script);
    })""")
    page.close()
    assert blocked.startswith("script-src")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_it_is_whole_in_both_themes_and_on_a_phone(file: Path, opened: Callable[..., Page], scheme: Scheme, width: int) -> None:
    page = opened(file, scheme, width)
    assert faults(page) == []
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    for chart in page.get_by_role("application").all():
        assert chart.locator("canvas").first.evaluate(INKED) > 0


def test_the_bundle_is_small() -> None:
    assert 0 < BUNDLE.stat().st_size < MOST_BUNDLE_BYTES
