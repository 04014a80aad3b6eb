"""What a file says of a span beside the columns, read when an analysis asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from stepscope.model.errors import StepscopeError
from stepscope.model.profile import Profile

ReadAttributes: TypeAlias = Callable[[Profile, int], Mapping[str, object]]
"""Every attribute of the span in a row, read from the file when asked for. Raises StepscopeError."""


def attributes_of(profile: Profile, row: int, attributes: ReadAttributes) -> Mapping[str, object]:
    """What the file says of a span; nothing when it was moved or cut since, because the times still hold."""
    try:
        return attributes(profile, row)
    except StepscopeError:
        return {}
