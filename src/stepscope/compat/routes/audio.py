"""TensorBoard's audio plugin: every step of every sound."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from stepscope.compat.blob_keys import BlobKey, blob_key, value_of
from stepscope.compat.json_text import answer
from stepscope.compat.logged import Logged, found_one, listed
from stepscope.compat.markdown_html import markdown_html
from stepscope.compat.route import BYTES, Answer, Body, Question, plugin_route
from stepscope.compat.routes.images import looked_at
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, StepscopeError
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.audio_values import audio_count, audio_value
from stepscope.queries.blobs import BlobSeries

PLUGIN = "audio"
_WAV = "audio/wav"
_ENCODING, _IS_WAV = 2, 11
"""The field of the plugin's content that says how sounds are encoded, and what it says of WAV."""


def _series(served: Served, one: Logged) -> BlobSeries:
    return served.blobs.open(served.view(), one.run_id, one.name, one.kind)


def _count(served: Served, series: BlobSeries, place: int) -> int:
    try:
        return audio_count(served.blobs.outline(series, place))
    except StepscopeError:
        return 0  # a value that cannot be read has no sounds, and the others stay


def _most_samples(served: Served, one: Logged) -> int:
    series = _series(served, one)
    return max((_count(served, series, place) for place in looked_at(len(series))), default=0)


def _type_of(one: Logged) -> str:
    if not one.content:
        return _WAV  # an old message, which is always WAV
    try:
        is_wav = any(field.id == _ENCODING and field.number == _IS_WAV for field in fields(one.content))
    except BadMessage:
        return BYTES
    return _WAV if is_wav else BYTES


def _tags(served: Served, _: Question) -> Answer:
    return answer(
        {
            run: {
                tag: {
                    "displayName": one.display_name,
                    "description": markdown_html(one.description),
                    "samples": _most_samples(served, one),
                }
                for tag, one in tags.items()
            }
            for run, tags in listed(served, PLUGIN).items()
        }
    )


def _audio(served: Served, question: Question) -> Answer:
    one = found_one(served, PLUGIN, *question.run_and_tag())
    sample = question.whole("sample", 0)
    content_type = _type_of(one)
    found: list[dict[str, Any]] = []
    series = _series(served, one)
    for place, (step, wall) in enumerate(zip(series.step.tolist(), series.wall.tolist(), strict=True)):
        if sample < _count(served, series, place):
            key = BlobKey(PLUGIN, one.run.name, one.name, step, sample)
            query = urlencode({"blob_key": key.text, "content_type": content_type})
            found.append({"wall_time": wall, "label": "", "step": step, "contentType": content_type, "query": query})
    return answer(found)


def _individual_audio(served: Served, question: Question) -> Answer:
    content_type = question.needed("content_type")
    if content_type not in (_WAV, BYTES):
        raise BadInput(f"The content type must be {_WAV} or {BYTES}.", "bad_content_type")
    key = blob_key(question.needed("blob_key"))
    _, payload = value_of(served, key, PLUGIN)
    return Body(audio_value(payload).sample(key.place)[0], content_type)


ROUTES = (
    plugin_route(PLUGIN, "tags", "Audio tags of every run, and the most sounds of a step.", _tags),
    plugin_route(PLUGIN, "audio", "Steps of a run and tag, with a query for each sound.", _audio),
    plugin_route(PLUGIN, "individualAudio", "The bytes of a sound.", _individual_audio),
)
