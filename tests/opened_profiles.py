"""Reads the profiles at a path for tests that look at tables: those of the newest session that records time."""

from __future__ import annotations

import os

from stepscope.formats.event_recordings import read_recording
from stepscope.formats.format import Limits
from stepscope.formats.open_profile import read_file, sessions_at
from stepscope.model.profile import Profile
from stepscope.model.session import ProfileSession


def open_profile(path: str, limits: Limits | None = None) -> list[Profile]:
    """One profile for each process, ordered by rank. Raises BadInput or NotThere."""
    path = os.path.expanduser(path)
    sessions = sessions_at(path)
    if sessions is None:
        return [read_file(path, limits)]
    return profiles_of(next((session for session in sessions if session.has_steps), sessions[0]), limits)


def profiles_of(session: ProfileSession, limits: Limits | None = None) -> list[Profile]:
    """The profile of each file of a session, ordered by rank."""
    found = [read_recording(file, limits) if file.inside else read_file(file.path, limits) for file in session.files]
    return sorted(found, key=lambda profile: (profile.rank, profile.host))
