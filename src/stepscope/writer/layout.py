"""Layouts of custom scalars: which tags share a chart, and which charts a category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, metadata_of, string_tensor, value_of

Layout = Mapping[str, Mapping[str, Sequence[str | Sequence[str]]]]
"""Category, title, then ["Multiline", tags] or ["Margin", [value, lower, upper]]."""

LAYOUT_TAG = "custom_scalars__config__"


def layout_work(layout: Layout, moment: Moment) -> Deferred:
    """The event of a layout, read at the call."""
    message = Message("Layout")
    for category, charts in layout.items():
        part = Message("Category").text("title", category)
        for title, chart in charts.items():
            part.message("chart", _chart(title, chart))
        message.message("category", part)
    value = value_of(LAYOUT_TAG).message("metadata", metadata_of("custom_scalars"))
    event = moment.event(value.message("tensor", string_tensor([message.encoded()], [])))
    return Deferred(lambda: event, len(event))


def _chart(title: str, chart: Sequence[str | Sequence[str]]) -> Message:
    if len(chart) != 2 or chart[0] not in ("Multiline", "Margin") or isinstance(chart[1], str):
        raise ValueError(f'Give each chart as ["Multiline", tags] or ["Margin", tags]; {title!r} is not.')
    kind, tags = chart
    if not all(isinstance(tag, str) for tag in cast("Sequence[object]", tags)):
        raise TypeError(f"Give the tags of the chart {title!r} as strings.")
    message = Message("Chart").text("title", title)
    if kind == "Multiline":
        content = Message("MultilineChartContent")
        for tag in tags:
            content.text("tag", tag, always=True)
        return message.message("multiline", content)
    if len(tags) != 3:
        raise ValueError(f"Give the margin chart {title!r} three tags, value, lower and upper; it has {len(tags)}.")
    value, lower, upper = tags
    series = Message("MarginSeries").text("value", value).text("lower", lower).text("upper", upper)
    return message.message("margin", Message("MarginChartContent").message("series", series))
