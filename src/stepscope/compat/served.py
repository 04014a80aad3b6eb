"""What TensorBoard's routes answer from: the reads that the page's own routes use, and where the logs are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stepscope.embeddings.reader import EmbeddingReader
from stepscope.queries.blobs import BlobReader
from stepscope.queries.histograms import HistogramReader
from stepscope.queries.names import path_text
from stepscope.queries.series import SeriesReader
from stepscope.queries.view import ShownRun, View, Views


def location_of(roots: Iterable[tuple[str, str]]) -> str:
    """Names and paths of log folders as TensorBoard takes them on its command line."""
    paths = ((name, path_text(os.path.abspath(path))) for name, path in roots)
    return ",".join(f"{name}:{path}" if name else path for name, path in paths)


@dataclass(frozen=True, slots=True)
class Served:
    """Everything that is asked of one server. Runs are as on disk: TensorBoard folds none into another."""

    views: Views
    series: SeriesReader
    blobs: BlobReader
    histograms: HistogramReader
    embeddings: EmbeddingReader
    location: str
    """The log folder as TensorBoard names it."""
    title: str
    hosted: Callable[[], Mapping[str, dict[str, Any]]] = dict[str, dict[str, Any]]
    """Installed plugins as TensorBoard lists them, by name."""

    def view(self) -> View:
        """The runs of the newest snapshot, as they are on disk."""
        return self.views.view(False)

    def runs(self) -> dict[str, ShownRun]:
        """Runs that have event files, by name; TensorBoard knows no others."""
        return {run.name: run for run in self.view().runs if run.record.files}
