"""TensorBoard's images plugin: every step of every image."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from stepscope.compat.blob_keys import BlobKey, blob_key, value_of
from stepscope.compat.json_text import answer
from stepscope.compat.logged import Logged, found_one
from stepscope.compat.media_values import samples_at, series_of, tags_answer
from stepscope.compat.route import BYTES, Answer, Body, Question, plugin_route
from stepscope.compat.served import Served
from stepscope.model.errors import NotThere
from stepscope.queries.image_encoding import content_type
from stepscope.queries.image_values import image_count, image_value

PLUGIN = "images"
AHEAD = 2
"""Strings of a value in front of its images: width and height."""
SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/bmp"})
"""What TensorBoard calls an image; anything else is bytes."""


def steps_with(served: Served, one: Logged, sample: int) -> Iterator[tuple[int, float, BlobKey]]:
    """Step, wall time and key of an image at every step that has so many."""
    series = series_of(served, one)
    for place, (step, wall) in enumerate(zip(series.step.tolist(), series.wall.tolist(), strict=True)):
        if sample < samples_at(served, series, place, image_count):
            yield step, wall, BlobKey(PLUGIN, one.run.name, one.name, step, sample + AHEAD)


def image_answer(served: Served, text: str) -> Answer:
    """The bytes of one image. Raises BadInput or NotThere."""
    key = blob_key(text)
    _, payload = value_of(served, key, PLUGIN)
    if key.place < AHEAD:
        raise NotThere("This blob key names no image.", "unknown_blob")
    data = image_value(payload).sample(key.place - AHEAD)
    kind = content_type(data)
    return Body(data, kind if kind in SHOWN else BYTES)


def _tags(served: Served, _: Question) -> Answer:
    return tags_answer(served, PLUGIN, image_count)


def _images(served: Served, question: Question) -> Answer:
    one = found_one(served, PLUGIN, *question.run_and_tag())
    found = steps_with(served, one, question.whole("sample", 0))
    return answer([{"wall_time": wall, "step": step, "query": urlencode({"blob_key": key.text})} for step, wall, key in found])


def _individual_image(served: Served, question: Question) -> Answer:
    return image_answer(served, question.needed("blob_key"))


ROUTES = (
    plugin_route(PLUGIN, "tags", "Image tags of every run, and the most images of a step.", _tags),
    plugin_route(PLUGIN, "images", "Steps of a run and tag, with a query for each image.", _images),
    plugin_route(PLUGIN, "individualImage", "The bytes of an image.", _individual_image),
)
