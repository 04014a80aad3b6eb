"""Reads the compiled programs of an XSpace file, when somebody asks for them."""

from __future__ import annotations

from dataclasses import replace

from stepscope._native import UnreadableHlo, read_hlo
from stepscope.formats.file_content import read_parts
from stepscope.formats.format import Limits
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Note, Profile

MOST_BYTES = 256 << 20
"""Of one program; the largest ones of real models are a tenth of it."""


def read_programs(profile: Profile, limits: Limits) -> tuple[list[HloProgram], list[Note]]:
    """All programs that can be read, in the file's order, and what there is to say of the others. Raises BadInput as `read` does."""
    parts = [(program.offset, min(program.length, MOST_BYTES)) for program in profile.programs]
    found: list[HloProgram] = []
    notes: list[Note] = []
    for program, data in zip(profile.programs, read_parts(profile.path, limits, parts), strict=True):
        try:
            read = HloProgram(**read_hlo(data))
        except UnreadableHlo as problem:
            notes.append(Note("warning", "unreadable_hlo", f"The program {program.name} {problem}"))
            continue
        if read.damaged or len(data) < program.length:
            notes.append(Note("warning", "damaged_hlo", f"The HLO of {program.name} is corrupt; only the readable part is shown."))
        found.append(replace(read, name=program.name))
    return found, notes
