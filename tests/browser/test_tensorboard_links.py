"""Links of TensorBoard's page open the same view: tab, filters of tags and runs, smoothing and pinned cards."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_clock import address_written
from browser.sample_runs import write_three_runs
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def test_a_link_of_time_series_opens_the_same_view(charts: ChartsPage, address: str) -> None:
    pins = json.dumps([{"plugin": "scalars", "tag": "accuracy"}])
    query = urlencode({"darkMode": "true", "smoothing": "0.8", "tagFilter": "^acc|loss$", "runFilter": "a$", "pinnedCards": pins})
    charts.open(f"{address}?{query}#timeseries")
    expect(charts.page.get_by_label("Filter tags by regular expression")).to_have_value("^acc|loss$")
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0.8")
    expect(charts.button("Pin accuracy").first).to_have_attribute("aria-pressed", "true")
    address_written(charts.page)
    assert "smoothing=" not in charts.page.url
    charts.reload()
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0.8")


def test_a_link_of_an_old_dashboard_opens_the_same_view(charts: ChartsPage, address: str) -> None:
    charts.open(f"{address}#scalars&_smoothingWeight=0.5&tagFilter=acc&regexInput=beta")
    expect(charts.page.get_by_label("Filter tags by regular expression")).to_have_value("acc")
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0.5")
