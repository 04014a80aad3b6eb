"""The reads that routes share, so that what one keeps in memory serves all."""

from __future__ import annotations

from typing import Any

from stepscope.embeddings.layouts import Layouts
from stepscope.embeddings.reader import EmbeddingReader
from stepscope.graphs.reader import GraphReader
from stepscope.jobs.queue import JobQueue
from stepscope.model.hlo import HloProgram
from stepscope.queries.blobs import BlobReader
from stepscope.queries.histograms import HistogramReader
from stepscope.queries.hparams.reader import HparamsReader
from stepscope.queries.meshes import MeshReader
from stepscope.queries.overview import OverviewReader
from stepscope.queries.run_settings import SettingsReader
from stepscope.queries.series import SeriesReader
from stepscope.queries.tags import TagReader
from stepscope.queries.value_columns import ColumnReader
from stepscope.queries.view import Views
from stepscope.session.kept_answers import KeptAnswers
from stepscope.session.part import Wanted
from stepscope.session.reader import SessionReader
from stepscope.store.kept import Kept
from stepscope.store.library import Library

TABLE_BYTES = 512 << 20
"""Bytes of tables of SQL that are kept for the next query."""


class Reads:
    """Everything that can be asked of one library."""

    def __init__(self, library: Library, jobs: JobQueue | None = None, kept: KeptAnswers | None = None) -> None:
        self.library = library
        self.views = Views(library)
        self.tags = TagReader(self.views)
        self.series = SeriesReader()
        self.columns = ColumnReader(self.series)
        self.settings = SettingsReader(self.views)
        self.hparams = HparamsReader(self.views, self.tags, self.columns, self.series)
        self.overview = OverviewReader(self.views, self.tags)
        self.blobs = BlobReader(self.views, self.tags)
        self.histograms = HistogramReader(self.blobs)
        self.meshes = MeshReader(self.blobs)
        self.sessions = SessionReader(library, kept, jobs=jobs)
        self.embeddings = EmbeddingReader(library)
        self.layouts = Layouts(kept)
        self.graphs = GraphReader(self.views, self.blobs, self._programs)
        self.tables: Kept[tuple[Any, tuple[str, ...]]] = Kept(TABLE_BYTES)
        """Tables that SQL maps, with notes on what they leave out."""

    def _programs(self, session: str) -> list[HloProgram]:
        """The compiled programs of all workers of a session, each name once. Raises NotThere."""
        analysed = self.sessions.analysed(self.sessions.find(session).timed(), Wanted())
        found = (program for place in range(len(analysed.workers)) for program in analysed.programs(place)[0])
        return list({program.name: program for program in found}.values())
