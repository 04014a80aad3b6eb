"""The routes of sound: which tags and runs have it, at which steps, and one sound as a browser may play it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote

from msgspec import Struct

from stepscope.dashboards.audio.encoding import ENDINGS, TYPES, content_type
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
from stepscope.queries.audio_values import audio_count, audio_value

LONGEST_LABEL = 300


class SoundFacts(Struct, frozen=True, rename="kebab"):
    """What the answer's headers say about a sound."""

    x_label: Annotated[str, d.text("Label of the sound, percent-encoded; empty when it has none.")]
    x_samples: Annotated[int, d.count("Number of sounds in the value.")]


def audio_tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with sound and the runs that have it."""
    return tags_of_kind(context, request, Kind.AUDIO)


def audio_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.AUDIO, audio_count)


def sound(context: RequestContext, request: SampleRequest, _: Mapping[str, str]) -> Media:
    """One sound, read from its log file now; what is no sound of a known type is answered as a file to save."""
    value = audio_value(read_payload(context, request, Kind.AUDIO))
    data, label = value.sample(request.sample)
    kind = content_type(data)
    facts = SoundFacts(quote(label[:LONGEST_LABEL]), len(value.samples))
    return Media(data, kind, f"sound.{ENDINGS[kind]}", request.wall is not None, facts)


AUDIO = Dashboard(
    id="audio",
    label="Audio",
    kinds=frozenset({Kind.AUDIO}),
    routes=(
        Route("GET", "/audio/tags", Role.VIEWER, "Tags with audio", audio_tags, FoldRequest, TagsAnswer),
        Route("POST", "/audio/steps", Role.VIEWER, "Every step of series", audio_steps, StepsRequest, FrameOf(StepsHeader)),
        Route("GET", "/audio/sound", Role.VIEWER, "One sound", sound, SampleRequest, FileOf(TYPES, SoundFacts)),
    ),
)
