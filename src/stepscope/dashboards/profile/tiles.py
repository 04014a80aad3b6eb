"""The route of the trace: the spans of some tracks in a window of one worker's whole profile, as binary columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder, Placed
from stepscope.dashboards.profile.part_routes import WAIT_SECONDS, ReadingRow
from stepscope.dashboards.route import Frame, FrameOf, Role, Route
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.shared_columns import Epoch
from stepscope.session.part import StepsText
from stepscope.session.reader import Reading
from stepscope.session.trace_tile import TILE, TileWanted
from stepscope.session.trace_window import EndUs, StartUs, TracksText, check_window

_VALUE = "unit of the counter"


class TilesRequest(Struct, frozen=True, kw_only=True):
    """The window, and how finely it is drawn."""

    worker: Annotated[str, Meta(max_length=1_000, description="Worker (rank) to look at; empty: the first.")] = ""
    steps: StepsText = ""
    start_us: StartUs
    end_us: EndUs
    columns: Annotated[int, Meta(ge=1, le=8_000, description="Columns that the window is drawn in, such as pixels.")]
    tracks: TracksText
    lines: Annotated[int, Meta(ge=1, le=255, description="Lines of each track to draw; spans on deeper ones are counted.")] = 64


class TileColumns(Struct, frozen=True):
    """Entries of one track, by line and then by time. An entry is one span, or all narrow spans of a line that start in one column."""

    start: Annotated[Placed, d.binary("f64", "Start of the first span of the entry.", "µs")] = UNSET
    end: Annotated[Placed, d.binary("f64", "End of the last span of the entry.", "µs")] = UNSET
    row: Annotated[Placed, d.binary("i32", "Row of the longest span in the profile.", "row")] = UNSET
    name: Annotated[Placed, d.binary("i32", "Name of the longest span, as its place in `names`.", "index")] = UNSET
    line: Annotated[Placed, d.binary("u8", "Line that it is drawn on, from 0.", "index")] = UNSET
    group: Annotated[
        Placed,
        d.binary(
            "u8",
            "Group of the longest span: compute, communication, copy, input_wait, host, untraced (0 to 5); 6: none.",
            "index",
        ),
    ] = UNSET
    count: Annotated[Placed, d.binary("i32", "Number of spans in the entry.", "count")] = UNSET


class TileTrack(Struct, frozen=True):
    """One track of spans."""

    track: Annotated[int, d.number("Number of the track.", "index")]
    hidden: Annotated[int, d.count("Spans in the window on lines that are not drawn.")]
    columns: Annotated[TileColumns, d.nested("Its entries.")]


class CounterColumns(Struct, frozen=True):
    """A counter over the window. Columns before its first sample are left out."""

    start: Annotated[Placed, d.binary("f64", "Start of each column.", "µs")] = UNSET
    low: Annotated[Placed, d.binary("f64", "Lowest value in the column.", _VALUE)] = UNSET
    high: Annotated[Placed, d.binary("f64", "Highest value in the column.", _VALUE)] = UNSET
    last: Annotated[Placed, d.binary("f64", "Value at the end of the column.", _VALUE)] = UNSET


class TileCounter(Struct, frozen=True):
    """One counter."""

    track: Annotated[int, d.number("Number of the track.", "index")]
    columns: Annotated[CounterColumns, d.nested("Its values.")]


class TilesHeader(Struct, frozen=True, kw_only=True):
    """Header of the frame. While the profile is read, it says how far that has come, and there are no tracks."""

    epoch: Epoch
    reading: Annotated[ReadingRow | None, d.nested("How far reading has come; null when there is an answer.")] = None
    columns: Annotated[int, d.count("Columns that were used: fewer than asked for when the answer would be too large.")] = 0
    names: Annotated[list[str], d.nested("Names in this answer, at most 300 characters each.")] = []
    tracks: Annotated[list[TileTrack], d.nested("Tracks of spans, in the order that was asked for.")] = []
    counters: Annotated[list[TileCounter], d.nested("Counters, in the order that was asked for.")] = []


def profile_tiles(context: RequestContext, request: TilesRequest, path: Mapping[str, str]) -> Frame:
    """Spans of some tracks in a window of the whole profile, and counters."""
    check_window(request.start_us, request.end_us)
    reader, epoch = context.reads.sessions, context.reads.library.snapshot.epoch
    read = reader.ask_open(TILE, reader.find(path["session"]), TileWanted(**msgspec.structs.asdict(request)), WAIT_SECONDS)
    builder = FrameBuilder()
    if isinstance(read, Reading):
        return Frame(builder.finish(TilesHeader(epoch=epoch, reading=fill(ReadingRow, read))))
    header = TilesHeader(
        epoch=epoch,
        columns=read.columns,
        names=read.names,
        tracks=[TileTrack(each.track, each.hidden, builder.add(TileColumns, each.of_spans())) for each in read.tracks],
        counters=[TileCounter(each.track, builder.add(CounterColumns, each.of_counter())) for each in read.counters],
    )
    return Frame(builder.finish(header), tile=True)


TILES_ROUTE = Route(
    "GET",
    "/profile/{session}/tiles",
    Role.VIEWER,
    "Spans of the trace in a window",
    profile_tiles,
    TilesRequest,
    FrameOf(TilesHeader),
)
