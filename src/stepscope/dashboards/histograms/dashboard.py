"""The routes of histograms: cells of counts and percentiles over all steps, and the exact buckets of one value."""

from __future__ import annotations

from collections.abc import Mapping

from stepscope.dashboards import frame
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.histograms import messages as m
from stepscope.dashboards.route import Dashboard, Frame, Role, Route
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.kinds import Kind
from stepscope.model.numbers import number
from stepscope.queries.histograms import LEVELS


def grid(context: RequestContext, request: m.GridRequest, _: Mapping[str, str]) -> Frame:
    """The counts of every step, gathered into as many cells as a screen has room for."""
    reads = context.reads
    m.check_count(len(request.series), "series", m.MAX_SERIES)
    if request.bins < 1:
        raise BadInput("bins must be at least 1.", "bad_bins")
    m.check_count(request.bins, "bins", m.MAX_BINS)
    span = m.span_of(request.x, request.range, request.slots)
    m.check_count(len(request.series) * request.slots * request.bins, "cells", m.MAX_CELLS)
    values = m.checked_values(request.values)
    view = reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[m.GridHeader] = []
    for name in request.series:
        try:
            series = reads.blobs.open(view, name.run, name.tag, Kind.HISTOGRAM)
            found = reads.histograms.grid(series, view.origin(name.run), span, values, request.bins)
        except NotThere as problem:
            headers.append(m.GridHeader(name.run, name.tag, 0, 0, None, None, (0.0, 1.0), str(problem), [], {}))
            continue
        slots = found.slots
        columns = builder.add({**slots.columns, "cells": found.cells})
        headers.append(
            m.GridHeader(
                name.run,
                name.tag,
                slots.values,
                len(slots.places),
                slots.x_extent,
                found.extent,
                found.values,
                None,
                slots.problems,
                columns,
            )
        )
    return Frame(builder.finish(m.GridsHeader(view.snapshot.epoch, request.x, request.bins, headers)))


def bands(context: RequestContext, request: m.BandsRequest, _: Mapping[str, str]) -> Frame:
    """Percentiles of every step, reduced to what a screen can show."""
    reads = context.reads
    m.check_count(len(request.series), "series", m.MAX_SERIES)
    span = m.span_of(request.x, request.range, request.slots)
    view = reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[m.BandsHeader] = []
    for name in request.series:
        try:
            series = reads.blobs.open(view, name.run, name.tag, Kind.HISTOGRAM)
            found = reads.histograms.bands(series, view.origin(name.run), span)
        except NotThere as problem:
            headers.append(m.BandsHeader(name.run, name.tag, 0, 0, None, str(problem), [], {}))
            continue
        slots = found.slots
        columns = builder.add({**slots.columns, "levels": found.levels})
        headers.append(
            m.BandsHeader(name.run, name.tag, slots.values, len(slots.places), slots.x_extent, None, slots.problems, columns)
        )
    return Frame(builder.finish(m.BandsFrameHeader(view.snapshot.epoch, request.x, list(LEVELS), headers)))


def value(context: RequestContext, request: m.HistogramRequest, _: Mapping[str, str]) -> m.HistogramAnswer:
    """One logged histogram with all its buckets, read from its log file now."""
    reads = context.reads
    view = reads.views.view(request.fold)
    series = reads.blobs.open(view, request.run, request.tag, Kind.HISTOGRAM)
    origin = view.origin(request.run)
    found = reads.histograms.value(series, origin, request.x, request.at)
    return m.HistogramAnswer(
        found.step,
        number(found.wall),
        number(found.wall - origin),
        [number(edge) for edge in found.left.tolist()],
        [number(edge) for edge in found.right.tolist()],
        found.count.tolist(),
        found.left_out,
    )


HISTOGRAMS = Dashboard(
    id="histograms",
    label="Histograms",
    kinds=frozenset({Kind.HISTOGRAM}),
    routes=(
        Route("POST", "/histograms/grid", Role.VIEWER, "Counts for one viewport", grid, m.GridRequest, (frame.CONTENT_TYPE,)),
        Route("POST", "/histograms/bands", Role.VIEWER, "Percentiles for one viewport", bands, m.BandsRequest, (frame.CONTENT_TYPE,)),
        Route("GET", "/histograms/value", Role.VIEWER, "One histogram with its buckets", value, m.HistogramRequest, m.HistogramAnswer),
    ),
)
