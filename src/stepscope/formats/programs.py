"""Compiled programs and their memory plans, read from a profile's file by the format that wrote it, when they are asked for."""

from __future__ import annotations

from stepscope.formats.all_formats import profile_format
from stepscope.formats.format import Limits
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Note, Profile
from stepscope.model.program_buffers import ProgramBuffers


def read_programs(profile: Profile, limits: Limits | None = None) -> tuple[list[HloProgram], list[Note]]:
    """All programs that can be read, in the file's order, and notes on the others; none when the format stores none.

    Raises BadInput, NotThere or TooMuch, as reading the profile does.
    """
    known = profile_format(profile.format)
    if known is None or known.read_programs is None or not profile.programs:
        return [], []
    return known.read_programs(profile, limits or Limits())


def read_plans(profile: Profile, limits: Limits | None = None) -> tuple[list[ProgramBuffers], list[Note]]:
    """The memory plans of all programs that have one, in the file's order, and notes on the others. Raises as `read_programs` does."""
    known = profile_format(profile.format)
    if known is None or known.read_plans is None or not profile.programs:
        return [], []
    return known.read_plans(profile, limits or Limits())
