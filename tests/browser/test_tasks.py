"""The tasks of the guide's comparison with TensorBoard, done by a hand that counts: each takes what the guide says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import stepscope
from browser.charts_page import ChartsPage
from browser.compared_tasks import PAGE, compared_tasks
from browser.counted_hand import Hand
from browser.page_clock import address_written
from browser.task_folder import EVALUATIONS, EXPERIMENTS, PROFILES, SEEDS, SWEEP, write_task_folder

Task = Callable[[ChartsPage, Hand], None]
TASKS: dict[str, Task] = {}
STARTS: dict[str, str] = {}
"""The view that a task starts from, where that is not the first one."""


def task(name: str, *, start: str = "") -> Callable[[Task], Task]:
    """Declares how a task is done."""

    def declare(does: Task) -> Task:
        TASKS[name] = does
        STARTS[name] = start
        return does

    return declare


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return serve(write_task_folder(tmp_path_factory.mktemp("tasks")))


def find(charts: ChartsPage, hand: Hand, text: str, count: int) -> None:
    """Types into the search of the run list."""
    hand.press("/")
    hand.type(text)
    expect(charts.page.get_by_role("region", name="Runs").get_by_role("status").first).to_have_text(re.compile(rf"^{count} of "))


def only(charts: ChartsPage, hand: Hand, text: str, count: int) -> None:
    """Draws only the runs that are found."""
    find(charts, hand, text, count)
    hand.press("Enter")


def tab(charts: ChartsPage, name: str) -> Locator:
    return charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name=name, exact=True)


def to_table(charts: ChartsPage, hand: Hand) -> None:
    hand.click(tab(charts, "Table"))
    expect(charts.page.locator("main").get_by_role("grid", name="Runs").get_by_role("row").nth(2)).to_be_visible()


def view_of_profile(charts: ChartsPage, name: str) -> Locator:
    return charts.page.get_by_role("navigation", name="Views of the profile").get_by_role("button", name=name, exact=True)


def inspector(charts: ChartsPage) -> Locator:
    return charts.page.get_by_role("complementary", name="Inspector")


# --- which runs are drawn ---


@task("See curves first, with 37 profile-only folders")
def _(charts: ChartsPage, hand: Hand) -> None:
    assert charts.line_count("loss") > 15
    expect(charts.page.get_by_text("The shown runs do not have this tag")).to_have_count(0)


@task("See the training of two days ago")
def _(charts: ChartsPage, hand: Hand) -> None:
    assert charts.line_count("lr") == 1
    assert charts.steps("lr") == (0, 1999)


@task("Read which runs are not drawn, and why")
def _(charts: ChartsPage, hand: Hand) -> None:
    said = charts.page.locator("main").get_by_role("status").filter(has_text="runs shown")
    expect(said).to_contain_text(f"{PROFILES} runs without data")


@task("Show all runs")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.button("Show all").first)
    charts.wait_until(lambda: charts.line_count("loss") == 1 + SWEEP + 2 * EXPERIMENTS + SEEDS)
    assert charts.line_count("eval/f1") == EVALUATIONS


@task("Draw only the sweep, with the 29 runs that did not diverge readable")
def _(charts: ChartsPage, hand: Hand) -> None:
    only(charts, hand, "sweep", SWEEP)
    charts.wait_until(lambda: charts.line_count("loss") == SWEEP)
    assert charts.values("loss")[1] < 10


@task("Count the values outside the y range")
def _(charts: ChartsPage, hand: Hand) -> None:
    only(charts, hand, "sweep", SWEEP)
    charts.wait_until(lambda: charts.line_count("loss") == SWEEP)
    assert re.search(r"[\d\u202f]+ values outside", charts.summary("loss"))


@task("Hide the 30 runs of the sweep")
def _(charts: ChartsPage, hand: Hand) -> None:
    kept = 1 + EVALUATIONS + EXPERIMENTS + SEEDS + PROFILES
    only(charts, hand, "-sweep", kept)
    charts.wait_until(lambda: charts.line_count("loss") == 1 + 2 * EXPERIMENTS + SEEDS)


@task("Runs with `lr >= 1e-2`")
def _(charts: ChartsPage, hand: Hand) -> None:
    find(charts, hand, "lr >= 1e-2", 10)


@task("Runs with `model == resnet50`")
def _(charts: ChartsPage, hand: Hand) -> None:
    find(charts, hand, "model == resnet50", SWEEP // 2)


@task("Read why a regular expression is invalid")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.press("/")
    hand.type("/(/")
    expect(charts.page.get_by_role("region", name="Runs").get_by_role("status").first).to_contain_text("not a regular expression")


@task("Sort the run list by any tag")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.button("Sort runs"))
    hand.click(charts.page.locator(":popover-open").get_by_role("button", name="max of a tag…"))
    hand.type("f1")
    hand.press("Enter")
    charts.wait_until(lambda: charts.listed()[:2] == [f"eval/ckpt-{EVALUATIONS - 1:03}", f"eval/ckpt-{EVALUATIONS - 2:03}"])


@task("Delete a run to a trash, and restore it")
def _(charts: ChartsPage, hand: Hand) -> None:
    find(charts, hand, "ckpt-000", 1)
    charts.button("Details of eval/ckpt-000").hover()
    hand.click(charts.button("Actions for eval/ckpt-000"))
    hand.click(charts.page.get_by_role("menuitem", name="Delete run"))
    hand.click(charts.button("Move to trash"))
    charts.wait_until(lambda: charts.listed() == [], what="the list without it")
    hand.click(charts.button("More for the run list"))
    hand.click(charts.page.get_by_role("menu").get_by_text("Deleted runs…"))
    hand.click(charts.page.get_by_role("dialog", name="Deleted runs").get_by_role("button", name="Restore"))
    charts.wait_until(lambda: charts.listed() == ["eval/ckpt-000"], what="the run in the list")


# --- train and validation, groups, comparisons ---


@task("Tell 12 train and validation experiments apart")
def _(charts: ChartsPage, hand: Hand) -> None:
    find(charts, hand, "model", EXPERIMENTS)
    charts.wait_until(lambda: len(charts.listed()) == EXPERIMENTS)
    assert len({charts.colour(run) for run in charts.listed()}) == EXPERIMENTS


@task("Show train and validation as separate runs")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.button("Split train and validation"))
    charts.wait_until(lambda: {"exp/model11/train", "exp/model11/validation"} <= {*charts.listed()})


@task("Last train and validation loss of all experiments in a table")
def _(charts: ChartsPage, hand: Hand) -> None:
    to_table(charts, hand)
    for role in ("train", "validation"):
        expect(charts.page.get_by_role("columnheader", name=f"last of loss ({role})")).to_have_count(1)


@task("Sort them by best validation loss")
def _(charts: ChartsPage, hand: Hand) -> None:
    to_table(charts, hand)
    hand.click(charts.page.get_by_role("columnheader", name="Best (lowest) loss (validation)").get_by_role("button"))
    charts.wait_until(lambda: charts.listed()[:2] == ["exp/model00", "exp/model01"])


@task("Group three seeds, with n where one is NaN")
def _(charts: ChartsPage, hand: Hand) -> None:
    only(charts, hand, "gpt", SEEDS)
    charts.wait_until(lambda: charts.line_count("loss") == SEEDS)
    hand.click(charts.button("Group"))
    charts.wait_until(lambda: charts.line_count("loss") == 1)
    expect(charts.card("loss").locator(".notice")).to_contain_text("NaN")


@task("Table of groups with mean ± confidence interval")
def _(charts: ChartsPage, hand: Hand) -> None:
    to_table(charts, hand)
    hand.click(charts.page.locator("main").get_by_role("button", name="Group runs"))
    hand.click(charts.page.get_by_role("radio", name="By folder"))
    expect(charts.page.get_by_role("table", name="Groups of runs")).to_contain_text("±")


@task("Show the settings in which two runs differ")
def _(charts: ChartsPage, hand: Hand) -> None:
    for run in ("gpt-seed0", "gpt-seed1"):
        hand.click(charts.button(f"Details of {run}"), key="Control")
    hand.click(charts.page.get_by_role("toolbar", name="Picked runs").get_by_role("button", name="Compare"))
    settings = charts.page.get_by_role("region", name="Settings")
    expect(settings.get_by_role("rowheader", name="seed", exact=True)).to_be_visible()
    expect(settings.get_by_role("rowheader", name="lr", exact=True)).to_have_count(0)


# --- charts ---


@task("Zoom to a range of steps")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.drag(charts.place("lr", 0.4), charts.place("lr", 0.6))
    charts.wait_until(lambda: charts.steps("lr")[0] > 500)
    assert charts.values("lr")[1] < 8e-4, "y fits to it"


@task("Undo the zoom", start="#scalars?zoom=500..900")
def _(charts: ChartsPage, hand: Hand) -> None:
    charts.wait_until(lambda: charts.steps("lr") == (500, 900))
    hand.double_click_at(charts.place("lr", 0.5))
    charts.wait_until(lambda: charts.steps("lr") == (0, 1999))


@task("Scatter plot of two columns")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.button("Add chart"))
    form = charts.page.locator(":popover-open form")
    expect(form.get_by_label("X axis")).to_have_value(re.compile("^setting "))
    hand.click(form.get_by_role("button", name="Add"))
    expect(charts.page.get_by_role("article", name=re.compile(" against ")).locator("circle").first).to_be_visible()


@task("A chart as large as the page")
def _(charts: ChartsPage, hand: Hand) -> None:
    charts.card("loss").hover()
    hand.click(charts.card("loss").get_by_role("button", name="Full width"))
    charts.wait_until(lambda: (charts.card("loss").bounding_box() or {"width": 0})["width"] > 900)


@task("A chart full screen")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.hover_at(charts.place("loss", 0.5))
    hand.press("e")
    charts.wait_until(lambda: (charts.card("loss").bounding_box() or {"width": 0})["width"] == 1280)


@task("Values of all runs at one step")
def _(charts: ChartsPage, hand: Hand) -> None:
    lines = charts.line_count("loss")
    hand.click_at(charts.place("loss", 0.3))
    expect(inspector(charts)).to_be_visible()
    charts.wait_until(lambda: len(charts.table()) == lines, what="a row for every line")


@task("Pin a chart")
def _(charts: ChartsPage, hand: Hand) -> None:
    pin = charts.card("loss").get_by_role("button", name="Pin loss")
    hand.click(pin)
    expect(pin).to_have_attribute("aria-pressed", "true")


@task("Save a chart as CSV")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.card("loss").get_by_role("button", name="More for loss"))
    with charts.page.expect_download() as download:
        hand.click(charts.page.locator(":popover-open").get_by_text("Download CSV"))
    assert download.value.suggested_filename == "loss.csv"


@task("Save the table of runs as CSV")
def _(charts: ChartsPage, hand: Hand) -> None:
    to_table(charts, hand)
    with charts.page.expect_download() as download:
        hand.click(charts.button("Download CSV"))
    assert download.value.suggested_filename == "runs.csv"


@task("See which steps have images, texts and epochs")
def _(charts: ChartsPage, hand: Hand) -> None:
    marks = charts.page.get_by_role("list", name="Marks").get_by_role("listitem")
    expect(marks.filter(has_text="image")).to_have_count(1)
    assert {"epoch", "image", "text"} <= {*marks.all_inner_texts()}


@task("Images near a step")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click_at(charts.place("loss", 0.3))
    expect(inspector(charts).get_by_label("Logged near this step")).to_contain_text("samples/pred")


# --- the view as a whole ---


@task("Save a view by name")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.button("Saved views"))
    expect(charts.page.get_by_label("Name of this view")).to_be_focused()
    hand.type("mine")
    hand.press("Enter")
    expect(charts.button("mine")).to_be_visible()


@task("Undo a change of the view with Back")
def _(charts: ChartsPage, hand: Hand) -> None:
    charts.button("Log y").click()
    address_written(charts.page)
    hand.back()
    expect(charts.button("Log y")).to_have_attribute("aria-pressed", "false")


@task("Open a link with other settings without losing your own")
def _(charts: ChartsPage, hand: Hand) -> None:
    first = charts.page.url.split("#")[0]
    charts.open(first, "#scalars?smooth=ema:0.9")
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0.9")
    charts.open(first)
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0")


@task("Reach the first chart with the keyboard")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.press("Tab", "Enter")
    assert charts.page.evaluate("document.activeElement.getAttribute('role')") == "application"


# --- profiles ---


@task("From a run to its profile, and back")
def _(charts: ChartsPage, hand: Hand) -> None:
    find(charts, hand, "bert", 1)
    hand.click(charts.button("Details of bert-base"))
    hand.click(inspector(charts).get_by_label("Profiles").get_by_role("button"))
    expect(charts.page.locator(".sentence")).to_be_visible()
    hand.click(charts.button("Run page"))
    expect(charts.page.get_by_role("heading", level=1, name="bert-base")).to_be_visible()


@task("Open a run's profile by name")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.press("Control+k")
    hand.type("bert")
    expect(charts.page.get_by_role("listbox", name="Matches").get_by_role("option")).to_have_count(2)
    hand.press("ArrowDown", "Enter")
    expect(charts.page.get_by_role("button", name="Choose a profile")).to_contain_text("bert-base")


@task("Read the largest cause of step time, in one sentence", start="#profile?session=bert-base")
def _(charts: ChartsPage, hand: Hand) -> None:
    expect(charts.page.locator(".sentence")).to_contain_text(re.compile(r"10\sms"))


@task("All instances of the longest operation, with stacks", start="#profile?session=bert-base")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.page.get_by_role("region", name="Most exposed operations").locator("tbody tr").first.get_by_role("button").first)
    expect(charts.page.get_by_role("complementary", name="Instances").locator("tbody tr")).to_have_count(6)


@task("Numbers of one step of a profile", start="#profile?session=bert-base")
def _(charts: ChartsPage, hand: Hand) -> None:
    box = charts.page.get_by_role("slider", name="Steps", exact=True).bounding_box()
    assert box is not None
    hand.click_at((box["x"] + 0.15 * box["width"], box["y"] + 0.7 * box["height"]))
    expect(charts.page.get_by_role("button", name="Range", exact=True)).to_contain_text("Step 5")


@task("Memory and comparison of a profile", start="#profile?session=bert-base")
def _(charts: ChartsPage, hand: Hand) -> None:
    for name in ("Memory", "Compare"):
        hand.click(view_of_profile(charts, name))
        expect(view_of_profile(charts, name)).to_have_attribute("aria-current", "page")


@task("Open another profile by name", start="#profile?session=bert-base")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(charts.page.get_by_role("button", name="Choose a profile"))
    hand.type("host07")
    hand.press("Enter")
    expect(charts.page.get_by_role("button", name="Choose a profile")).to_contain_text("host07")


@task("Estimate the effect of a change on the step time", start="#profile?session=bert-base")
def _(charts: ChartsPage, hand: Hand) -> None:
    hand.click(view_of_profile(charts, "What if"))
    lever = charts.page.get_by_role("slider", name="Input waiting for input")
    expect(lever).to_be_visible()
    box = lever.bounding_box()
    assert box is not None
    hand.click_at((box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]))
    expect(charts.page.locator(".sentence")).to_contain_text("instead of")


@task("Use it at a width of 390 pixels")
def _(charts: ChartsPage, hand: Hand) -> None:
    charts.page.set_viewport_size({"width": 390, "height": 844})
    charts.settle()
    assert charts.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_guide_counts_the_folder(tmp_path: Path) -> None:
    folder = write_task_folder(tmp_path)
    runs = list(stepscope.open(folder).runs)
    points = sum(len(run.scalars(tag).step) for run in runs for tag in run.tags)
    with_events = {path.parent for path in folder.rglob("*tfevents*")}
    text = PAGE.read_text(encoding="utf-8")
    said = re.search(r"(\d+) runs and ([\d,]+) points", text)
    assert said is not None
    assert (int(said.group(1)), int(said.group(2).replace(",", ""))) == (len(runs) - EXPERIMENTS, points), (
        "two folders are one experiment"
    )
    assert {int(count) for count in re.findall(r"(?:counts|draws all) (\d+)\b", text)} == {len(with_events)}


def test_every_task_of_the_guide_is_done_here() -> None:
    assert sorted(TASKS) == sorted(compared_tasks())


@pytest.mark.parametrize("name", TASKS)
def test_a_task_takes_what_the_guide_says(charts: ChartsPage, address: str, name: str) -> None:
    if STARTS[name].startswith("#profile"):
        charts.page.goto("about:blank")
        charts.page.goto(address + _with_run_id(charts, address, STARTS[name]))
        expect(charts.page.locator(".sentence")).to_be_visible()
    else:
        charts.open(address, STARTS[name])
    hand = Hand(charts.page)
    TASKS[name](charts, hand)
    assert hand.cost == compared_tasks()[name].stepscope


def _with_run_id(charts: ChartsPage, address: str, view: str) -> str:
    """A view of the profile of a run, which an address names by the id of the run."""
    runs = charts.page.request.get(address + "api/v1/runs").json()["runs"]
    return view.replace("bert-base", next(run["id"] for run in runs if run["name"] == "bert-base"))
