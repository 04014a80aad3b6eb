"""The longest span of a name and of a track (`longest`)."""

from __future__ import annotations

from stepscope._native import ProfileBuilder
from stepscope.analyses.timeline.longest import longest_of_name, longest_on_track
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.profile import SpanKind, TrackRole


def test_the_longest_of_a_name_may_be_on_another_track() -> None:
    builder = ProfileBuilder()
    for name, spans in (("one", [(0, 10, "a"), (20, 50, "b"), (60, 64, "a")]), ("other", [(0, 12, "a"), (30, 31, "a")])):
        track = builder.add_track(name, TrackRole.THREAD)
        for start, end, text in spans:
            builder.add_span(track, start, end, text, SpanKind.OTHER)
    profile = profile_from_columns(builder.finish(), format="test", path="x")
    lengths = (profile.spans.end - profile.spans.start).tolist()
    for row, name in enumerate(profile.spans.name.tolist()):
        assert lengths[longest_of_name(profile, row)] == {"a": 12, "b": 30}[profile.names[name]]
        on_track = longest_on_track(profile, row)
        assert profile.spans.track[on_track] == profile.spans.track[row]
        assert lengths[on_track] == {"one": 30, "other": 12}[profile.tracks[int(profile.spans.track[row])].name]
