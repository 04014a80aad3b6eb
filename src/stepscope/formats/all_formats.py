"""Every format Stepscope reads, in the order they are tried."""

from __future__ import annotations

from stepscope.formats.format import EventFormat, ProfileFormat, RunFileFormat
from stepscope.formats.kineto import FORMAT as KINETO
from stepscope.formats.memory_snapshot import FORMAT as MEMORY_SNAPSHOT
from stepscope.formats.perfetto import FORMAT as PERFETTO
from stepscope.formats.pprof import FORMAT as PPROF
from stepscope.formats.run_metadata import FORMAT as RUN_METADATA
from stepscope.formats.tfevents import FORMAT as TFEVENTS
from stepscope.formats.tfprof import FORMAT as TFPROF
from stepscope.formats.torch_memory import FORMAT as TORCH_MEMORY
from stepscope.formats.xplane import FORMAT as XPLANE

FORMATS: tuple[EventFormat | ProfileFormat | RunFileFormat, ...] = (
    TFEVENTS,
    XPLANE,
    KINETO,
    PERFETTO,
    RUN_METADATA,
    TFPROF,
    PPROF,
    MEMORY_SNAPSHOT,
    TORCH_MEMORY,
)

EVENT_FORMATS: tuple[EventFormat, ...] = tuple(one for one in FORMATS if isinstance(one, EventFormat))
PROFILE_FORMATS: tuple[ProfileFormat, ...] = tuple(one for one in FORMATS if isinstance(one, ProfileFormat))
RUN_FILE_FORMATS: tuple[RunFileFormat, ...] = tuple(one for one in FORMATS if isinstance(one, RunFileFormat))


def profile_format(format_id: str) -> ProfileFormat | None:
    """The profile format with that id (`Profile.format`); None when there is none."""
    return next((known for known in PROFILE_FORMATS if known.id == format_id), None)
