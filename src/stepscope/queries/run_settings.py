"""The settings of all runs at once, for columns and filters of the run list: hyperparameters from the loaded files, and hosts."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from msgspec import Struct

from stepscope._native import EventFile
from stepscope.model import declared as d
from stepscope.model.kinds import Kind
from stepscope.queries.folding import SESSION_START
from stepscope.queries.hyperparameters import logged_in
from stepscope.queries.run_about import hosts_of
from stepscope.queries.view import ShownRun, View, Views

MOST_VALUES = 300_000
"""Values of all runs in one answer."""
LONGEST = 200
"""Characters of one value: the run's own page has all of it."""
_KEPT_FILES = 20_000


class RunSettings(Struct, frozen=True):
    """The settings of one run."""

    id: Annotated[str, d.text("Id of the run.")]
    values: Annotated[dict[str, str], d.nested("Logged hyperparameters by name, as text of at most 200 characters.")]
    hosts: Annotated[list[str], d.nested("Hosts in the names of its event files.")]


class SettingsReader:
    """Reads the records that hold hyperparameters, and each of them once."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._known: dict[int, tuple[EventFile, int, dict[str, str]]] = {}

    def all_runs(self, view: View) -> list[RunSettings]:
        """Of every run of the view, in its order; those beyond MOST_VALUES have no values."""
        tag = self._views.library.names.find(SESSION_START)
        found: list[RunSettings] = []
        left = MOST_VALUES
        for run in view.runs:
            values = dict(islice(self._values(run, tag).items(), left))
            left -= len(values)
            found.append(RunSettings(str(run.record.id), values, hosts_of(run)))
        return found

    def _values(self, run: ShownRun, tag: int) -> dict[str, str]:
        values: dict[str, str] = {}
        for file in run.files() if tag >= 0 else ():
            values.update(self._of_file(file.events, tag))
        return values

    def _of_file(self, events: EventFile, tag: int) -> dict[str, str]:
        """What one file logs, asked again only when it has logged more of it."""
        index = events.find(tag, Kind.HPARAMS)
        if index < 0:
            return {}
        count = len(events.blobs(index)[0])
        known = self._known.get(id(events))
        if known is None or known[0] is not events or known[1] != count:
            if len(self._known) >= _KEPT_FILES:
                self._known.clear()
            values = {name: value[:LONGEST] for name, value in logged_in(events, tag).items()}
            known = self._known[id(events)] = (events, count, values)
        return known[2]
