"""What the routes of images take and answer."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from stepscope.dashboards.frame import Column

MAX_SERIES = 500
MAX_STEPS = 4_000_000
"""Steps over all series of one answer."""

RunText = Annotated[str, Meta(max_length=64)]
TagText = Annotated[str, Meta(max_length=10_000)]
_LIMITED: dict[str, Any] = {"maxItems": MAX_SERIES}


class ImageTagsRequest(Struct, frozen=True):
    """Whether torch's sub-folders are shown inside their parent."""

    fold: bool = True


class ImageTag(Struct, frozen=True):
    """A tag: places in the answer's list of runs, and how many steps each of those runs has."""

    name: str
    runs: list[int]
    values: list[int]


class ImageTagsAnswer(Struct, frozen=True):
    """Every tag with images; `total` counts series, also those that are not listed."""

    epoch: int
    runs: list[str]
    tags: list[ImageTag]
    total: int


class ImageSeriesName(Struct, frozen=True, forbid_unknown_fields=True):
    """A run's id and a tag's name."""

    run: RunText
    tag: TagText


class ImageStepsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series."""

    series: Annotated[list[ImageSeriesName], Meta(extra_json_schema=_LIMITED)]
    fold: bool = True


class ImageSteps(Struct, frozen=True):
    """One series in the frame's header. `samples` is of its last value, `origin` is where relative time begins."""

    run: str
    tag: str
    samples: int
    origin: float
    columns: dict[str, Column]


class ImageStepsHeader(Struct, frozen=True):
    """The frame's header."""

    epoch: int
    series: list[ImageSteps]


class ImageRequest(Struct, frozen=True):
    """One image: the value at a step, logged at a wall time (none: the last at that step), and which of its images."""

    run: RunText
    tag: TagText
    step: float
    wall: float | None = None
    sample: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    fold: bool = True
