"""Two profiles below each other in the trace: chosen steps start at one place, and stay there while both are moved and zoomed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.page_clock import let_pass
from browser.profile_page import plain
from browser.sample_profiles import FIRST_STEP, KERNEL, write_trace
from browser.schemes import Scheme
from browser.stack_page import session_of, window_of
from log_folder import LogFolder

SLOW_MS, SLOW_START_MS = 1.5, 20.0
WRITE_MS = 700
PICTURE = "(canvas) => canvas.toDataURL()"


class Stack:
    """This profile above the other one."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(60_000)
        self.toolbar = page.get_by_role("toolbar", name="Traces")

    def open(self, address: str, more: str = "") -> None:
        """Compares the slow run with the quick one."""
        own, other = (session_of(self.page, address, run) for run in ("slow", "quick"))
        self.page.goto("about:blank")
        self.page.goto(f"{address}#profile?session={own}&show=trace&stack=profiles&against={other}{more}")

    def board(self, run: str) -> Locator:
        """The timeline of a run, when all that it shows has come."""
        board = self.page.get_by_role("application", name=f"Timeline of {run}")
        expect(board).to_have_attribute("data-loading", "false")
        return board

    def since(self, run: str, step_ms: float) -> tuple[float, float]:
        """The window of a run since the start of one of its steps."""
        start, end = window_of(self.board(run))
        return start - step_ms, end - step_ms


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """The steps of the slow run take 1.5 ms longer, and its first one 20 ms."""
    slow = {FIRST_STEP + step: SLOW_MS for step in range(1, 12)} | {FIRST_STEP: SLOW_START_MS}
    write_trace(logs.path / "slow", steps=12, slow=slow)
    write_trace(logs.path / "quick", steps=12)
    return serve(logs.path)


@pytest.fixture
def stack(page: Page, complaints: list[str]) -> Iterator[Stack]:
    yield Stack(page)
    assert complaints == []


def test_first_typical_steps_start_together_and_stay_so(stack: Stack, address: str) -> None:
    """The slow run's first step is an outlier, so its second, after 30 ms, is beside the first of the quick run."""
    stack.open(address)
    second = 10.0 + SLOW_START_MS
    assert stack.since("slow", second) == pytest.approx(stack.since("quick", 0.0), abs=1e-3)
    for key in ("w", "w", "d", "s", "a"):
        stack.board("quick").press(key)
    moved = stack.since("quick", 0.0)
    assert stack.since("slow", second) == pytest.approx(moved, abs=1e-3)
    let_pass(stack.page, WRITE_MS)
    link = stack.page.url
    assert "stack=profiles" in link
    assert "against=" in link
    stack.page.goto("about:blank")
    stack.page.goto(link)
    assert stack.since("quick", 0.0) == pytest.approx(moved, abs=2e-3)
    assert stack.since("slow", second) == pytest.approx(moved, abs=2e-3)


def test_the_difference_of_step_time_is_said(stack: Stack, address: str) -> None:
    stack.open(address)
    expect(stack.toolbar).to_contain_text("+1.5")
    assert f"+{SLOW_MS} ms (+15%)" in plain(stack.toolbar.inner_text())


def test_other_steps_can_be_aligned(stack: Stack, address: str) -> None:
    stack.open(address)
    stack.board("quick")
    stack.toolbar.get_by_role("combobox", name="Step of the other profile").select_option(str(FIRST_STEP + 3))
    let_pass(stack.page, WRITE_MS)
    assert f"againststep={FIRST_STEP + 3}" in stack.page.url
    assert stack.since("slow", 10.0 + SLOW_START_MS) == pytest.approx(stack.since("quick", 30.0), abs=1e-3)


def test_the_other_profile_is_chosen_from_the_trace(stack: Stack, address: str) -> None:
    stack.page.goto(f"{address}#profile?session={session_of(stack.page, address, 'slow')}&show=trace")
    toolbar = stack.page.get_by_role("toolbar", name="Trace")
    toolbar.get_by_role("button", name="Compare traces").click()
    stack.page.get_by_role("option", name="quick").or_(stack.page.get_by_role("button", name="quick")).first.click()
    stack.board("slow")
    stack.board("quick")
    stack.toolbar.get_by_role("button", name="Stop comparing").click()
    expect(stack.page.get_by_role("application", name="Timeline", exact=True)).to_be_visible()


