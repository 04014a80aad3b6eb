"""The routes of the projector: embeddings, their points, layouts and neighbours; long work is a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.job_routes import JobRow, job_row
from stepscope.dashboards.projector import messages as m
from stepscope.dashboards.route import Dashboard, FileOf, Frame, FrameOf, Media, NoFields, Role, Route, Waiting
from stepscope.embeddings.class_scores import MOST_CLASSES, ClassScore, class_scores
from stepscope.embeddings.layouts import Layout, Question
from stepscope.embeddings.neighbours import neighbours_of
from stepscope.embeddings.opened import Opened
from stepscope.embeddings.reducer import missing
from stepscope.jobs.job import Job, State
from stepscope.model.errors import BadInput, NotThere
from stepscope.queries.image_encoding import TYPES, check_image, content_type

_WAIT = 1.0
"""Seconds that a request waits before it answers how far the work is."""
_LEASE = 10.0
"""Seconds after which work stops that nobody asks for any more."""
_LONG_LEASE = 60.0
"""The same for t-SNE and UMAP, which take minutes; a stopped t-SNE goes on from where it was."""
_POINTS, _LAYOUT, _SCORES = "projector/points", "projector/layout", "projector/scores"


def embeddings(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> m.EmbeddingsAnswer:
    """The embeddings of all runs, and which methods are installed."""
    listed = context.reads.embeddings.listed()
    rows = [
        m.EmbeddingRow(
            run=str(each.run),
            name=one.name,
            steps=[state.step for state in one.states],
            problem=one.states[-1].problem or None,
            has_sprite=any(state.sprite is not None for state in one.states),
            has_bookmarks=any(state.bookmarks for state in one.states),
        )
        for each in listed
        for one in each.embeddings
    ]
    problems = [m.ListProblem(str(each.run), problem) for each in listed for problem in each.problems]
    return m.EmbeddingsAnswer(context.reads.library.snapshot.epoch, rows, problems, missing("tsne"), missing("umap"))


def points(context: RequestContext, request: m.PointsRequest, _: Mapping[str, str]) -> Waiting:
    """Opens an embedding: its points and what is known about them."""

    def work(job: Job[Frame]) -> Frame:
        job.report(0, None, "", "Reading vectors")
        return _points_frame(_opened(context, request))

    job = context.jobs.submit(
        None, f"Open {request.name}", work, owner=context.user.id, lease=_LEASE, keep=False, result_at=f"{_POINTS}/{{id}}"
    )
    return _waiting(job, m.PointsHeader)


def opened_points(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """Points of an embedding that takes longer to read than a request."""
    return _waiting(_found(context, _POINTS, path["id"]), m.PointsHeader)


def _points_frame(opened: Opened) -> Frame:
    builder = FrameBuilder()
    columns: list[m.MetadataColumn] = []
    for column in opened.columns:
        arrays: dict[str, Any] = {} if column.numbers is None else {"numbers": column.numbers}
        if column.kind == "classes":
            arrays["codes"] = column.codes
        else:
            texts = [text.encode() for text in column.texts]
            arrays["text"] = np.frombuffer(b"".join(texts), np.uint8)
            arrays["ends"] = np.cumsum([len(text) for text in texts], dtype=np.int64).astype(np.int32)
        columns.append(m.MetadataColumn(column.name, column.kind, list(column.classes), builder.add(m.ColumnPlaces, arrays)))
    vectors, sprite = opened.vectors, opened.state.sprite
    header = m.PointsHeader(
        job=None,
        points=len(vectors.values),
        total=vectors.total,
        dimensions=vectors.values.shape[1],
        sprite=None if sprite is None else m.SpriteSize(sprite.width, sprite.height),
        notices=list(opened.notices),
        metadata=columns,
        columns=builder.add(m.RowPlaces, {"rows": vectors.rows.astype(np.int32)}),
    )
    return Frame(builder.finish(header))


def layout(context: RequestContext, request: m.LayoutRequest, _: Mapping[str, str]) -> Waiting:
    """Starts a layout, or joins one that is the same; asked again by the id of its job."""
    question = _question(request)
    reads = context.reads

    def work(job: Job[Layout]) -> Layout:
        def tell(done: int, total: int | None, words: str, so_far: Layout | None) -> None:
            job.report(done, total, "iterations" if request.method == "tsne" else "epochs", words, so_far)

        job.report(0, None, "", "Reading vectors")
        opened = _opened(context, request)
        reference = None
        if request.align is not None and request.align != request.step:
            other = reads.embeddings.open(request.run, request.name, request.align)
            reference = reads.layouts.lay_out(other, question, tell)
        return reads.layouts.lay_out(opened, question, tell, reference)

    is_long = request.method in {"tsne", "umap"}
    job = context.jobs.submit(
        None,
        f"{'t-SNE' if request.method == 'tsne' else request.method.upper()} of {request.name}",
        work,
        owner=context.user.id,
        lease=_LONG_LEASE if is_long else _LEASE,
        listed=False,
        urgent=not is_long,
        keep=is_long,
        result_at=f"{_LAYOUT}/{{id}}",
    )
    return _laid_out(job)


def layout_so_far(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """A layout that is being computed: its positions so far, or all of it."""
    return _laid_out(_found(context, _LAYOUT, path["id"]))


def _laid_out(job: Job[Layout]) -> Waiting:
    def answer() -> Frame:
        if job.over and job.state is not State.CANCELLED:
            return _layout_frame(job.result(), None)
        so_far = job.progress.detail
        return _layout_frame(so_far if isinstance(so_far, Layout) else None, job_row(job))

    return Waiting(job, _WAIT, answer)


def _layout_frame(found: Layout | None, job: JobRow | None) -> Frame:
    builder = FrameBuilder()
    if found is None:
        return Frame(builder.finish(m.LayoutHeader(job)))
    in_order = bool(len(found.points)) and int(found.points[-1]) == len(found.points) - 1
    arrays: dict[str, Any] = {"positions": found.positions.reshape(-1)}
    if not in_order:
        arrays["points"] = found.points.astype(np.int32)
    header = m.LayoutHeader(
        job,
        found.positions.shape[1],
        list(found.variance),
        found.iterations,
        list(found.notices),
        builder.add(m.LayoutPlaces, arrays),
    )
    return Frame(builder.finish(header))


def neighbours(context: RequestContext, request: m.NeighboursRequest, _: Mapping[str, str]) -> m.NeighboursAnswer:
    """The nearest points of one, in the space of the vectors."""
    values = _opened(context, request).vectors.values
    if request.point >= len(values):
        raise NotThere(f"The embedding has {len(values):,} points; choose one of them.", "unknown_point")
    found, away = neighbours_of(values, request.point, request.count, request.metric)
    rows = [m.NeighbourRow(point, float(distance)) for point, distance in zip(found.tolist(), away.tolist(), strict=True)]
    return m.NeighboursAnswer(rows)


def scores(context: RequestContext, request: m.ScoresRequest, _: Mapping[str, str]) -> Waiting:
    """Measures how well the vectors separate the classes of a column."""

    def work(job: Job[m.ScoresAnswer]) -> m.ScoresAnswer:
        job.report(0, None, "", "Reading vectors")
        opened = _opened(context, request)
        column = next((one for one in opened.columns if one.name == request.column), None)
        if column is None or column.kind != "classes" or not 2 <= len(column.classes) <= MOST_CLASSES:
            raise BadInput(f"Scores need a column with 2 to {MOST_CLASSES} different values.", "bad_column")
        codes = np.where(np.array([not text for text in column.classes])[column.codes], np.int32(-1), column.codes)
        pause: Callable[[int], None] = lambda done: job.report(done, None, "points")  # noqa: E731
        values = opened.vectors.values
        found = class_scores(values, codes, len(column.classes), request.neighbours, request.metric, pause)
        rows = [_score(name, one) for name, one in zip(column.classes, found.classes, strict=True) if one.points]
        return m.ScoresAnswer(None, found.neighbours, rows, _score("", found.total))

    job = context.jobs.submit(
        None, f"Score {request.name}", work, owner=context.user.id, lease=_LEASE, keep=False, result_at=f"{_SCORES}/{{id}}"
    )
    return _scored(job)


def scores_so_far(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """Scores that take longer than a request."""
    return _scored(_found(context, _SCORES, path["id"]))


def _scored(job: Job[m.ScoresAnswer]) -> Waiting:
    return Waiting(job, _WAIT, lambda: job.result() if job.over else m.ScoresAnswer(job_row(job)))


def _score(name: str, found: ClassScore) -> m.ScoreRow:
    return m.ScoreRow(name, found.points, found.measured, found.purity, found.silhouette)


def sprite(context: RequestContext, request: m.PointsRequest, _: Mapping[str, str]) -> Media:
    """The picture that has a small one for each point."""
    data = context.reads.embeddings.sprite(request.run, request.name, request.step)
    kind = content_type(data)
    check_image(data, kind)
    return Media(data, kind, "sprite")


def bookmarks(context: RequestContext, request: m.PointsRequest, _: Mapping[str, str]) -> m.BookmarksAnswer:
    """The bookmarks that the configuration names."""
    data = context.reads.embeddings.bookmarks(request.run, request.name, request.step)
    return m.BookmarksAnswer(data.decode("utf-8", "replace"))


def upload(context: RequestContext, request: m.UploadRequest, _: Mapping[str, str]) -> m.UploadAnswer:
    """Takes a part of a file; with the last one it can be opened as an embedding of the run `upload`."""
    return m.UploadAnswer(context.reads.embeddings.uploads.take(request.upload, request.data, request.last, request.metadata))


def _opened(context: RequestContext, request: m.PointsRequest | m.LayoutRequest) -> Opened:
    return context.reads.embeddings.open(request.run, request.name, request.step)


def _question(request: m.LayoutRequest) -> Question:
    if any(axis < 0 or axis > 9 for axis in request.axes):
        raise BadInput("Components are counted from 0 to 9.", "bad_axes")
    return Question(
        method=request.method,
        components=request.components,
        axes=tuple(request.axes),
        spherize=request.spherize,
        metric=request.metric,
        only=request.only,
        perplexity=request.perplexity,
        learning_rate=request.learning_rate,
        iterations=request.iterations,
        neighbours=request.neighbours,
        min_dist=request.min_dist,
        supervision=request.supervision,
        label=request.label,
        custom=tuple((ends.left, ends.right) for ends in request.custom),
    )


def _waiting(job: Job[Frame], header: Callable[[JobRow], Any]) -> Waiting:
    return Waiting(job, _WAIT, lambda: job.result() if job.over else Frame(FrameBuilder().finish(header(job_row(job)))))


def _found(context: RequestContext, route: str, job_id: str) -> Job[Any]:
    job = context.jobs.find(job_id, context.user.id)
    if not job.result_at.startswith(f"{route}/"):
        raise NotThere("No work of the projector has this id; ask for it again.", "unknown_job")
    return job


PROJECTOR = Dashboard(
    id="projector",
    label="Projector",
    kinds=frozenset(),
    has_own=lambda context: context.reads.embeddings.has_any(),
    routes=(
        Route("GET", "/projector/embeddings", Role.VIEWER, "Embeddings of all runs", embeddings, NoFields, m.EmbeddingsAnswer),
        Route("GET", f"/{_POINTS}", Role.VIEWER, "Points of an embedding", points, m.PointsRequest, FrameOf(m.PointsHeader)),
        Route("GET", f"/{_POINTS}/{{id}}", Role.VIEWER, "Points that take long", opened_points, NoFields, FrameOf(m.PointsHeader)),
        Route("POST", f"/{_LAYOUT}", Role.VIEWER, "Positions of points", layout, m.LayoutRequest, FrameOf(m.LayoutHeader)),
        Route("GET", f"/{_LAYOUT}/{{id}}", Role.VIEWER, "Positions so far", layout_so_far, NoFields, FrameOf(m.LayoutHeader)),
        Route("GET", "/projector/neighbours", Role.VIEWER, "Nearest points", neighbours, m.NeighboursRequest, m.NeighboursAnswer),
        Route("POST", f"/{_SCORES}", Role.VIEWER, "Separation of classes", scores, m.ScoresRequest, m.ScoresAnswer),
        Route("GET", f"/{_SCORES}/{{id}}", Role.VIEWER, "Separation that takes long", scores_so_far, NoFields, m.ScoresAnswer),
        Route("GET", "/projector/sprite", Role.VIEWER, "Pictures of points", sprite, m.PointsRequest, FileOf(TYPES)),
        Route("GET", "/projector/bookmarks", Role.VIEWER, "Saved bookmarks", bookmarks, m.PointsRequest, m.BookmarksAnswer),
        Route("POST", "/projector/upload", Role.VIEWER, "Upload vectors", upload, m.UploadRequest, m.UploadAnswer),
    ),
)
