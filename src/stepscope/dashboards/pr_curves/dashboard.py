"""The routes of precision-recall curves: which tags and runs have them, at which steps, and curves of several runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder, Placed
from stepscope.dashboards.logged_values import StepsHeader, StepsRequest, TagsAnswer, steps_of_series, tags_of_kind
from stepscope.dashboards.questions import Fold, FoldRequest, RunText, TagText, most
from stepscope.dashboards.route import Dashboard, Frame, FrameOf, Role, Route
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Epoch, Problem, RunKey, TagName
from stepscope.queries.pr_curves import pr_curve

MAX_CURVES = 200


class CurveName(Struct, frozen=True, forbid_unknown_fields=True):
    """One curve: a series at a step."""

    run: RunText
    tag: TagText
    step: Annotated[float, d.step("Step of the curve.")]
    wall: Annotated[float | None, d.wall_time("Wall time of the curve, as in the steps; null: the last one at that step.")] = None


class PrCurvesRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which curves."""

    curves: Annotated[list[CurveName], most(MAX_CURVES), d.nested("The curves; at most 200.")]
    fold: Fold = True


class PrColumns(Struct, frozen=True):
    """One entry for each threshold, from 0 to 1."""

    threshold: Annotated[Placed, d.binary("f64", "Threshold above which a prediction is positive.", "fraction")] = UNSET
    true_positives: Annotated[Placed, d.binary("f64", "True positives.", "count")] = UNSET
    false_positives: Annotated[Placed, d.binary("f64", "False positives.", "count")] = UNSET
    true_negatives: Annotated[Placed, d.binary("f64", "True negatives.", "count")] = UNSET
    false_negatives: Annotated[Placed, d.binary("f64", "False negatives.", "count")] = UNSET
    precision: Annotated[Placed, d.binary("f64", "Precision.", "fraction")] = UNSET
    recall: Annotated[Placed, d.binary("f64", "Recall.", "fraction")] = UNSET


class PrCurveHeader(Struct, frozen=True):
    """One curve; one that could not be read has no columns."""

    run: RunKey
    tag: TagName
    step: Annotated[float, d.step("Step of the curve.")]
    area: Annotated[float | None, d.fraction("Area under the curve; null when no threshold calls anything positive.")] = None
    problem: Problem = None
    columns: Annotated[PrColumns, d.nested("Its columns.")] = PrColumns()


class PrCurvesHeader(Struct, frozen=True):
    """Header of a frame of precision-recall curves."""

    epoch: Epoch
    curves: Annotated[list[PrCurveHeader], d.nested("The curves in the order asked for.")]


def curve_tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with curves and the runs that have it."""
    return tags_of_kind(context, request, Kind.PR_CURVE)


def curve_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.PR_CURVE)


def curves(context: RequestContext, request: PrCurvesRequest, _: Mapping[str, str]) -> Frame:
    """Curves with their counts at every threshold; one that cannot be read says so in its place."""
    if len(request.curves) > MAX_CURVES:
        raise TooMuch(f"At most {MAX_CURVES} curves can be requested at once; request fewer.", "too_many")
    blobs = context.reads.blobs
    view = context.reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[PrCurveHeader] = []
    for name in request.curves:
        try:
            series = blobs.open(view, name.run, name.tag, Kind.PR_CURVE)
            found = pr_curve(blobs.read_value(series, series.find(name.step, name.wall)), series.tag)
        except (NotThere, TooMuch) as problem:
            headers.append(PrCurveHeader(name.run, name.tag, name.step, problem=str(problem)))
            continue
        columns = builder.add(PrColumns, {"threshold": found.threshold, **found.columns})
        headers.append(PrCurveHeader(name.run, name.tag, name.step, found.area(), None, columns))
    return Frame(builder.finish(PrCurvesHeader(view.snapshot.epoch, headers)))


PR_CURVES = Dashboard(
    id="pr_curves",
    label="PR curves",
    kinds=frozenset({Kind.PR_CURVE}),
    routes=(
        Route("GET", "/pr_curves/tags", Role.VIEWER, "Tags with curves", curve_tags, FoldRequest, TagsAnswer),
        Route("POST", "/pr_curves/steps", Role.VIEWER, "Every step of series", curve_steps, StepsRequest, FrameOf(StepsHeader)),
        Route("POST", "/pr_curves/curves", Role.VIEWER, "Curves at steps", curves, PrCurvesRequest, FrameOf(PrCurvesHeader)),
    ),
)
