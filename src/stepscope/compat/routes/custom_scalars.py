"""TensorBoard's custom scalars plugin: the layout of all runs, and the points of all tags that a pattern matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stepscope.compat.json_text import answer, members, points
from stepscope.compat.linear_pattern import BadPattern, LinearPattern
from stepscope.compat.logged import listed
from stepscope.compat.route import Answer, Pieces, Question, plugin_route
from stepscope.compat.routes.scalars import columns_of, points_answer
from stepscope.compat.served import Served
from stepscope.model.errors import NotThere
from stepscope.queries.layouts import Category, Chart, logged_layout

PLUGIN = "custom_scalars"


def _layout(served: Served, _: Question) -> Answer:
    if not listed(served, PLUGIN):
        return answer({})
    found = logged_layout(served.blobs, served.view())
    return answer({"version": 0, "category": [_category(one) for one in found.categories]})


def _category(category: Category) -> dict[str, Any]:
    return {"title": category.title, "chart": [_chart(chart) for chart in category.charts], "closed": category.closed}


def _chart(chart: Chart) -> dict[str, Any]:
    if chart.bands:
        series = [{"value": band.value, "lower": band.lower, "upper": band.upper} for band in chart.bands]
        return {"title": chart.title, "margin": {"series": series}}
    return {"title": chart.title, **({"multiline": {"tag": chart.patterns}} if chart.patterns else {})}


def _scalars(served: Served, question: Question) -> Answer:
    pattern = question.arg("tag")
    try:
        found = LinearPattern(pattern) if pattern else None
    except BadPattern:
        found = None
    if found is None:
        return answer({"regex_valid": False, "tag_to_events": {}})
    return Pieces(_matching(served, question.needed("run"), found))


def _matching(served: Served, run: str, pattern: LinearPattern) -> Iterator[bytes]:
    yield b'{"regex_valid":true,"tag_to_events":'
    yield from members(_of_tags(served, run, pattern))
    yield b"}"


def _of_tags(served: Served, run: str, pattern: LinearPattern) -> Iterator[tuple[str, Iterator[bytes]]]:
    for tag, one in listed(served, "scalars", {run}).get(run, {}).items():
        if pattern.match(tag):
            try:
                columns = columns_of(served, one)
            except NotThere:
                continue
            yield tag, points(columns)


def _download_data(served: Served, question: Question) -> Answer:
    return points_answer(served, *question.run_and_tag(), question.arg("format"))


ROUTES = (
    plugin_route(PLUGIN, "layout", "Charts that runs logged, joined by the titles of their categories.", _layout),
    plugin_route(PLUGIN, "scalars", "Points of the tags of a run that a regular expression matches.", _scalars),
    plugin_route(PLUGIN, "download_data", "Points of a run and tag, as JSON or CSV.", _download_data),
)
