"""Curves and groups as columns of a frame, for the charts of the page and for those in a file."""

from __future__ import annotations

from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.questions import SeriesName
from stepscope.dashboards.scalars import messages as m
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.model.identity import TagId
from stepscope.queries.formula import Formula, read_formula
from stepscope.queries.formula_curves import formula_curve
from stepscope.queries.groups import GroupLine
from stepscope.queries.series import Curve
from stepscope.session.reads import Reads


def curves_frame(reads: Reads, request: m.CurvesRequest) -> bytes:
    """The curves of a request, reduced to what a screen can show. Raises BadInput or TooMuch."""
    m.check_count(len(request.series), "series")
    window = m.window(reads.views, request.x, request.x_tag, request.range, request.width, request.log_x)
    m.check_count(len(request.series) * request.width, "pixel columns", m.MAX_PIXEL_COLUMNS)
    smoothing = m.checked(request.smoothing)
    view = reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[m.CurveHeader] = []
    formulas = _formulas(reads, request)
    for name in request.series:
        if (formula := formulas.get(name.tag)) is None:
            curve = reads.series.curve(view, name.run, reads.views.tag_id(name.tag), window, request.segments, smoothing)
        else:
            curve = formula_curve(reads.series, view, name.run, *formula, window, request.segments, smoothing)
        headers.append(add_curve(builder, name, curve))
    return builder.finish(m.CurvesHeader(view.snapshot.epoch, request.x, headers))


def add_curve(builder: FrameBuilder, name: SeriesName, curve: Curve) -> m.CurveHeader:
    """Adds the columns of one curve to a frame and returns what the header says of it."""
    return fill(m.CurveHeader, curve, run=name.run, tag=name.tag, columns=builder.add(m.CurveColumns, curve.columns))


def add_group(builder: FrameBuilder, name: str, line: GroupLine) -> m.GroupHeader:
    """Adds the columns of one group to a frame and returns what the header says of it."""
    arrays = {"x": line.x, "mid": line.mid, "low": line.low, "high": line.high, "n": line.n}
    columns = builder.add(m.GroupColumns, {**arrays, "mark_x": line.marks.x, "mark_kind": line.marks.kind})
    n_min, n_max = int(line.n.min(initial=line.runs)), int(line.n.max(initial=0))
    return m.GroupHeader(name, line.runs, n_min, n_max, line.marks.ended, columns)


def _formulas(reads: Reads, request: m.CurvesRequest) -> dict[str, tuple[Formula, dict[str, TagId]]]:
    """The formulas of a request with the ids of their tags, by their texts. Raises BadInput for one that makes no sense."""
    found: dict[str, tuple[Formula, dict[str, TagId]]] = {}
    if not request.formulas:
        return found
    for text in dict.fromkeys(name.tag for name in request.series):
        formula = read_formula(text)
        ids = {tag: reads.views.tag_id(tag) for tag in formula.tags}
        for tag, number in ids.items():
            if number < 0:
                hint = 'Write a division with spaces, and a tag with other characters as "my tag".'
                raise BadInput(f"No run has the tag {tag}. {hint}", "no_such_tag")
        found[text] = formula, ids
    return found
