"""The routes of histograms: cells of counts and percentiles over all steps, and the exact buckets of one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.drawing import Unfinished, draw, drawn
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.histograms import messages as m
from stepscope.dashboards.route import Dashboard, Frame, FrameOf, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.kinds import Kind
from stepscope.model.numbers import json_number
from stepscope.queries.histograms import LEVELS

_GRID, _BANDS = "histograms/grid", "histograms/bands"


def grid(context: RequestContext, request: m.GridRequest, _: Mapping[str, str]) -> Waiting:
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

    def work(job: Job[Frame]) -> Frame:
        paused = _counted(job)
        builder = FrameBuilder()
        headers: list[m.GridHeader] = []
        for name in request.series:
            try:
                series = reads.blobs.open(view, name.run, name.tag, Kind.HISTOGRAM)
                found = reads.histograms.grid(series, view.origin(name.run), span, values, request.bins, paused)
            except NotThere as problem:
                headers.append(m.GridHeader(run=name.run, tag=name.tag, problem=str(problem)))
                continue
            slots = found.slots
            columns = builder.add(m.GridColumns, {**slots.columns, "cells": found.cells})
            given = {"run": name.run, "tag": name.tag, "extent": found.extent, "values": found.values, "columns": columns}
            headers.append(fill(m.GridHeader, slots, **given))
        return Frame(builder.finish(m.GridsHeader(view.snapshot.epoch, None, request.x, request.bins, headers)))

    return draw(context, _GRID, f"Draw {len(request.series)} histograms", work, _no_grids(context))


def bands(context: RequestContext, request: m.BandsRequest, _: Mapping[str, str]) -> Waiting:
    """Percentiles of every step, reduced to what a screen can show."""
    reads = context.reads
    m.check_count(len(request.series), "series", m.MAX_SERIES)
    span = m.span_of(request.x, request.range, request.slots)
    view = reads.views.view(request.fold)

    def work(job: Job[Frame]) -> Frame:
        paused = _counted(job)
        builder = FrameBuilder()
        headers: list[m.BandsHeader] = []
        for name in request.series:
            try:
                series = reads.blobs.open(view, name.run, name.tag, Kind.HISTOGRAM)
                found = reads.histograms.bands(series, view.origin(name.run), span, paused)
            except NotThere as problem:
                headers.append(m.BandsHeader(run=name.run, tag=name.tag, problem=str(problem)))
                continue
            columns = builder.add(m.BandsColumns, {**found.slots.columns, "levels": found.levels})
            headers.append(fill(m.BandsHeader, found.slots, run=name.run, tag=name.tag, columns=columns))
        return Frame(builder.finish(m.BandsFrameHeader(view.snapshot.epoch, None, request.x, list(LEVELS), headers)))

    return draw(context, _BANDS, f"Draw percentiles of {len(request.series)} histograms", work, _no_bands(context))


def drawn_grid(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """Cells whose drawing takes longer than a request."""
    return drawn(context, _GRID, path["id"], _no_grids(context))


def drawn_bands(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """Percentiles whose drawing takes longer than a request."""
    return drawn(context, _BANDS, path["id"], _no_bands(context))


def _no_grids(context: RequestContext) -> Unfinished:
    return lambda job: m.GridsHeader(context.reads.library.snapshot.epoch, job, "step", 1, [])


def _no_bands(context: RequestContext) -> Unfinished:
    return lambda job: m.BandsFrameHeader(context.reads.library.snapshot.epoch, job, "step", list(LEVELS), [])


def _counted(job: Job[Frame]) -> Callable[[int], None]:
    """Counts the values that were read as the job's progress."""
    read = 0

    def paused(values: int) -> None:
        nonlocal read
        read += values
        job.report(read, None, "histograms")

    return paused


def value(context: RequestContext, request: m.HistogramRequest, _: Mapping[str, str]) -> m.HistogramAnswer:
    """One logged histogram with all its buckets, read from its log file now."""
    reads = context.reads
    view = reads.views.view(request.fold)
    series = reads.blobs.open(view, request.run, request.tag, Kind.HISTOGRAM)
    origin = view.origin(request.run)
    found = reads.histograms.value(series, origin, request.x, request.at)
    return fill(m.HistogramAnswer, found, relative=json_number(found.wall - origin))


HISTOGRAMS = Dashboard(
    id="histograms",
    label="Histograms",
    kinds=frozenset({Kind.HISTOGRAM}),
    routes=(
        Route("POST", f"/{_GRID}", Role.VIEWER, "Counts for one viewport", grid, m.GridRequest, FrameOf(m.GridsHeader)),
        Route("GET", f"/{_GRID}/{{id}}", Role.VIEWER, "Counts that take long", drawn_grid, NoFields, FrameOf(m.GridsHeader)),
        Route("POST", f"/{_BANDS}", Role.VIEWER, "Percentiles for one viewport", bands, m.BandsRequest, FrameOf(m.BandsFrameHeader)),
        Route(
            "GET",
            f"/{_BANDS}/{{id}}",
            Role.VIEWER,
            "Percentiles that take long",
            drawn_bands,
            NoFields,
            FrameOf(m.BandsFrameHeader),
        ),
        Route("GET", "/histograms/value", Role.VIEWER, "One histogram with its buckets", value, m.HistogramRequest, m.HistogramAnswer),
    ),
)
