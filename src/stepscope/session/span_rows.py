"""Rows of spans as questions name them: those of the whole file, also where a range of it is looked at."""

from __future__ import annotations

import numpy as np

from stepscope.model.errors import NotThere
from stepscope.model.profile import Profile


def row_here(profile: Profile, row_in_file: int) -> int:
    """The row in what is looked at, which may be a part of the file. Raises NotThere."""
    row = row_in_file
    if profile.part is not None:
        row = int(np.searchsorted(profile.part.rows, row_in_file))
        if row >= len(profile.part.rows) or profile.part.rows[row] != row_in_file:
            row = len(profile.spans)
    if not 0 <= row < len(profile.spans):
        raise NotThere("The selected range has no such span. Clear the range, or choose another span.", "unknown_span")
    return row
