"""The HLO part of the Profile tab on a small recording of JAX: table, tree, one operation with what is around it, and the address."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

CAPTURE = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures" / "jax.xplane.pb"
WHAT = "compiled operations"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    session = logs.path / "jax" / "plugins" / "profile" / "2026_11_15_19_27_11"
    session.mkdir(parents=True)
    shutil.copy(CAPTURE, session / "vm.xplane.pb")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def panel(profile: ProfilePage) -> Locator:
    return profile.page.get_by_role("complementary", name="Compiled operation")


def test_the_table_lists_what_the_programs_did(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("HLO")
    rows = {row[0]: row for row in profile.table(WHAT)}
    assert set(rows) == {"ynn_fusion", "multiply_select_fusion", "dot", "multiply_subtract_fusion"}
    assert rows["dot"][1] == "dot"
    assert rows["multiply_select_fusion"][1] == "loop fusion"
    expect(profile.page.get_by_role("list", name="Notes")).to_contain_text("no peak")
    profile.page.get_by_label("Group by").select_option("Program")
    expect(profile.page.get_by_role("grid", name=f"Table of {WHAT}").get_by_role("row")).to_have_count(2)
    assert profile.table(WHAT)[0][0] == "jit_train_step(6)"


def test_memory_shows_what_the_compiler_has_planned(profile: ProfilePage, address: str) -> None:
    profile.page.goto(address + "#profile?show=memory")
    programs = profile.page.get_by_role("region", name="Compiled programs").get_by_role("row")
    expect(programs.nth(1)).to_contain_text("jit_train_step(6)")
    assert [plain(cell) for cell in programs.nth(1).get_by_role("cell").all_inner_texts()[1:]] == [
        "10 KiB",
        "2 KiB",
        "0 B",
        "1 KiB",
        "13 KiB",
    ]
    plan = profile.page.get_by_role("region", name="Memory plan")
    expect(plan).to_contain_text("at multiply_select_fusion.")
    expect(plan.get_by_role("application")).to_be_visible()
    expect(profile.page.get_by_role("region", name="Allocated at the planned peak")).to_contain_text("multiply_select_fusion")
    assert profile.page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(profile.page) == []


def test_one_operation_has_its_text_and_what_is_around_it(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=hlo")
    profile.page.get_by_role("button", name="multiply_select_fusion").click()
    expect(panel(profile).get_by_label("HLO text")).to_contain_text("ROOT")
    expect(panel(profile)).to_contain_text("jit_train_step(6)")
    profile.page.wait_for_url("**op=multiply_select_fusion*")
    panel(profile).get_by_label("Long form").check()
    expect(panel(profile).get_by_label("HLO text")).to_contain_text("metadata=")
    near = panel(profile).get_by_role("list", name="Users").get_by_role("button").first
    name = near.inner_text().replace("\n", "")
    near.click()
    expect(panel(profile).get_by_role("heading", level=2)).to_have_text(name)
    profile.page.wait_for_url(f"**&op={name}*")
    profile.page.reload()
    expect(panel(profile).get_by_role("heading", level=2)).to_have_text(name)
    panel(profile).get_by_role("button", name="Close operation").click()
    expect(panel(profile)).to_have_count(0)


def test_the_tree_opens_down_to_what_is_fused(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=hlo")
    profile.page.get_by_role("button", name="Tree", exact=True).click()
    tree = profile.page.get_by_role("treegrid", name="Tree of compiled operations")
    expect(tree.get_by_role("row").nth(1)).to_contain_text("jit_train_step(6)")
    before = tree.get_by_role("row").count()
    tree.get_by_role("button", name="Open multiply_select_fusion").click()
    expect(tree.locator("[aria-level='4']").first).to_be_visible()
    assert tree.get_by_role("row").count() > before
    tree.get_by_role("button", name="Close jit_train_step(6)").click()
    expect(tree.get_by_role("row")).to_have_count(2)
    profile.page.wait_for_url("**hlotree=on*")


def test_there_is_no_such_part_without_programs(profile: ProfilePage, serve: Callable[..., str], tmp_path: Path) -> None:
    write_trace(tmp_path / "train")
    profile.open(serve(tmp_path))
    profile.show("Kernels")
    expect(profile.page.get_by_role("grid", name="Table of kernels")).to_be_visible()
    expect(profile.page.get_by_role("button", name="HLO")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    profile = ProfilePage(page)
    for place, view in enumerate(("", "&hlotree=on")):
        profile.page.goto("about:blank")
        profile.page.goto(f"{address}#profile?show=hlo&program=jit_train_step(6)&op=dot{view}")
        expect(panel(profile).get_by_label("HLO text")).to_contain_text("%dot")
        expect(page.get_by_role("list", name="Notes")).to_be_visible()
        page.screenshot(path=tmp_path / f"{theme}-{width}-{place}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WIDER_THAN_THE_PAGE) == []
        assert faults(page) == []
    context.close()
