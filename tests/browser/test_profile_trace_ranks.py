"""All ranks in the trace: the straggler of the report is outlined, rows open into tracks, clocks are aligned or as recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.page_clock import let_pass
from browser.sample_ranks import STEP_MS, STEPS, cut_rank, write_ranks
from browser.schemes import Scheme
from browser.stack_page import RanksPage, got, session_of, window_of
from log_folder import LogFolder

MANY, STRAGGLER = 256, 97
CLOCKS = (0.0, 7.0, -3.0, 0.0, 0.0, 0.0, 0.0, 60_000.0)
"""Milliseconds by which the clocks of eight ranks are wrong, one of them by a minute."""
WRITE_MS = 700


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_ranks(logs.path / "many", MANY, straggler=STRAGGLER)
    write_ranks(logs.path / "skewed", len(CLOCKS), straggler=3, clocks=CLOCKS)
    write_ranks(logs.path / "cut", 4)
    cut_rank(logs.path / "cut", 2)
    return serve(logs.path)


@pytest.fixture
def ranks(page: Page, complaints: list[str]) -> Iterator[RanksPage]:
    yield RanksPage(page)
    assert complaints == []


def test_the_outlined_rank_is_the_straggler_that_the_report_names(ranks: RanksPage, address: str) -> None:
    asked: list[str] = []

    def count(request: Request) -> None:
        if "/rank_tiles" in request.url:
            asked.append(request.url)

    ranks.page.on("request", count)
    ranks.open(address, "many")
    session = session_of(ranks.page, address, "many")
    report = got(ranks.page, address, f"{session}/report")["answer"]
    assert report["waited_for"].endswith(f"_rank{STRAGGLER}")
    expect(ranks.page.locator(f"[data-worker='{report['waited_for']}']")).to_have_class(re.compile(r"\blate\b"))
    outline, row = ranks.page.locator(".outline").bounding_box(), ranks.row(STRAGGLER).bounding_box()
    assert outline is not None
    assert row is not None
    assert (outline["y"], outline["height"]) == (row["y"], row["height"])
    expect(ranks.toolbar).to_contain_text(f"rank {STRAGGLER}")
    assert len(asked) < MANY / 16, "only the rows on screen and around it are asked for"


def test_rows_have_the_breakdown_of_their_ranks(ranks: RanksPage, address: str) -> None:
    """At 12 ms of a step the straggler still computes, and the others wait in the collective; at 19 ms nothing is traced."""
    ranks.open(address, "many")
    assert "Compute 100%" in ranks.tip(STRAGGLER, 12.0)
    assert "Communication 100%" in ranks.tip(STRAGGLER - 1, 12.0)
    assert "Compute 100%" in ranks.tip(STRAGGLER - 1, 25.0)
    assert "Untraced 100%" in ranks.tip(STRAGGLER + 1, 19.0)


def test_opening_a_rank_shows_its_tracks(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "many")
    ranks.row(STRAGGLER).get_by_role("button").click()
    expect(ranks.lane(STRAGGLER)).to_contain_text("stream 7")
    assert ranks.lane_window(STRAGGLER) == pytest.approx((0.0, STEPS * STEP_MS), abs=0.01)
    let_pass(ranks.page, WRITE_MS)
    assert f"openranks=node{STRAGGLER // 8}_rank{STRAGGLER}" in ranks.page.url
    ranks.lane(STRAGGLER).get_by_role("button", name=f"Close rank {STRAGGLER}").click()
    expect(ranks.lane(STRAGGLER)).to_have_count(0)


def test_several_open_ranks_move_and_zoom_together(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "many", "&openranks=node0_rank0~node12_rank97~node1_rank9")
    before = ranks.lane_window(0)
    ranks.lane(9).get_by_role("application").press("w")
    ranks.lane(9).get_by_role("application").press("d")
    after = ranks.lane_window(9)
    assert after[1] - after[0] == pytest.approx(0.6 * (before[1] - before[0]), rel=1e-3)
    assert ranks.lane_window(0) == ranks.lane_window(STRAGGLER) == after == window_of(ranks.board)


def test_a_span_of_an_open_rank_tells_its_details(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "many", "&openranks=node12_rank97&us=0..20000")
    lane = ranks.lane(STRAGGLER)
    expect(lane.get_by_role("application")).to_have_attribute("data-loading", "false")
    spans, label = lane.locator("canvas.spans"), lane.locator(".label.track").filter(has_text="stream 7")
    canvas, place = spans.bounding_box(), label.bounding_box()
    assert canvas is not None
    assert place is not None
    spans.click(position={"x": canvas["width"] / 4, "y": place["y"] - canvas["y"] + 9})
    details = lane.get_by_role("region", name="Details")
    expect(details).to_contain_text("nvjet_gemm_bf16")
    expect(details).to_contain_text("14")
    let_pass(ranks.page, WRITE_MS)
    assert "spanof=node12_rank97" in ranks.page.url


def test_the_slowest_come_first_when_sorted_so(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "many")
    ranks.page.get_by_role("combobox", name="Sort ranks").select_option("slow")
    ranks.toolbar.get_by_role("button", name=f"rank {STRAGGLER}").click()
    expect(ranks.row(STRAGGLER)).to_be_visible()
    ranks.board.focus()
    assert ranks.listed()[0] == f"rank {STRAGGLER}"


def test_rows_are_walked_and_opened_by_keyboard(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "skewed")
    ranks.toolbar.get_by_role("button", name="rank 3").click()
    ranks.board.focus()
    ranks.page.keyboard.press("ArrowDown")
    ranks.page.keyboard.press("Enter")
    expect(ranks.lane(4)).to_contain_text("stream 7")
    whole = window_of(ranks.board)
    ranks.board.focus()
    ranks.page.keyboard.press("w")
    ranks.ready()
    closer = window_of(ranks.board)
    assert closer[1] - closer[0] == pytest.approx(0.6 * (whole[1] - whole[0]), rel=1e-3)


def test_clocks_are_aligned_or_as_recorded(ranks: RanksPage, address: str) -> None:
    """Aligned, every rank has the same time at the same place; as recorded, times differ by what the clocks are wrong."""
    ranks.open(address, "skewed", "&openranks=node0_rank0~node0_rank1~node0_rank7")
    expect(ranks.toolbar).to_contain_text(f"{STEPS} collectives")
    assert ranks.lane_window(0) == ranks.lane_window(1) == ranks.lane_window(7) == pytest.approx((0, STEPS * STEP_MS), abs=0.01)
    ranks.toolbar.get_by_role("button", name="As recorded").click()
    expect(ranks.toolbar.get_by_role("button", name="As recorded")).to_have_attribute("aria-pressed", "true")
    ranks.ready()
    starts = [ranks.lane_window(rank)[0] for rank in (0, 1, 7)]
    assert [starts[0] - start for start in starts] == pytest.approx([0.0, 7.0, 60_000.0], abs=0.01)
    let_pass(ranks.page, WRITE_MS)
    assert "asrecorded" in ranks.page.url


def test_a_truncated_rank_is_marked_and_the_others_are_whole(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "cut")
    expect(ranks.row(2)).to_contain_text("truncated")
    expect(ranks.row(1)).not_to_contain_text("truncated")
    expect(ranks.page.locator(".outline")).to_have_count(0)
    assert ranks.rows.evaluate(INKED) > 1000


def test_one_rank_is_a_click_away(ranks: RanksPage, address: str) -> None:
    ranks.open(address, "skewed")
    ranks.toolbar.get_by_role("button", name="One rank").click()
    expect(ranks.page.get_by_role("application", name="Timeline", exact=True)).to_be_visible()
    ranks.page.get_by_role("toolbar", name="Trace").get_by_role("button", name="All ranks").click()
    ranks.ready()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_ranks_fit_and_have_no_faults(browser: Browser, address: str, scheme: Scheme, width: int) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    ranks = RanksPage(page)
    ranks.open(address, "skewed", "&openranks=node0_rank3")
    expect(ranks.lane(3)).to_contain_text("stream 7")
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert ranks.rows.evaluate(INKED) > 1000
    assert faults(page) == []
    page.close()
