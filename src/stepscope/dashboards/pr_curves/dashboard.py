"""The routes of precision-recall curves: which tags and runs have them, at which steps, and curves of several runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from stepscope.dashboards import frame
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import Column, FrameBuilder
from stepscope.dashboards.logged_values import RunText, StepsRequest, TagsAnswer, TagsRequest, TagText, steps_of_series, tags_of_kind
from stepscope.dashboards.route import Dashboard, Frame, Role, Route
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.queries.pr_curves import pr_curve

MAX_CURVES = 200
_LIMITED: dict[str, Any] = {"maxItems": MAX_CURVES}


class CurveName(Struct, frozen=True, forbid_unknown_fields=True):
    """One curve: a run and tag at a step, logged at a wall time (none: the last at that step)."""

    run: RunText
    tag: TagText
    step: float
    wall: float | None = None


class PrCurvesRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which curves."""

    curves: Annotated[list[CurveName], Meta(extra_json_schema=_LIMITED)]
    fold: bool = True


class PrCurveHeader(Struct, frozen=True):
    """One curve in the frame's header. `problem` says why it could not be read."""

    run: str
    tag: str
    step: float
    area: float | None
    problem: str | None
    columns: dict[str, Column]


class PrCurvesHeader(Struct, frozen=True):
    """The frame's header."""

    epoch: int
    curves: list[PrCurveHeader]


def curve_tags(context: RequestContext, request: TagsRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with curves and the runs that have it."""
    return tags_of_kind(context, request, Kind.PR_CURVE)


def curve_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.PR_CURVE, lambda _: 1)


def curves(context: RequestContext, request: PrCurvesRequest, _: Mapping[str, str]) -> Frame:
    """Curves with their counts at every threshold; one that cannot be read says so in its place."""
    if len(request.curves) > MAX_CURVES:
        raise TooMuch(f"At most {MAX_CURVES} curves can be asked for at once; ask for fewer.", "too_many")
    blobs = context.reads.blobs
    view = context.reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[PrCurveHeader] = []
    for name in request.curves:
        try:
            series = blobs.open(view, name.run, name.tag, Kind.PR_CURVE)
            found = pr_curve(blobs.read_value(series, series.find(name.step, name.wall)), series.tag)
        except (NotThere, TooMuch) as problem:
            headers.append(PrCurveHeader(name.run, name.tag, name.step, None, str(problem), {}))
            continue
        columns = builder.add({"threshold": found.threshold, **found.columns})
        headers.append(PrCurveHeader(name.run, name.tag, name.step, found.area(), None, columns))
    return Frame(builder.finish(PrCurvesHeader(view.snapshot.epoch, headers)))


PR_CURVES = Dashboard(
    id="pr_curves",
    label="PR curves",
    kinds=frozenset({Kind.PR_CURVE}),
    routes=(
        Route("GET", "/pr_curves/tags", Role.VIEWER, "Tags with curves", curve_tags, TagsRequest, TagsAnswer),
        Route("POST", "/pr_curves/steps", Role.VIEWER, "Every step of series", curve_steps, StepsRequest, (frame.CONTENT_TYPE,)),
        Route("POST", "/pr_curves/curves", Role.VIEWER, "Curves at steps", curves, PrCurvesRequest, (frame.CONTENT_TYPE,)),
    ),
)
