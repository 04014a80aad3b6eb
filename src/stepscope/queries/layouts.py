"""Layouts of custom scalars out of summary values: which tags share a chart, joined over the runs that logged one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from stepscope._native import WIRE
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, Field, fields
from stepscope.queries.blobs import BlobReader
from stepscope.queries.names import natural_key
from stepscope.queries.view import View

MAX_LAYOUTS = 300
"""Runs whose layouts are read."""
MAX_CATEGORIES = 200
MAX_CHARTS = 500
"""Over all categories."""
MAX_LINES = 100
"""Patterns, or bands, of one chart."""
MAX_TITLE = 500
MAX_PATTERN = 1_000
MAX_TAG = 10_000

_MAX_BYTES = 1 << 20
_MAX_SUM = 32 << 20
"""Bytes of all layouts that are read for one answer."""
_MAX_PROBLEMS = 20
_CLOSED = 3
"""Category's field that says whether it starts closed; our writer never writes it."""


class Band(Struct, frozen=True, forbid_unknown_fields=True):
    """Three tags: a line, and the edges of the band around it."""

    value: Annotated[str, d.text("Tag of the line.")]
    lower: Annotated[str, d.text("Tag of the band's lower edge.")]
    upper: Annotated[str, d.text("Tag of the band's upper edge.")]


class Chart(Struct, frozen=True, forbid_unknown_fields=True):
    """A chart of all tags that a pattern matches, or of bands; a logged one with neither is empty."""

    title: Annotated[str, d.text("Title of the chart.")]
    patterns: Annotated[list[str], d.nested("Regular expressions, which match tags from their start.")] = []
    bands: Annotated[list[Band], d.nested("Lines with the band around each.")] = []


class Category(Struct, frozen=True, forbid_unknown_fields=True):
    """Charts under one heading."""

    title: Annotated[str, d.text("The heading.")]
    charts: Annotated[list[Chart], d.nested("Its charts.")]
    closed: Annotated[bool, d.flag("Whether it is collapsed at first.")] = False


class Layout(Struct, frozen=True):
    """Categories in the order in which they were met, and a sentence for all that could not be read."""

    categories: list[Category]
    problems: list[str]


def logged_layout(blobs: BlobReader, view: View) -> Layout:
    """The last layout of every run as one: categories of one title are joined, and equal charts stand once."""
    joined = _Joined()
    left, bytes_left = MAX_LAYOUTS, _MAX_SUM
    for name, run_id, tag in _layouts(blobs, view):
        left -= 1
        if left < 0:
            joined.note(f"At most {MAX_LAYOUTS} layouts are read; the layouts of the other runs are left out.")
            break
        try:
            series = blobs.open(view, run_id, tag, Kind.LAYOUT)
            length = int(series.length[-1])
            if length > _MAX_BYTES:
                joined.note_length(name, length)
                continue
            bytes_left -= length
            if bytes_left < 0:
                joined.note(f"At most {_MAX_SUM >> 20} MiB of layouts are read; the layouts of the other runs are left out.")
                break
            payload = blobs.read(series, len(series) - 1)
        except (NotThere, TooMuch) as problem:
            joined.note(f"The layout of {name} cannot be read: {problem}")
            continue
        joined.add(name, payload.strings[0] if payload.strings else None)
    return joined.layout()


def _layouts(blobs: BlobReader, view: View) -> Iterator[tuple[str, str, str]]:
    """Name and id of every run that has a layout, and its tag, in the order of names."""
    tags, _ = blobs.list_tags(view, Kind.LAYOUT)
    found = [(view.runs[place].name, str(view.runs[place].record.id), tag.name) for tag in tags for place in tag.runs]
    found.sort(key=lambda one: natural_key(one[0]))
    yield from found


