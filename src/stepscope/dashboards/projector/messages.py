"""What the routes of the projector take and answer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, field

from stepscope.dashboards.frame import Placed
from stepscope.dashboards.job_routes import JobRow
from stepscope.dashboards.questions import RunText
from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch, Notices, RunKey

NameText = Annotated[str, Meta(max_length=10_000, description="Name of the embedding.")]
Step = Annotated[int | None, d.step("Step of the embedding; null: its last one.")]
Points = Annotated[
    bytes, Meta(max_length=200_000, description="A bit for each point, lowest bit first, in base64; empty for all points.")
]
MetricName = Annotated[Literal["cosine", "euclidean"], d.text("How distance is measured.")]


class EmbeddingRow(Struct, frozen=True):
    """One embedding of a run."""

    run: RunKey
    name: Annotated[str, d.text("Name of the embedding.")]
    steps: Annotated[list[int | None], d.step("Steps at which it was logged, ascending; null when none is known.")]
    problem: Annotated[str | None, d.text("Why its last step cannot be shown; null when nothing is known to be wrong.")]
    has_sprite: Annotated[bool, d.flag("Whether its points have pictures.")]
    has_bookmarks: Annotated[bool, d.flag("Whether bookmarks were saved with it.")]


class ListProblem(Struct, frozen=True):
    """What is wrong with the configuration of a run."""

    run: RunKey
    problem: Annotated[str, d.text("What is wrong, in a sentence.")]


class EmbeddingsAnswer(Struct, frozen=True):
    """The embeddings of all runs."""

    epoch: Epoch
    embeddings: Annotated[list[EmbeddingRow], d.nested("By run, in the order of the configuration.")]
    problems: Annotated[list[ListProblem], d.nested("Configurations that cannot be read, or only in part.")]
    tsne: Annotated[str | None, d.text("Why t-SNE cannot be computed, and what to install; null when it can.")]
    umap: Annotated[str | None, d.text("Why UMAP cannot be computed, and what to install; null when it can.")]


class PointsRequest(Struct, frozen=True):
    """Which embedding."""

    run: RunText
    name: NameText
    step: Step = None


class ColumnPlaces(Struct, frozen=True):
    """The values of one metadata column: classes or texts, and numbers when all values are numbers."""

    codes: Annotated[Placed, d.binary("i32", "Class of each point; only for classes.", "index")] = UNSET
    text: Annotated[Placed, d.binary("u8", "UTF-8 of all texts, one after the other; only for texts.", "byte")] = UNSET
    ends: Annotated[Placed, d.binary("i32", "Where the text of each point ends; only for texts.", "byte")] = UNSET
    numbers: Annotated[Placed, d.binary("f64", "The value of each point; NaN where there is none.", "as logged")] = UNSET


class MetadataColumn(Struct, frozen=True):
    """One metadata column."""

    name: Annotated[str, d.text("Name of the column.")]
    kind: Annotated[Literal["classes", "texts"], d.text("`classes` when at most 2,000 values differ, else `texts`.")]
    classes: Annotated[list[str], d.nested("The different values, most frequent first; empty for texts.")]
    columns: Annotated[ColumnPlaces, d.nested("Its values.")]


class RowPlaces(Struct, frozen=True):
    """What is known of every point."""

    rows: Annotated[Placed, d.binary("i32", "Row of the file that each point is, counted from 0.", "index")] = UNSET


class SpriteSize(Struct, frozen=True):
    """Size of the picture of one point in the sprite image."""

    width: Annotated[int, d.number("Width.", "px")]
    height: Annotated[int, d.number("Height.", "px")]


class PointsHeader(Struct, frozen=True):
    """Header of the frame of an embedding's points and what is known about them."""

    job: Annotated[JobRow | None, d.nested("The job while it reads, and then everything else is empty; null when done.")]
    points: Annotated[int, d.count("Points that are kept.")] = 0
    total: Annotated[int, d.count("Points in the file; more than are kept when it is thinned out evenly.")] = 0
    dimensions: Annotated[int, d.count("Dimensions of each vector.")] = 0
    sprite: Annotated[SpriteSize | None, d.nested("Pictures of points; null without.")] = None
    notices: Notices = []
    metadata: Annotated[list[MetadataColumn], d.nested("Metadata columns, in the order of the file.")] = []
    columns: Annotated[RowPlaces, d.nested("Columns of every point.")] = RowPlaces()


class AxisEnds(Struct, frozen=True, forbid_unknown_fields=True):
    """The points whose means are the ends of a custom axis."""

    left: Points = b""
    right: Points = b""


class LayoutRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which embedding, and how it is laid out."""

    run: RunText
    name: NameText
    step: Step = None
    method: Annotated[Literal["pca", "tsne", "umap", "custom"], d.text("How positions are computed.")] = "pca"
    components: Annotated[Literal[2, 3], d.count("Dimensions of the picture.")] = 3
    axes: Annotated[list[int], Meta(max_length=3), d.number("Principal components to draw, counted from 0.", "index")] = field(
        default_factory=lambda: [0, 1, 2]
    )
    spherize: Annotated[bool, d.flag("Whether vectors are centred and scaled to length one first.")] = False
    metric: MetricName = "euclidean"
    only: Points = b""
    perplexity: Annotated[float, Meta(ge=1, le=10_000), d.unitless("t-SNE: effective number of neighbours.")] = 30.0
    learning_rate: Annotated[
        Annotated[float, Meta(gt=0, le=1e6)] | None, d.unitless("t-SNE: learning rate; null: the number of points divided by 12.")
    ] = None
    iterations: Annotated[int, Meta(ge=1, le=100_000), d.count("t-SNE: iterations.")] = 1_000
    neighbours: Annotated[int, Meta(ge=2, le=1_000), d.count("UMAP: neighbours of each point.")] = 15
    min_dist: Annotated[float, Meta(ge=0, le=1), d.unitless("UMAP: smallest distance between points.")] = 0.1
    supervision: Annotated[float, Meta(ge=0, le=1), d.fraction("Weight of the labels in t-SNE and UMAP.")] = 0.0
    label: Annotated[str, Meta(max_length=10_000), d.text("Metadata column with the labels.")] = ""
    custom: Annotated[list[AxisEnds], Meta(max_length=3), d.nested("Custom axes.")] = []
    align: Annotated[int | None, d.step("Step whose layout this one is rotated to match; null: none.")] = None


class LayoutPlaces(Struct, frozen=True):
    """Positions of points."""

    positions: Annotated[Placed, d.binary("f32", "Coordinates, `components` for each point.", "1")] = UNSET
    points: Annotated[Placed, d.binary("i32", "Which point each is; empty when all are in order.", "index")] = UNSET


class LayoutHeader(Struct, frozen=True):
    """Header of the frame of a layout; while the job runs, of the positions so far."""

    job: Annotated[JobRow | None, d.nested("The job while it runs; null when done.")]
    components: Annotated[int, d.count("Coordinates of each point.")] = 0
    variance: Annotated[list[float], d.fraction("PCA: share of the variance along each of the first ten components.")] = []
    iterations: Annotated[int, d.count("t-SNE: iterations that are done.")] = 0
    notices: Notices = []
    columns: Annotated[LayoutPlaces, d.nested("Columns.")] = LayoutPlaces()


class NeighboursRequest(PointsRequest, frozen=True):
    """The neighbours of which point."""

    point: Annotated[int, Meta(ge=0), d.number("The point.", "index")] = 0
    count: Annotated[int, Meta(ge=1, le=1_000), d.count("How many neighbours.")] = 20
    metric: MetricName = "cosine"


class NeighbourRow(Struct, frozen=True):
    """One neighbour."""

    point: Annotated[int, d.number("The point.", "index")]
    distance: Annotated[float, d.unitless("Cosine distance (1 − cosine similarity) or Euclidean distance.")]


class NeighboursAnswer(Struct, frozen=True):
    """Nearest points in the space of the vectors."""

    neighbours: Annotated[list[NeighbourRow], d.nested("Nearest first.")]


class ScoresRequest(PointsRequest, frozen=True, forbid_unknown_fields=True):
    """Scores of which column."""

    column: Annotated[str, Meta(max_length=10_000), d.text("Metadata column with the classes; at most 500 may differ.")] = ""
    neighbours: Annotated[int, Meta(ge=1, le=1_000), d.count("Neighbours of each point.")] = 10
    metric: MetricName = "cosine"


class ScoreRow(Struct, frozen=True):
    """Scores of one class."""

    name: Annotated[str, d.text("The class.")]
    points: Annotated[int, d.count("Points of it.")]
    measured: Annotated[int, d.count("Points that were measured against all others; the scores are means over them.")]
    purity: Annotated[float | None, d.fraction("Mean share of a point's nearest neighbours in its class; null without any.")]
    silhouette: Annotated[float | None, d.unitless("Mean silhouette, −1 to 1; null with a single class.")]


class ScoresAnswer(Struct, frozen=True):
    """How well the vectors separate classes."""

    job: Annotated[JobRow | None, d.nested("The job while it runs; null when done.")]
    neighbours: Annotated[int, d.count("Neighbours that purity looked at.")] = 0
    classes: Annotated[list[ScoreRow], d.nested("By number of points.")] = []
    total: Annotated[ScoreRow | None, d.nested("All points; null while the job runs.")] = None


class BookmarksAnswer(Struct, frozen=True):
    """Bookmarks that were saved with an embedding."""

    text: Annotated[str, d.text("The file as it is: JSON, as TensorBoard saves it.")]


class UploadRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a file with vectors: TSV or .npy."""

    upload: Annotated[str, Meta(max_length=64), d.text("Name of the upload, as the first part was answered; empty for the first part.")]
    data: Annotated[bytes, Meta(max_length=6 << 20, description="The part, in base64.")]
    last: Annotated[bool, d.flag("Whether the file ends with it.")]
    metadata: Annotated[bytes, Meta(max_length=6 << 20, description="With the last part: a TSV file of metadata, in base64.")] = b""


class UploadAnswer(Struct, frozen=True):
    """What an upload is called: the name of an embedding of the run `upload`."""

    upload: Annotated[str, d.text("Name of the upload.")]
