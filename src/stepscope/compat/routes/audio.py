"""TensorBoard's audio plugin: every step of every sound."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from stepscope.compat.blob_keys import BlobKey, blob_key, value_of
from stepscope.compat.json_text import answer
from stepscope.compat.logged import Logged, found_one
from stepscope.compat.media_values import samples_at, series_of, tags_answer
from stepscope.compat.route import BYTES, Answer, Body, Question, plugin_route
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.audio_values import audio_count, audio_value

PLUGIN = "audio"
_WAV = "audio/wav"
_ENCODING, _IS_WAV = 2, 11
"""The field of the plugin's content that says how sounds are encoded, and what it says of WAV."""


def _type_of(one: Logged) -> str:
    if not one.content:
        return _WAV  # an old message, which is always WAV
    try:
        is_wav = any(field.id == _ENCODING and field.number == _IS_WAV for field in fields(one.content))
    except BadMessage:
        return BYTES
    return _WAV if is_wav else BYTES


def _tags(served: Served, _: Question) -> Answer:
    return tags_answer(served, PLUGIN, audio_count)


def _audio(served: Served, question: Question) -> Answer:
    one = found_one(served, PLUGIN, *question.run_and_tag())
    sample = question.whole("sample", 0)
    content_type = _type_of(one)
    found: list[dict[str, Any]] = []
    series = series_of(served, one)
    for place, (step, wall) in enumerate(zip(series.step.tolist(), series.wall.tolist(), strict=True)):
        if sample < samples_at(served, series, place, audio_count):
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
