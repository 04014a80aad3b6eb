"""Folding: which on-disk runs are shown inside their parent, and under which tag names.

Only four kinds of folder fold. The first two are made by torch, tensorboardX and our writer, the third by new_run and by the
hparams API beside a Keras callback, the fourth by people who keep hyperparameters in a folder of their own:

    run/loss_train  whose only tag is `loss`           (add_scalars)  appears in `run` as `loss/train`
    run/1699.25     with _hparams_/session_start_info  (add_hparams)  gives its tags to `run`, `loss` as `hparams/loss` if that has one
    run             with _hparams_/session_start_info above `run/train` gives its tags to `run/train`
    run/hparams     with _hparams_/session_start_info beside `run/train`, and alone in that, gives its tags to `run/train`

A folder that would hide a tag of the run it goes to stays a run, and so do several hparams folders below one parent: those
are trials of their own, and merging them would draw one line through all of them. How a session ended is no tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from stepscope._native import EventFile, NamePool
from stepscope.model.identity import RunId, TagId
from stepscope.model.kinds import Kind
from stepscope.queries.names import tag_text
from stepscope.store.library import RunRecord

SESSION_START = b"_hparams_/session_start_info"
EXPERIMENT = b"_hparams_/experiment"

_MOST_SERIES_OF_ONE_TAG = 2
"""The tag's own, and how the session ended."""

_NOT_IN_FOLDER_NAMES = re.compile(r"[^-\w.]")


@dataclass(frozen=True, slots=True)
class Inside:
    """A run shown inside another one: its tags as shown, and as they are on disk."""

    record: RunRecord
    tags: Mapping[TagId, TagId]


@dataclass(slots=True)
class _Plan:
    inside: dict[RunId, list[Inside]] = field(default_factory=dict[RunId, list[Inside]])
    taken: dict[RunId, set[TagId]] = field(default_factory=dict[RunId, set[TagId]])
    folded: set[RunId] = field(default_factory=set[RunId])

    def add(self, parent: RunRecord, child: RunRecord, tags: Mapping[TagId, TagId]) -> None:
        """Shows child inside parent, unless that would hide a tag."""
        taken = self.taken.setdefault(parent.id, set())
        if any(tag in taken or _has_tag(parent, tag) for tag in tags):
            return
        taken.update(tags)
        self.inside.setdefault(parent.id, []).append(Inside(child, tags))
        self.folded.add(child.id)


def has_series(run: RunRecord, tag: int, kind: Kind = Kind.SCALAR) -> bool:
    """Whether any file of the run has a series of that tag and kind."""
    return tag >= 0 and any(file.events.find(tag, kind) >= 0 for file in run.files)


def _has_tag(run: RunRecord, tag: int) -> bool:
    return any(has_series(run, tag, kind) for kind in Kind)


def fold(runs: Iterable[RunRecord], names: NamePool) -> tuple[dict[RunId, tuple[Inside, ...]], set[RunId]]:
    """What is shown inside which run, and the ids of the runs that are therefore not listed themselves."""
    by_name = {(run.root, run.name): run for run in runs}
    start = names.find(SESSION_START)
    experiment = names.find(EXPERIMENT)
    plan = _Plan()
    sessions: dict[RunId, list[RunRecord]] = {}
    beside: dict[tuple[str, str], list[RunRecord]] = {}
    for run in sorted(by_name.values(), key=lambda run: (run.root, run.name)):
        if has_series(run, start, Kind.HPARAMS):
            parent = by_name.get((run.root, parent_name(run.name)))
            own = parent is not None and any(has_series(parent, tag, Kind.HPARAMS) for tag in (start, experiment))
            if parent is not None and parent is not run and not own:
                sessions.setdefault(parent.id, []).append(run)
            elif parent is None:
                beside.setdefault((run.root, parent_name(run.name)), []).append(run)
            continue
        only = _only_tag(run)
        if only is not None:
            _fold_scalars(run, only, by_name, names, plan)
    by_id = {run.id: run for run in by_name.values()}
    for parent_id, children in sessions.items():
        if len(children) == 1 and parent_id not in plan.folded:
            plan.add(by_id[parent_id], children[0], _apart(by_id[parent_id], children[0], names))
    for run in by_id.values():
        training = by_name.get((run.root, _below(run.name, "train")))
        if training is not None and has_series(run, start, Kind.HPARAMS) and not {run.id, training.id} & plan.folded:
            plan.add(training, run, {tag: tag for tag in _tags(run)})
    for (root, folder), alone in beside.items():
        training = by_name.get((root, _below(folder, "train")))
        if training is not None and len(alone) == 1 and training is not alone[0]:
            plan.add(training, alone[0], {tag: tag for tag in _tags(alone[0])})
    return {parent: tuple(inside) for parent, inside in plan.inside.items()}, plan.folded


def _apart(parent: RunRecord, child: RunRecord, names: NamePool) -> dict[TagId, TagId]:
    """The tags of an add_hparams folder, with a metric that has the name of a curve of its run put beside it as `hparams/loss`."""
    return {TagId(names.intern(b"hparams/" + names.name(tag))) if _has_tag(parent, tag) else tag: tag for tag in _tags(child)}


def _below(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def parent_name(name: str) -> str:
    """The name of the folder above; "." above the first level."""
    head, slash, _ = name.rpartition("/")
    return head if slash else "."


def _fold_scalars(run: RunRecord, only: TagId, by_name: Mapping[tuple[str, str], RunRecord], names: NamePool, plan: _Plan) -> None:
    tag = names.name(only)
    for parent, below in _ancestors(run, by_name):
        if parent.id in plan.folded:
            continue
        key = _series_key(below, tag_text(tag))
        if key is not None:
            shown = TagId(names.intern(tag + b"/" + key.encode("utf-8", "surrogateescape")))
            plan.add(parent, run, {shown: only})
            return


def _series_key(below: str, tag: str) -> str | None:
    """The key when `below` is how torch names the folder of (tag, key); a key may itself hold slashes."""
    head, rest = below[: len(tag)], below[len(tag) :]
    if "/" in head or len(rest) < 2 or rest[0] != "_":
        return None
    same = _NOT_IN_FOLDER_NAMES.sub("_", head) == _NOT_IN_FOLDER_NAMES.sub("_", tag)
    return rest[1:] if same else None


def _ancestors(run: RunRecord, by_name: Mapping[tuple[str, str], RunRecord]) -> Iterator[tuple[RunRecord, str]]:
    """The runs in the folders above, nearest first, each with the path from it to the run."""
    name = run.name
    while name != ".":
        name = parent_name(name)
        parent = by_name.get((run.root, name))
        if parent is not None and parent is not run:
            yield parent, run.name if name == "." else run.name[len(name) + 1 :]


def _only_tag(run: RunRecord) -> TagId | None:
    """The run's single tag, or None when it has none or several."""
    only: TagId | None = None
    for file in run.files:
        if file.events.series_count > _MOST_SERIES_OF_ONE_TAG:
            return None
        tags = _tags_of(file.events)
        if len(tags) > 1 or (tags and only not in (None, tags[0])):
            return None
        only = tags[0] if tags else only
    return only


def _tags(run: RunRecord) -> set[TagId]:
    return {tag for file in run.files for tag in _tags_of(file.events)}


def _tags_of(events: EventFile) -> list[TagId]:
    """Without how sessions ended. The file may be growing; what came after the tags were read is left for the next view."""
    return [TagId(int(tag)) for tag, kind in zip(events.tag_ids(), events.kinds(), strict=False) if kind != Kind.SESSION_LOG]
