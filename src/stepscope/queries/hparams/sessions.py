"""Sessions: runs that logged hyperparameters, each with the runs in which its metrics are looked for.

A metric is looked for in the session's own run (with what is folded into it), then in its role folders and in the other roles of its
experiment, and at last beside it, where hyperparameters stand in a folder of their own:

    run-0                     hparams, score            run-0/hparams       hparams
    run-0/train               epoch_loss                run-0/train         loss
    run-0/validation          epoch_loss                run-0/validation    loss
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stepscope._native import EventFile
from stepscope.model.identity import RunId
from stepscope.queries.folding import parent_name
from stepscope.queries.hparams.records import SessionStart, Value
from stepscope.queries.names import natural_key, path_text
from stepscope.queries.view import ROLES, ShownRun, View
from stepscope.store.library import RunRecord

_ROLE_ORDER = tuple(dict.fromkeys(ROLES.values()))
_OF_SETTINGS = re.compile(r"h(?:yper)?_?param|params|config|settings", re.IGNORECASE)
"""Names of folders that are for hyperparameters: what lies beside them belongs to them, whatever its name."""


@dataclass(frozen=True, slots=True)
class Place:
    """A run of the view, by its row, in which a session's metrics are looked for."""

    label: str
    """Empty for the session's own run, otherwise its folder as seen from the session, such as `validation`."""
    row: int


@dataclass(frozen=True, slots=True)
class Session:
    """One set of hyperparameters and the places of its metrics, the own run first."""

    run: ShownRun
    values: Mapping[str, Value]
    group: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """A run of the view that logged hyperparameters: its row, the run on disk that did so, and what each of its files logged."""

    row: int
    home: RunRecord
    starts: tuple[SessionStart, ...]


def started_runs(view: View, start_in: Callable[[EventFile], SessionStart | None]) -> list[Started]:
    """Those that logged any. `start_in` gives what a file has logged, or None."""
    found: list[Started] = []
    for row, run in enumerate(view.runs):
        home: RunRecord | None = None
        starts: list[SessionStart] = []
        for record in (run.record, *(inside.record for inside in run.inside)):
            for file in record.files:
                start = start_in(file.events)
                if start is not None:
                    home = home or record
                    starts.append(start)
        if home is not None:
            found.append(Started(row, home, tuple(starts)))
    return found


def find_sessions(view: View, started: Sequence[Started], groups: Collection[str] = ()) -> list[Session]:
    """All sessions by name. `groups` are folders of metrics."""
    finder = _Finder(view)
    found = [(each.row, each.home, _joined(each.starts)) for each in started]
    found.sort(key=lambda each: (each[1].root, natural_key(each[1].name)))
    alone = Counter((home.root, parent_name(home.name)) for _, home, _ in found)
    homes = {home.id for _, home, _ in found}
    sessions: dict[tuple[object, ...], Session] = {}
    for row, home, start in found:
        run = view.runs[row]
        beside = alone[home.root, parent_name(home.name)] == 1 and not any(file.events.points for file in run.files())
        places = [Place("", row), *finder.below(row, home), *finder.same_experiment(row), *finder.named(home, groups)]
        if beside:
            places.extend(finder.beside(row, home, homes))
        # Roles of one experiment that log the same values are one session, not repetitions of each other.
        key: tuple[object, ...] = (row,)
        if run.experiment is not None:
            key = (run.record.root, run.experiment, *sorted((name, str(value)) for name, value in start.values.items()))
        known = sessions.get(key)
        if known is None:
            sessions[key] = Session(run, start.values, start.group, _distinct(places))
        else:
            sessions[key] = replace(known, places=_distinct([*known.places, *(place for place in places if place.label)]))
    return list(sessions.values())


def _joined(starts: Sequence[SessionStart]) -> SessionStart:
    """What several files of a run logged: the last value counts."""
    if len(starts) == 1:
        return starts[0]
    values: dict[str, Value] = {}
    group = ""
    for start in starts:
        values.update(start.values)
        group = start.group or group
    return SessionStart(values, group)


def _distinct(places: list[Place]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(places))


class _Finder:
    """Finds runs of a view by their names on disk."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._rows: dict[tuple[str, str], int] = {}
        self._below: dict[tuple[str, str], list[int]] = {}
        self._of_experiment: dict[tuple[str, str], list[int]] = {}
        for row, run in enumerate(view.runs):
            record = run.record
            self._rows[record.root, record.name] = row
            self._below.setdefault((record.root, parent_name(record.name)), []).append(row)
            if run.experiment is not None:
                self._of_experiment.setdefault((record.root, run.experiment), []).append(row)

    def below(self, row: int, home: RunRecord) -> Iterator[Place]:
        """Role folders directly below the run that logged the hyperparameters; the one it is shown inside too, under its own name."""
        yield from self._roles(self._below.get((home.root, home.name), []))
        if self._view.runs[row].record is not home:
            yield from self._roles([row])

    def same_experiment(self, row: int) -> Iterator[Place]:
        """The other roles of the session's experiment."""
        run = self._view.runs[row]
        if run.experiment is not None:
            others = self._of_experiment[run.record.root, run.experiment]
            yield from self._roles([other for other in others if other != row])

    def named(self, home: RunRecord, groups: Collection[str]) -> Iterator[Place]:
        """Folders that metrics name, as seen from the run that logged the hyperparameters, or else from the folder above it."""
        for group in groups:
            for name in (home.name, parent_name(home.name)):
                row = self._rows.get((home.root, group if name == "." else f"{name}/{group}"))
                if row is not None:
                    yield Place(group, row)
                    break

    def beside(self, row: int, home: RunRecord, homes: Container[RunId]) -> Iterator[Place]:
        """Role folders beside the session's; any other folder too where the session's own is named as one for settings."""
        siblings = [
            other
            for other in self._below.get((home.root, parent_name(home.name)), [])
            if other != row and self._view.runs[other].record.id not in homes
        ]
        yield from self._roles(siblings)
        if _OF_SETTINGS.search(_folder(home)):
            for other in siblings:
                yield Place(path_text(_folder(self._view.runs[other].record)), other)

    def _roles(self, rows: list[int]) -> list[Place]:
        found = [(ROLES.get(_folder(self._view.runs[row].record)), row) for row in rows]
        known = sorted((_ROLE_ORDER.index(role), row) for role, row in found if role is not None)
        return [Place(path_text(_folder(self._view.runs[row].record)), row) for _, row in known]


def _folder(record: RunRecord) -> str:
    return record.name.rpartition("/")[2]