class _Joined:
    """Takes layouts one after another, within the bounds."""

    def __init__(self) -> None:
        self._charts: dict[str, list[Chart]] = {}
        self._closed: dict[str, bool] = {}
        self._seen: set[bytes] = set()
        self._known: dict[str, set[bytes]] = {}
        self._problems: list[str] = []
        self._count = 0

    def note(self, problem: str) -> None:
        if len(self._problems) < _MAX_PROBLEMS and problem not in self._problems:
            self._problems.append(problem)

    def note_length(self, run: str, length: int) -> None:
        self.note(f"The layout of {run} has {length >> 10:,} KiB; layouts up to {_MAX_BYTES >> 10:,} KiB can be read.")

    def add(self, run: str, message: bytes | None) -> None:
        """One run's layout; what is good before some damage is kept."""
        if message is None:
            self.note(f"The layout of {run} is not a layout message; log it with add_custom_scalars.")
        elif message not in self._seen:
            # Runs of one script share one layout, and often there are hundreds.
            self._seen.add(message)
            for field in self._fields(run, message):
                if field.id == WIRE["Layout"]["category"] and field.is_bytes:
                    self._add_category(run, field.data)

    def layout(self) -> Layout:
        return Layout([Category(title, charts, self._closed[title]) for title, charts in self._charts.items()], self._problems)

    def _fields(self, run: str, message: bytes) -> list[Field]:
        """The fields up to where the bytes stop making sense."""
        found: list[Field] = []
        try:
            found.extend(fields(message))
        except BadMessage as problem:
            self.note(f"The layout of {run} is corrupt ({problem}); only the readable charts are shown.")
        return found

    def _add_category(self, run: str, message: bytes) -> None:
        known = WIRE["Category"]
        parts = self._fields(run, message)
        title = _text([part for part in parts if part.id == known["title"]], MAX_TITLE)
        if title not in self._charts:
            if len(self._charts) >= MAX_CATEGORIES:
                self.note(f"At most {MAX_CATEGORIES} categories are shown; the others are left out.")
                return
            self._charts[title], self._known[title] = [], set()
            self._closed[title] = any(part.id == _CLOSED and part.number != 0 for part in parts)
        for part in parts:
            if part.id == known["chart"] and part.is_bytes and part.data not in self._known[title]:
                self._add_chart(run, title, part.data)

    def _add_chart(self, run: str, category: str, message: bytes) -> None:
        if self._count >= MAX_CHARTS:
            self.note(f"At most {MAX_CHARTS} charts are shown; the others are left out.")
            return
        self._known[category].add(message)
        self._charts[category].append(self._chart(run, message))
        self._count += 1

    def _chart(self, run: str, message: bytes) -> Chart:
        known, multiline, margin = WIRE["Chart"], WIRE["MultilineChartContent"], WIRE["MarginChartContent"]
        parts = self._fields(run, message)
        title = _text([part for part in parts if part.id == known["title"]], MAX_TITLE)
        patterns: list[str] = []
        bands: list[Band] = []
        for part in parts:
            if part.id == known["multiline"] and part.is_bytes:
                patterns += [_text([each], MAX_PATTERN + 1) for each in self._fields(run, part.data) if each.id == multiline["tag"]]
            elif part.id == known["margin"] and part.is_bytes:
                bands += [self._band(run, each.data) for each in self._fields(run, part.data) if each.id == margin["series"]]
        if len(patterns) > MAX_LINES or len(bands) > MAX_LINES:
            self.note(f"The chart {title} has more than {MAX_LINES} entries; the others are left out.")
        if any(len(pattern) > MAX_PATTERN for pattern in patterns):
            self.note(f"The chart {title} has an expression longer than {MAX_PATTERN:,} characters; it is left out.")
        kept = [pattern for pattern in patterns[:MAX_LINES] if len(pattern) <= MAX_PATTERN]
        return Chart(title, kept, bands[:MAX_LINES])

    def _band(self, run: str, message: bytes) -> Band:
        known = WIRE["MarginSeries"]
        parts = self._fields(run, message)
        tags = {name: _text([part for part in parts if part.id == number], MAX_TAG) for name, number in known.items()}
        return Band(tags["value"], tags["lower"], tags["upper"])


def _text(found: list[Field], limit: int) -> str:
    """The last of a field's values, as readers of messages take it; no longer than the limit."""
    return found[-1].data[: 4 * limit].decode("utf-8", "replace")[:limit] if found else ""