def test_a_profile_that_is_gone_is_said(stack: Stack, address: str) -> None:
    own = session_of(stack.page, address, "slow")
    stack.page.goto(f"{address}#profile?session={own}&show=trace&stack=profiles&against=000000000000")
    expect(stack.page.get_by_role("heading", name="Choose a profile to compare with")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_both_fit_and_have_no_faults(browser: Browser, address: str, scheme: Scheme, width: int) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    stack = Stack(page)
    stack.open(address)
    stack.board("slow")
    stack.board("quick")
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    page.close()


def test_a_search_goes_through_both_profiles_in_the_order_of_the_axis(stack: Stack, address: str) -> None:
    stack.open(address)
    for run in ("slow", "quick"):
        stack.board(run)
    field = stack.toolbar.get_by_role("searchbox", name="Search spans")
    field.fill(KERNEL)
    status = stack.toolbar.get_by_role("status")
    expect(status).to_have_text("24 spans")
    chosen: list[str] = []
    for place in range(4):
        field.press("Enter")
        expect(status).to_have_text(f"{place + 1} of 24")
        details = stack.page.get_by_role("region", name="Details")
        expect(details).to_have_count(1)
        expect(details).to_contain_text(KERNEL)
        chosen += [run for run in ("slow", "quick") if stack.page.get_by_role("region", name=run).filter(has=details).count()]
    # The outlier of the slow profile is before the steps that start together; from there on they alternate.
    assert chosen[0] == "slow"
    assert set(chosen[1:3]) == {"slow", "quick"}
    stack.board("quick").press(",")
    expect(status).to_have_text("3 of 24")


def test_a_selection_is_of_both_profiles(stack: Stack, address: str) -> None:
    """Over the first step that both share: 10 ms of the quick profile, whose kernel takes 4."""
    stack.open(address)
    board = stack.board("quick")
    start, end = window_of(board)
    canvas = board.locator("canvas.spans").bounding_box()
    assert canvas is not None
    at = [canvas["x"] + (ms - start) / (end - start) * canvas["width"] for ms in (0.5, 9.5)]
    stack.page.keyboard.down("Shift")
    stack.page.mouse.move(at[0], canvas["y"] + 60)
    stack.page.mouse.down()
    stack.page.mouse.move(at[1], canvas["y"] + 60, steps=4)
    stack.page.mouse.up()
    stack.page.keyboard.up("Shift")
    panels = stack.page.get_by_role("region", name="Details")
    expect(panels).to_have_count(2)
    for panel in panels.all():
        expect(panel).to_contain_text(KERNEL)
        assert plain(panel.inner_text()).split("\n")[0] == "9 ms"
    board.press("Escape")
    expect(panels).to_have_count(0)


def test_bookmarks_and_the_critical_path_are_on_both(stack: Stack, address: str) -> None:
    stack.open(address)
    board = stack.board("quick")
    board.press("w")
    shown = stack.since("quick", 0.0)
    board.press("m")
    expect(stack.page).to_have_url(re.compile(r"[?&]marks="))
    stack.toolbar.get_by_role("button", name="Fit").click()
    stack.toolbar.get_by_role("button", name="Bookmarks").click()
    stack.page.get_by_role("button", name="Show Bookmark 1").click()
    assert stack.since("quick", 0.0) == pytest.approx(shown, abs=2e-3)
    before = {run: stack.board(run).locator("canvas.spans").evaluate(PICTURE) for run in ("slow", "quick")}
    stack.toolbar.get_by_role("button", name="Critical path").click()
    for run, picture in before.items():
        stack.page.wait_for_function(
            "([canvas, before]) => canvas.toDataURL() !== before",
            arg=[stack.board(run).locator("canvas.spans").element_handle(), picture],
        )
