"""Deleting runs: which folders are moved to the trash, what else is in them, and what the trash has."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.errors import NotThere, StepscopeError
from stepscope.model.identity import RunId
from stepscope.queries.names import natural_key, path_text
from stepscope.queries.run_facts import run_facts
from stepscope.queries.run_status import status_of
from stepscope.queries.view import ShownRun, Views
from stepscope.store.trash import Trash, Trashed, folder_size

Roots = Mapping[str, str]
"""Paths of the log folders that are served, by name."""

_Action = Callable[[Trash, str], Trashed]


class FolderRun(Struct, frozen=True):
    """A run in a folder that is to be moved."""

    id: Annotated[str, d.text("Id of the run.")]
    name: Annotated[str, d.text("Name of the run.")]
    chosen: Annotated[bool, d.flag("Whether it was asked for; others move because they are in the folder of one that was.")]
    live: Annotated[bool, d.flag("Whether it is being written.")]


class PlannedFolder(Struct, frozen=True):
    """A folder that would be moved to the trash."""

    path: Annotated[str, d.text("Its absolute path.")]
    files: Annotated[int, d.count("Files in it, of any kind.")]
    bytes: Annotated[int, d.size("Size of these files.")]
    counted_all: Annotated[bool, d.flag("Whether there was time to count all files.")]
    runs: Annotated[list[FolderRun], d.nested("The runs in it.")]
    trash: Annotated[str, d.text("Folder that it is moved to.")]
    problem: Annotated[str | None, d.text("Why it cannot be moved, in a sentence; null when it can.")]


class TrashedFolder(Struct, frozen=True):
    """A folder in the trash."""

    id: Annotated[str, d.text("Id of the folder in the trash.")]
    root: Annotated[str, d.text("Name of its log folder; empty when only one is served.")]
    name: Annotated[str, d.text("Its path below the log folder; empty when its record is damaged.")]
    moved: Annotated[float, d.wall_time("When it was moved.")]
    by: Annotated[str, d.text("Id of the user who moved it.")]
    files: Annotated[int, d.count("Files in it when it was moved.")]
    bytes: Annotated[int, d.size("Size of these files.")]
    runs: Annotated[list[str], d.nested("Names of the runs in it, at most 1,000.")]
    path: Annotated[str, d.text("Where it is now.")]


class TrashFailure(Struct, frozen=True):
    """A folder that could not be moved or deleted."""

    path: Annotated[str, d.text("The folder.")]
    reason: Annotated[str, d.text("Why not, in a sentence.")]


@dataclass(frozen=True, slots=True)
class _Folder:
    """A run folder that is to be moved, with every run in it."""

    root: str
    path: str
    runs: tuple[ShownRun, ...]


class Trashing:
    """Plans and moves, for the runs of one library."""

    def __init__(self, views: Views, roots: Roots, now: float) -> None:
        self._disk = views.view(False)
        self._shown = views.view(True)
        self._roots = roots
        self._now = now

    def plan(self, ids: Iterable[str]) -> list[PlannedFolder]:
        """What deleting these runs would move. Raises NotThere for a run that is not there."""
        chosen = self._chosen(ids)
        planned: list[PlannedFolder] = []
        for folder in self._folders(chosen):
            files, size, counted_all = folder_size(folder.path)
            problem = self._problem(folder)
            runs = [self._row(run, chosen) for run in folder.runs]
            place = path_text(self._trash(folder.root).place)
            planned.append(PlannedFolder(path_text(folder.path), files, size, counted_all, runs, place, problem))
        return planned

    def move(self, ids: Iterable[str], also: Iterable[str], live_too: bool, by: str) -> tuple[list[TrashedFolder], list[TrashFailure]]:
        """Moves the folders of runs; `also` are further runs known to be in them. Raises NotThere.

        A folder with any other run, or with a live one that is not allowed, stays.
        """
        chosen = self._chosen(ids)
        expected = chosen | set(also)
        moved: list[TrashedFolder] = []
        failed: list[TrashFailure] = []
        for folder in self._folders(chosen):
            problem = self._problem(folder) or self._unexpected(folder, expected, live_too)
            if problem is None:
                try:
                    files, size, _ = folder_size(folder.path)
                    names = sorted((run.name for run in folder.runs), key=natural_key)
                    trashed = self._trash(folder.root).move(folder.path, by, (files, size), names)
                    moved.append(_row(folder.root, self._trash(folder.root), trashed))
                except StepscopeError as error:
                    problem = error.message
            if problem is not None:
                failed.append(TrashFailure(path_text(folder.path), problem))
        return moved, failed

    def _trash(self, root: str) -> Trash:
        return Trash(self._roots[root])

    def _row(self, run: ShownRun, chosen: set[str]) -> FolderRun:
        return FolderRun(run.record.id, run.name, run.record.id in chosen, self._is_live(run))

    def _is_live(self, run: ShownRun) -> bool:
        return status_of(run, run_facts(run), self._now)[0] in ("live", "stuck")

    def _problem(self, folder: _Folder) -> str | None:
        for root in self._roots.values():
            if (os.path.realpath(root) + os.sep).startswith(os.path.realpath(folder.path) + os.sep) and root != self._roots[
                folder.root
            ]:
                return f"{path_text(folder.path)} contains the log folder {path_text(root)}, which is served too."
        try:
            self._trash(folder.root).check(folder.path)
        except StepscopeError as error:
            return error.message
        return None

    def _unexpected(self, folder: _Folder, expected: set[str], live_too: bool) -> str | None:
        others = [run.name for run in folder.runs if run.record.id not in expected]
        if others:
            return f"{path_text(folder.path)} also contains {_some(others)}; plan again and confirm that they move too."
        live = [run.name for run in folder.runs if self._is_live(run)]
        if live and not live_too:
            return f"{_some(live)}: still being written; stop the training, or confirm that live runs move too."
        return None

    def _chosen(self, ids: Iterable[str]) -> set[str]:
        """The runs, and what is shown inside them; of that, a folder above its run only when all runs below it are chosen."""
        chosen: set[str] = set()
        above: list[ShownRun] = []
        for id_ in ids:
            chosen.add(self._disk.run(id_).record.id)
            shown = self._shown.by_id.get(RunId(id_))
            for inside in shown.inside if shown is not None else ():
                run = self._disk.run(inside.record.id)
                if _is_below(self._disk.run(id_).record.path, run.record.path):
                    above.append(run)
                else:
                    chosen.add(run.record.id)
        for run in above:
            if all(other.record.id in chosen for other in self._below(run.record.path) if other is not run):
                chosen.add(run.record.id)
        return chosen

    def _below(self, path: str) -> list[ShownRun]:
        return [run for run in self._disk.runs if run.record.path == path or _is_below(run.record.path, path)]

    def _folders(self, chosen: set[str]) -> list[_Folder]:
        """The folders of the chosen runs; one inside another is not named again."""
        found: list[_Folder] = []
        records = (run.record for run in self._disk.runs if run.record.id in chosen)
        for record in sorted(records, key=lambda record: (record.root, record.path)):
            if not any(_is_below(record.path, folder.path) for folder in found):
                found.append(_Folder(record.root, record.path, tuple(self._below(record.path))))
        return found


def list_trash(roots: Roots) -> list[TrashedFolder]:
    """What is in the trash of all log folders, newest first. Raises Refused."""
    found = [
        _row(name, trash, trashed)
        for name, path in roots.items()
        if "://" not in path
        for trash in [Trash(path)]
        for trashed in trash.listed()
    ]
    return sorted(found, key=lambda row: (-row.moved, row.id))


def restore(roots: Roots, ids: Sequence[str]) -> tuple[list[TrashedFolder], list[TrashFailure]]:
    """Moves folders back to where they were."""
    return _each(roots, ids, Trash.restore)


def delete_for_good(roots: Roots, id_: str) -> tuple[list[TrashedFolder], list[TrashFailure]]:
    """Deletes a folder in the trash."""
    return _each(roots, [id_], Trash.delete)


def _each(roots: Roots, ids: Sequence[str], action: _Action) -> tuple[list[TrashedFolder], list[TrashFailure]]:
    done: list[TrashedFolder] = []
    failed: list[TrashFailure] = []
    for id_ in dict.fromkeys(ids):
        reason = "This folder is not in the trash any more; list the trash again."
        for name, path in roots.items():
            trash = Trash(path)
            try:
                done.append(_row(name, trash, action(trash, id_)))
                break
            except NotThere:
                continue
            except StepscopeError as error:
                reason = error.message
        else:
            failed.append(TrashFailure(id_, reason))
    return done, failed


def _row(root: str, trash: Trash, trashed: Trashed) -> TrashedFolder:
    return TrashedFolder(
        id=trashed.id,
        root=path_text(root),
        name=path_text(trashed.name),
        moved=trashed.moved,
        by=trashed.by,
        files=trashed.files,
        bytes=trashed.bytes,
        runs=[path_text(run) for run in trashed.runs],
        path=path_text(os.path.join(trash.place, trashed.id)),
    )


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3:,} more"
