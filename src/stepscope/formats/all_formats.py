"""Every format Stepscope reads, in the order they are tried."""

from __future__ import annotations

from stepscope.formats.format import Format, ProfileFormat
from stepscope.formats.tfevents import FORMAT as TFEVENTS

FORMATS: tuple[Format | ProfileFormat, ...] = (TFEVENTS,)

PROFILE_FORMATS: tuple[ProfileFormat, ...] = tuple(one for one in FORMATS if isinstance(one, ProfileFormat))
