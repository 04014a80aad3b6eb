"""What every format says of itself.

The module that declares a format imports what reads it only when a file is read: most log folders have no profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stepscope.model.kinds import Kind

if TYPE_CHECKING:
    from stepscope._native import EventFile, NamePool
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.embedding import Bounds, EmbeddingList, EmbeddingState, PointTable, Vectors
    from stepscope.model.executed import ExecutedStep
    from stepscope.model.graph import GraphSet
    from stepscope.model.hlo import HloProgram
    from stepscope.model.node_costs import CostNode
    from stepscope.model.profile import Note, Profile
    from stepscope.model.program_buffers import ProgramBuffers
    from stepscope.model.span_kinds import KindRow

SNIFF_BYTES = 64 << 10
"""Traces may begin with twenty kilobytes of what users noted about them."""


@dataclass(frozen=True, slots=True)
class EventFormat:
    """A format of files that are followed while a run writes them. Names choose candidates and content decides."""

    id: str
    title: str
    is_candidate: Callable[[str], bool]
    """Whether a file of that base name may have the format."""
    sniff: Callable[[bytes], bool]
    """Whether a file that begins with these bytes (as many as SNIFF_BYTES, fewer for a short file) has the format."""
    open: Callable[[str, NamePool], EventFile]
    """A reader of the file that has read nothing yet."""


@dataclass(frozen=True, slots=True)
class EmbeddingFiles:
    """How a format that lists embeddings is read."""

    listed: Callable[[str], EmbeddingList]
    """What a file lists, and what is wrong with it; never raises."""
    vectors: Callable[[EmbeddingState, Bounds], Vectors]
    """The vectors of one embedding at one step. Raises BadInput or NotThere."""
    metadata: Callable[[EmbeddingState, Vectors], PointTable]
    """What is known about its points. Raises BadInput or NotThere."""


@dataclass(frozen=True, slots=True)
class RunFileFormat:
    """A format of other files that belong to a run. They are listed with it, and read by whoever shows them."""

    id: str
    title: str
    is_candidate: Callable[[str], bool]
    """Whether a file of that base name may have the format."""
    sniff: Callable[[bytes, str], bool]
    """Whether content that begins with these bytes has the format; the base name is the second argument."""
    embeddings: EmbeddingFiles | None = None
    """How it is read when it lists embeddings; None when it does not."""
    graphs: Callable[[StoredBytes, str], GraphSet] | None = None
    """Reads the graphs of a model; the base name may tell versions of the format apart. Raises BadInput. None when it has none."""
    graph_tags: frozenset[str] = frozenset()
    """Tags of event files whose values are such graphs as they are, whatever they begin with."""


_SMALL_BYTES = 256 << 20
_SMALL_SPANS = 4_000_000
"""Content, and rows of each table, that any compressed file may have."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one profile may ask for. Files are hostile: a reader stops with TooMuch rather than go beyond."""

    bytes: int = 8 << 30
    """Of content, after decompression."""
    ratio: int = 400
    """Decompressed to compressed size, from where on a file is taken for a bomb; trace JSON stays below 60."""
    spans: int = 100_000_000
    names: int = 1_000_000
    """Distinct texts; analyses look at each, and no program has nearly as many names."""

    def of_compressed(self, size: int) -> Limits:
        """Those of a compressed file of that size, which must not fill the memory: several times what profilers write.

        Trace JSON unpacks to less than 60 times its size, and no profiler needs as few as two compressed bytes for a span. Who has
        raised the ratio trusts the file.
        """
        if self.ratio > Limits().ratio:
            return self
        return replace(
            self,
            bytes=min(self.bytes, max(_SMALL_BYTES, 100 * size)),
            spans=min(self.spans, max(_SMALL_SPANS, size // 2)),
            names=min(self.names, max(_SMALL_SPANS, size // 2)),
        )


@dataclass(frozen=True, slots=True)
class LoggedProfiles:
    """How profiles of a format are logged in event files, as values of one kind of series."""

    kind: Kind
    content: Callable[[bytes], bytes]
    """The profile in the bytes of a logged value."""
    has_times: Callable[[bytes], bool]
    """Whether a profile records any time. Raises BadMessage."""
    read: Callable[[bytes, str, Limits], Profile]
    """Reads a profile; the path names the event file that it was found in."""


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """A format of profiles: one file holds one process's recording."""

    id: str
    title: str
    is_candidate: Callable[[str], bool]
    """Whether a file of that base name may hold the format, when a log folder is scanned."""
    sniff: Callable[[bytes, str], bool]
    """Whether content that begins with these bytes holds the format; the base name may only break ties.

    The bytes are as many as SNIFF_BYTES, fewer for a short file, and those of a gzip file are inflated already.
    """
    read: Callable[[str, Limits], Profile]
    """Reads a whole file, plain or gzip. Raises BadInput with one sentence when nothing of it can be read."""
    read_ranks: Callable[[str, Limits], list[Profile]] | None = None
    """Reads each rank of a file that contains several, by rank; gives none when they cannot be told apart."""
    has_steps: bool = True
    """Whether it records time that can be divided into steps; a memory profile does not."""
    read_arguments: Callable[[str, int], Mapping[str, object]] | None = None
    """Attributes of the span at `Spans.source`, as the file has them; None when the format keeps none beside the columns."""
    read_programs: Callable[[Profile, Limits], tuple[list[HloProgram], list[Note]]] | None = None
    """The compiled programs of a profile, in the file's order, and notes on those that cannot be read; None when it stores none."""
    read_plans: Callable[[Profile, Limits], tuple[list[ProgramBuffers], list[Note]]] | None = None
    """The memory that the compiler planned for each program, and notes on plans that cannot be read; None when it stores none."""
    graphs: Callable[[StoredBytes, str], GraphSet] | None = None
    """The graphs that a profile records beside its times; None when it never does. Raises BadInput."""
    executed: Callable[[StoredBytes], ExecutedStep] | None = None
    """What a profile records of the graph that was executed; None when it never does. Raises OSError."""
    costs: Callable[[StoredBytes], dict[str, CostNode]] | None = None
    """The nodes with what each step of them cost, where a file records them by node; None when it never does. Raises BadInput."""
    endings: tuple[str, ...] = ()
    """How names of its files end; without the ending they name the worker and the session."""
    sure_endings: tuple[str, ...] = ()
    """Endings that only profilers write: a file with such a name and other content is listed as broken."""
    preferred: bool = False
    """Whether its file is taken where a profiler wrote the same capture in another format too, with less in it."""
    logged: LoggedProfiles | None = None
    """How event files carry its profiles; None when they do not."""
    kind_rows: Callable[[], Iterable[KindRow]] | None = None
    """The rules by which it gives spans their kinds by name, in the order in which they are tried; None when it has none."""
