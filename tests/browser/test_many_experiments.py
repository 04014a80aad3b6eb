"""More experiments than the palette has hues: each keeps a colour of its own, and a dash means validation and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from browser.sample_runs import quiet
from log_folder import START, LogFolder

NAMES = [f"model{place:02}" for place in range(14)]


def write(logs: LogFolder, name: str, place: int) -> None:
    """One experiment of two folders."""
    for role, level in (("train", 0.0), ("validation", 0.5)):
        quiet(logs.write(f"{name}/{role}", {"loss": [place + level] * 20}, start=START + 60 * place))


def lines(charts: ChartsPage) -> dict[str, tuple[str, bool]]:
    """Colour of each line and whether it is dashed, as the tooltip draws them."""
    charts.settle()
    charts.keys("loss", "Home")
    charts.tooltip()
    script = """(box) => [...box.querySelectorAll('tbody tr')].map((row) => {
      const swatch = row.querySelector('.swatch');
      return [row.querySelector('.name').innerText, [swatch.getAttribute('style'), swatch.classList.contains('dashed')]];
    })"""
    found: list[tuple[str, list[object]]] = charts.page.locator(".tooltip").evaluate(script)
    charts.page.keyboard.press("Escape")
    return {name: (str(look[0]), bool(look[1])) for name, look in found}


def test_fourteen_experiments_are_told_apart(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "logs")
    for place, name in enumerate(NAMES):
        write(logs, name, place)
    server = server_on(logs.path)
    charts.open(server.address, "#scalars?tooltipall=on")
    charts.wait_until(lambda: charts.line_count("loss") == 2 * len(NAMES))
    drawn = lines(charts)
    assert {name: dashed for name, (_, dashed) in drawn.items()} == {
        f"{name} {role}": role == "validation" for name in NAMES for role in ("train", "validation")
    }
    colours = {name: drawn[f"{name} train"][0] for name in NAMES}
    assert len(set(colours.values())) == len(NAMES)
    assert all(drawn[f"{name} validation"][0] == colour for name, colour in colours.items())
    listed = {name: charts.colour(name) for name in NAMES}
    assert len(set(listed.values())) == len(NAMES)

    write(logs, "added", len(NAMES))
    shutil.rmtree(logs.path / NAMES[0])
    rest = [*NAMES[1:], "added"]
    charts.wait_until(lambda: sorted(charts.listed()) == sorted(rest), what="the list with one more and one less")
    assert {name: charts.colour(name) for name in NAMES[1:]} == {name: listed[name] for name in NAMES[1:]}
    assert len({charts.colour(name) for name in rest}) == len(rest)
    charts.reload()
    assert {name: charts.colour(name) for name in NAMES[1:]} == {name: listed[name] for name in NAMES[1:]}
