"""Every format Stepscope reads, in the order they are tried."""

from __future__ import annotations

from stepscope.formats.format import EmbeddingFiles, EventFormat, ProfileFormat, RunFileFormat
from stepscope.model.registry import member

_NAMES = (
    "tfevents",
    "xplane",
    "kineto",
    "perfetto",
    "run_metadata",
    "tfprof",
    "pprof",
    "memory_snapshot",
    "torch_memory",
    "projector",
    "graph_def",
    "keras_model",
    "onnx",
    "torch_export",
)

FORMATS: tuple[EventFormat | ProfileFormat | RunFileFormat, ...] = tuple(
    member(f"stepscope.formats.{name}", "FORMAT", (EventFormat, ProfileFormat, RunFileFormat)) for name in _NAMES
)

EVENT_FORMATS: tuple[EventFormat, ...] = tuple(one for one in FORMATS if isinstance(one, EventFormat))
PROFILE_FORMATS: tuple[ProfileFormat, ...] = tuple(one for one in FORMATS if isinstance(one, ProfileFormat))
RUN_FILE_FORMATS: tuple[RunFileFormat, ...] = tuple(one for one in FORMATS if isinstance(one, RunFileFormat))


def profile_format(format_id: str) -> ProfileFormat | None:
    """The profile format with that id (`Profile.format`); None when there is none."""
    return next((known for known in PROFILE_FORMATS if known.id == format_id), None)


def embedding_files(format_id: str) -> EmbeddingFiles | None:
    """How files of that format (`RunFile.format`) are read when they list embeddings; None when they do not."""
    return next((known.embeddings for known in RUN_FILE_FORMATS if known.id == format_id), None)
