"""Which runs are drawn before the user chooses, and how much of y a chart gives to runs and spikes far from the others."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_profiles import write_trace
from browser.sample_runs import quiet
from log_folder import START, LogFolder

PROFILES = 37
RUNS = 30
SPIKE = 140


@pytest.fixture(scope="module")
def profiles(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """One old training behind many folders that have nothing but a profile."""
    logs = LogFolder(tmp_path_factory.mktemp("profiles"))
    quiet(logs.write("training", {"loss": [3.0, 2.0, 1.0]}, start=START - 1e6))
    for place in range(PROFILES):
        write_trace(logs.path / f"profile{place:02}", steps=1)
    return serve(logs.path)


@pytest.fixture(scope="module")
def evaluations(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A training two days before many evaluations of it."""
    logs = LogFolder(tmp_path_factory.mktemp("evaluations"))
    quiet(logs.write("training", {"loss": [3.0, 2.0, 1.0]}, start=START - 2 * 86_400))
    for place in range(35):
        quiet(logs.write(f"eval/checkpoint{place:02}", {"eval/accuracy": [0.5, 0.6]}, start=START + 60 * place))
    return serve(logs.path)


@pytest.fixture(scope="module")
def diverged(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Thirty runs of which one goes to a million, and one that has a spike of 50 at one step."""
    logs = LogFolder(tmp_path_factory.mktemp("diverged"))
    for run in range(RUNS):
        quiet(logs.write(f"run{run:02}", {"loss": diverging_loss(run)}, start=START + 3600 * run))
    return serve(logs.path)


def diverging_loss(run: int) -> list[float]:
    """Run 3 grows to a million, and run 5 has a spike."""
    loss = [1.0 + run / RUNS + (step % 7) / 10 for step in range(200)]
    if run == 3:
        loss = [value * 1.1**step for step, value in enumerate(loss)]
    if run == 5:
        loss[SPIKE] = 50.0
    return loss


def test_runs_that_the_tab_can_draw_are_chosen(charts: ChartsPage, profiles: str) -> None:
    charts.open(profiles)
    charts.wait_until(lambda: charts.line_count("loss") == 1)
    said = charts.page.locator("main").get_by_role("status").filter(has_text="runs shown")
    expect(said).to_contain_text(f"1 of {PROFILES + 1} runs shown")
    expect(said).to_contain_text(f"{PROFILES} runs without data")
    said.get_by_role("button", name="Show all").click()
    expect(said).to_have_count(0)


def test_later_evaluations_do_not_hide_the_training(charts: ChartsPage, evaluations: str) -> None:
    charts.open(evaluations)
    charts.wait_until(lambda: charts.line_count("loss") == 1)
    assert charts.line_count("eval/accuracy") == 19
    charts.search("training")
    charts.wait_until(lambda: charts.listed() == charts.drawn() == ["training"], what="the training, drawn")


def test_a_diverged_run_does_not_flatten_the_others(charts: ChartsPage, diverged: str) -> None:
    charts.open(diverged, "#scalars")
    charts.wait_until(lambda: charts.line_count("loss") == RUNS)
    low, high = charts.values("loss")
    assert low < 1.1
    assert 2.5 < high < 5
    outside = sum(value > high for run in range(RUNS) for value in diverging_loss(run))
    assert outside > 100
    assert f"{outside} values outside" in charts.summary("loss")
    assert "at least" not in charts.summary("loss"), "every point is drawn here"


def test_a_spike_is_whole_where_the_user_has_zoomed_in(charts: ChartsPage, diverged: str) -> None:
    charts.open(diverged, f"#scalars?zoom={SPIKE - 10}..{SPIKE + 10}")
    charts.wait_until(lambda: charts.steps("loss") == (SPIKE - 10, SPIKE + 10))
    charts.wait_until(lambda: 50 < charts.values("loss")[1] < 60)


def test_highlights_are_those_of_the_shown_runs(charts: ChartsPage, evaluations: str) -> None:
    charts.open(evaluations)
    expect(charts.card("loss")).to_be_visible()
    charts.search("checkpoint03")
    charts.swatch("eval/checkpoint03").click(modifiers=["Alt"])
    charts.wait_until(lambda: charts.drawn() == ["eval/checkpoint03"])
    first = charts.page.locator("main [role=application]").first
    expect(first).to_have_attribute("aria-label", re.compile("^eval/accuracy: 1 line"))
