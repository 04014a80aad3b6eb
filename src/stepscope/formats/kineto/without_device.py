"""What operations of a PyTorch trace are where it holds no device: those that only hand out communication do not compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stepscope._native import first_fitting
from stepscope.formats.kineto.rules import WITHOUT_DEVICE, Match
from stepscope.model.profile import Profile, SpanKind, TrackRole


def handing_out_on_the_host(profile: Profile) -> Profile:
    """The profile with the kinds of WITHOUT_DEVICE, unless something was recorded on a device."""
    if not len(profile.spans) or any(track.role == TrackRole.STREAM for track in profile.tracks):
        return profile
    patterns = [rule.text + ("*" if rule.match is Match.PREFIX else "") for rule in WITHOUT_DEVICE]
    rule = first_fitting(profile.names, patterns)[profile.spans.name]
    chosen = (rule >= 0) & (profile.spans.kind == SpanKind.OP)
    if not chosen.any():
        return profile
    given = np.array([rule.result for rule in WITHOUT_DEVICE], np.int8)
    return replace(profile, spans=replace(profile.spans, kind=np.where(chosen, given[rule], profile.spans.kind)))
