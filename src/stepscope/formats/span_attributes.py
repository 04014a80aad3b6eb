"""Everything the file says of one span, read from it when somebody asks: attributes are most of a file, and few are looked at."""

from __future__ import annotations

import json
import math
import os

from stepscope.formats.all_formats import PROFILE_FORMATS
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import NONE, Attribute, Profile

MOST_ATTRIBUTES = 500
LONGEST_TEXT = 16 << 10
_EXACT = 1 << 53
"""From here on a number is told as text, since readers of JSON would round it."""


def span_attributes(profile: Profile, row: int) -> dict[str, Attribute]:
    """The attributes of the span in that row, in the file's order; lists and objects as JSON. Raises BadInput or NotThere."""
    if not 0 <= row < len(profile.spans):
        raise NotThere(f"The profile has no span {row}; it has {len(profile.spans):,}, counted from 0.", "unknown_span")
    read = next((known.read_arguments for known in PROFILE_FORMATS if known.id == profile.format), None)
    source = int(profile.spans.source[row])
    if read is None or source == NONE:
        return {}
    try:
        found = read(profile.path, source)
    except FileNotFoundError as error:
        raise NotThere(f"{os.path.basename(profile.path)} no longer exists, so the span cannot be read.", "no_profile") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput(f"{os.path.basename(profile.path)} cannot be read: {reason}.", "unreadable") from error
    return {_cut(name): _plain(value) for name, value in list(found.items())[:MOST_ATTRIBUTES]}


def _plain(value: object) -> Attribute:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, int):
        return value if -_EXACT < value < _EXACT else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
