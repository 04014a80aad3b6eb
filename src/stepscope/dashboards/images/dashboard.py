"""The routes of images: which tags and runs have them, at which steps, and one image as a browser may show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.logged_values import (
    SampleRequest,
    StepsHeader,
    StepsRequest,
    TagsAnswer,
    read_payload,
    steps_of_series,
    tags_of_kind,
)
from stepscope.dashboards.questions import FoldRequest
from stepscope.dashboards.route import Dashboard, FileOf, Frame, FrameOf, Media, Role, Route
from stepscope.model import declared as d
from stepscope.model.kinds import Kind
from stepscope.queries.image_encoding import TYPES, check_image, content_type
from stepscope.queries.image_values import image_count, image_value


class ImageFacts(Struct, frozen=True, rename="kebab"):
    """What the answer's headers say about an image."""

    x_logged_size: Annotated[str, d.text("Width and height as logged, such as `640x480`; zeros when they were not logged.")]
    x_samples: Annotated[int, d.count("Number of images in the value.")]


def image_tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with images and the runs that have it."""
    return tags_of_kind(context, request, Kind.IMAGE)


def image_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.IMAGE, image_count)


def image(context: RequestContext, request: SampleRequest, _: Mapping[str, str]) -> Media:
    """One image, read from its log file now; what is no image of a known type is answered as a file to save."""
    value = image_value(read_payload(context, request, Kind.IMAGE))
    data = value.sample(request.sample)
    kind = content_type(data)
    check_image(data, kind)
    facts = ImageFacts(f"{value.width}x{value.height}", len(value.samples))
    ending = kind.removeprefix("image/") if kind.startswith("image/") else "bin"
    return Media(data, kind, f"image.{ending}", request.wall is not None, facts)


IMAGES = Dashboard(
    id="images",
    label="Images",
    kinds=frozenset({Kind.IMAGE}),
    routes=(
        Route("GET", "/images/tags", Role.VIEWER, "Tags with images", image_tags, FoldRequest, TagsAnswer),
        Route("POST", "/images/steps", Role.VIEWER, "Every step of series", image_steps, StepsRequest, FrameOf(StepsHeader)),
        Route("GET", "/images/image", Role.VIEWER, "One image", image, SampleRequest, FileOf(TYPES, ImageFacts)),
    ),
)
