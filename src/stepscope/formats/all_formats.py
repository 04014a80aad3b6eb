"""Every format Stepscope reads, in the order they are tried."""

from __future__ import annotations

from stepscope.formats.format import Format
from stepscope.formats.tfevents import FORMAT as TFEVENTS

FORMATS: tuple[Format, ...] = (TFEVENTS,)
