"""Reads the profiles at a path for tests that look at tables: those of the newest session that records time."""

from __future__ import annotations

import os

from stepscope.formats.format import Limits
from stepscope.formats.open_profile import read_file, read_session, sessions_at
from stepscope.model.profile import Profile


def open_profile(path: str, limits: Limits | None = None) -> list[Profile]:
    """One profile for each process, ordered by rank. Raises BadInput or NotThere."""
    path = os.path.expanduser(path)
    sessions = sessions_at(path)
    if sessions is None:
        return [read_file(path, limits)]
    return read_session(next((session for session in sessions if session.has_steps), sessions[0]), limits)
