"""Changes since a moment, added up: what a page must fetch again."""

from __future__ import annotations

from dataclasses import dataclass, field

from stepscope.model.identity import RunId, TagId
from stepscope.store.library import MAX_NAMED_CHANGES, Change


@dataclass(slots=True)
class Changes:
    """What several publications changed, bounded: beyond the limit of names only the fact remains."""

    runs_changed: bool = False
    tags_changed: bool = False
    series: dict[RunId, set[TagId]] = field(default_factory=dict[RunId, set[TagId]])
    names: int = 0
    too_many: bool = False

    def add(self, change: Change) -> None:
        """Adds one publication."""
        self.runs_changed |= change.runs_changed
        self.tags_changed |= change.tags_changed
        if self.too_many:
            return
        for run, tags in change.series.items():
            kept = self.series.setdefault(run, set())
            before = len(kept)
            kept |= tags
            self.names += len(kept) - before
            if self.names > MAX_NAMED_CHANGES:
                self.too_many = True
                self.series = {}
                return
