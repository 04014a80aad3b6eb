"""Every format Stepscope reads, in the order they are tried."""

from __future__ import annotations

from stepscope.formats.format import Format, ProfileFormat
from stepscope.formats.kineto import FORMAT as KINETO
from stepscope.formats.memory_snapshot import FORMAT as MEMORY_SNAPSHOT
from stepscope.formats.perfetto import FORMAT as PERFETTO
from stepscope.formats.pprof import FORMAT as PPROF
from stepscope.formats.run_metadata import FORMAT as RUN_METADATA
from stepscope.formats.tfevents import FORMAT as TFEVENTS
from stepscope.formats.tfprof import FORMAT as TFPROF
from stepscope.formats.torch_memory import FORMAT as TORCH_MEMORY
from stepscope.formats.xplane import FORMAT as XPLANE

FORMATS: tuple[Format | ProfileFormat, ...] = (
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

PROFILE_FORMATS: tuple[ProfileFormat, ...] = tuple(one for one in FORMATS if isinstance(one, ProfileFormat))
