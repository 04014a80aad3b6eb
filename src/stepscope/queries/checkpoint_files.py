"""Checkpoints on disk beside a run's logs, found by the names in its folder; none of the files is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from stepscope.queries.view import ShownRun
from stepscope.sources.files import list_folder
from stepscope.sources.source import Listing

FOLDER_NAMES = frozenset({"checkpoint", "checkpoints", "ckpt", "ckpts"})
"""Folders in a run's folder that are looked into: Lightning's, Orbax' and Keras' users call them so."""

_ENDINGS = (".index", ".ckpt", ".pt", ".pth", ".safetensors", ".keras", ".h5", ".weights.h5", ".msgpack")
_IS_CHECKPOINT = re.compile(r"ckpt|checkpoint|epoch|step|iter|model|weights|best|last", re.IGNORECASE)
_STEP_IN_FILE = re.compile(
    r"(?:^|[^a-z])(?:global[-_]?step|step|iter|iteration)s?[-_=]?(\d{1,15})(?!\d)"  # epoch=9-step=1000.ckpt, step_1000.pt
    r"|^model\.ckpt-(\d{1,15})\.index$"  # TensorFlow 1 counts steps here; TensorFlow 2's ckpt-3 counts checkpoints
    r"|^checkpoint_(\d{1,15})$",  # Flax, without an ending
    re.IGNORECASE,
)
_STEP_IN_FOLDER = re.compile(
    r"^(?:checkpoint-|global_?step_?|step[-_=]?|iter_)(\d{1,15})$",  # Transformers, DeepSpeed, Accelerate, Megatron
    re.IGNORECASE,
)
_ORBAX = re.compile(r"^(?:checkpoint_)?(\d{1,15})$")


@dataclass(frozen=True, slots=True)
class CheckpointFile:
    """One checkpoint. Exactly one of `step` and `written` is set."""

    name: str
    step: int | None
    """The step that the name tells."""
    written: float | None
    """When it was last written, if its name tells no step: a number in it may count epochs or checkpoints."""


def checkpoint_files(run: ShownRun) -> Iterator[CheckpointFile]:
    """Checkpoints in the run's folder, in folders of checkpoints there, and in the folder that train and validation share."""
    folders = [run.record.path]
    if run.experiment is not None:
        folders.append(os.path.dirname(run.record.path))
    for folder in folders:
        listing = list_folder(folder, _may_be_checkpoint)
        yield from _of(listing, numbered=False)
        for inside in listing.folders:
            if os.path.basename(inside).lower() in FOLDER_NAMES:
                yield from _of(list_folder(inside, _may_be_checkpoint), numbered=True)


def _may_be_checkpoint(name: str) -> bool:
    if not name.endswith(_ENDINGS):
        return "." not in name and _STEP_IN_FILE.search(name) is not None
    return _IS_CHECKPOINT.search(name) is not None


def _of(listing: Listing, numbered: bool) -> Iterator[CheckpointFile]:
    """What one folder has; `numbered` where a folder whose name is a number is a checkpoint of that step."""
    for file in listing.files:
        name = os.path.basename(file.path)
        step = _number(_STEP_IN_FILE.search(name))
        yield CheckpointFile(name, step, file.modified if step is None else None)
    for folder in listing.folders:
        name = os.path.basename(folder)
        step = _number(_STEP_IN_FOLDER.match(name) or (_ORBAX.match(name) if numbered else None))
        if step is not None:
            yield CheckpointFile(name, step, None)


def _number(match: re.Match[str] | None) -> int | None:
    return None if match is None else next(int(digits) for digits in match.groups() if digits)
