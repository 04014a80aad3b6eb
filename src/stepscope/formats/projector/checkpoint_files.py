"""Finds the TensorFlow checkpoint of a folder, and its sisters of other steps."""

from __future__ import annotations

import os
import re

from stepscope.formats.projector.confined import confined
from stepscope.formats.text_proto import BadText, parse
from stepscope.model.errors import BadInput, Refused
from stepscope.sources.files import is_file, list_folder, read_range

STATE_NAME = "checkpoint"
MOST_STEPS = 1_000
_INDEX = ".index"
_NUMBERED = re.compile(r"(.*?)(\d{1,15})\Z", re.DOTALL)


def find_checkpoints(folder: str, path: str, checkpoint_folder: str) -> str | None:
    """The newest checkpoint, as a path without endings: the one that is named, or the one that TensorFlow noted in the folder.

    None when there is none. Raises Refused for a path that leaves the folder, BadInput for one that is no checkpoint.
    """
    if path:
        prefix = confined(folder, path, "model_checkpoint_path")
        if is_file(f"{prefix}{_INDEX}"):
            return prefix
        if is_file(prefix):
            name = os.path.basename(prefix)
            raise BadInput(
                f"{name} is not a TensorFlow checkpoint: there is no {name}{_INDEX} in its folder.",
                "not_a_checkpoint",
            )
        raise BadInput(f"There is no checkpoint {path[:200]!r} in the folder of the configuration.", "not_a_checkpoint")
    where = confined(folder, checkpoint_folder, "model_checkpoint_dir") or folder
    if not is_file(f"{where}/{STATE_NAME}"):
        return None
    try:
        noted = parse(read_range(f"{where}/{STATE_NAME}", 0, 4 << 20)).text("model_checkpoint_path")
    except (BadText, OSError):
        return None  # any program may call a file so
    try:
        prefix = confined(where, noted, "the noted checkpoint")
    except Refused:
        # A folder that was moved: TensorFlow notes absolute paths when it was given one.
        prefix = confined(where, os.path.basename(noted.replace("\\", "/")), "the noted checkpoint")
    return prefix if prefix and is_file(f"{prefix}{_INDEX}") else None


def saved_steps(prefix: str) -> list[tuple[int | None, str]]:
    """The checkpoint and its sisters, whose names differ in the number at their end, with these numbers; the newest of very many."""
    folder, name = os.path.split(prefix)
    numbered = _NUMBERED.match(name)
    if numbered is None:
        return [(None, prefix)]
    found: dict[int | None, str] = {}
    for file in list_folder(folder, lambda one: one.endswith(_INDEX)).files:
        other = _NUMBERED.match(os.path.basename(file.path).removesuffix(_INDEX))
        if other is not None and other[1] == numbered[1]:
            found[int(other[2])] = f"{prefix[: len(prefix) - len(name)]}{other[0]}"
    return sorted(found.items(), key=lambda one: one[0] or 0)[-MOST_STEPS:] or [(int(numbered[2]), prefix)]
