"""Asks every part of the analysis about a file, as the page does; only an error that is a sentence for the user may come back."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stepscope.model.errors import StepscopeError
from stepscope.session.all_parts import ALL_PARTS
from stepscope.session.at_path import Opening, ProfileAt, profile_at
from stepscope.session.part import AnyPart, Files

ASKED = [part for part in ALL_PARTS if not any(field.required for field in msgspec.structs.fields(part.wanted))]
"""Parts that answer without a choice."""


def ask_everything(path: Path) -> list[str]:
    """The ids of the parts that answered; the others refused with a sentence. Any other error is raised."""
    answered: list[str] = []
    for timed in (True, False):
        try:
            found = profile_at(str(path), Opening(cache=False), timed=timed)
        except StepscopeError:
            continue
        answered += [part.id for part in ASKED if (part.files is not Files.MEMORY) == timed and _answers(found, part)]
    return answered


def _answers(found: ProfileAt, part: AnyPart) -> bool:
    try:
        msgspec.json.encode(found.answer(part, part.wanted()))
    except StepscopeError:
        return False
    return True
