"""A profile given by its path, for the terminal and for scripts: the session is found as the server finds it, and answers the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from stepscope.formats.format import Limits
from stepscope.formats.open_profile import read_file, sessions_at
from stepscope.formats.sessions import examine, run_folder
from stepscope.ingest.near_logs import load_near
from stepscope.ingest.own_kinds import OwnKinds
from stepscope.ingest.profile_reading import connect_profiles
from stepscope.model.errors import NotThere
from stepscope.model.identity import run_id
from stepscope.model.session import ProfileSession, session_id
from stepscope.queries.run_logs import RunLogs
from stepscope.session.kept_answers import KeptAnswers
from stepscope.session.part import A, Part, W, Wanted
from stepscope.session.reader import SessionOfRun, SessionReader
from stepscope.sources.files import absolute, exists, find_file, is_folder
from stepscope.store.library import Library, RunRecord

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Opening:
    """How profiles are read: through the cache or not, how much of a file, and what span names mean."""

    cache: bool = True
    limits: Limits | None = None
    kinds: OwnKinds = field(default_factory=OwnKinds)


class ProfileAt:
    """One session at a path, and everything that can be asked about it."""

    def __init__(self, root: str, session: ProfileSession, others: Sequence[str], opening: Opening) -> None:
        self.session = session
        self.others = tuple(others)
        """Names of the other sessions at the path, newest first."""
        folder = run_folder(os.path.dirname(absolute(session.files[0].path)))
        self._folder = folder
        self._root = root if is_folder(root) and _inside(folder, root) else folder
        self._run = RunRecord(run_id("", "."), "", ".", folder, (), (session,))
        library = Library()
        connect_profiles(library, opening.cache, opening.kinds, opening.limits)
        library.publish([self._run])
        self._reader = SessionReader(library, KeptAnswers() if opening.cache else None, lambda _: self._logs)

    @property
    def found(self) -> SessionOfRun:
        """The session as the reader names it."""
        return SessionOfRun(self._run, self.session)

    def answer(self, part: Part[W, A], wanted: W) -> A:
        """What a part says. Raises BadInput or NotThere."""
        return self._reader.answer(part, self.found, wanted)

    def analysed(self, wanted: Wanted) -> AnalysedSession:
        """The workers that record time, with the steps and the range that are wanted. Raises BadInput or NotThere."""
        return self._reader.analysed(self.found.timed(), wanted)

    @cached_property
    def _logs(self) -> RunLogs:
        library, run = load_near(self._root, self._folder, self.session)
        return RunLogs(library, run, self.session.id)


def profile_at(path: str, opening: Opening | None = None, *, timed: bool = True) -> ProfileAt:
    """The session at a path: of a file, of a session folder, or the newest of a log folder; `PATH#NAME` names another.

    With `timed`, sessions that record time come before those that record memory alone. Raises BadInput or NotThere.
    """
    opening = opening or Opening()
    place, name = place_and_name(os.path.expanduser(path))
    sessions = sessions_at(place)
    if sessions is None:
        return ProfileAt(place, _file_alone(place if name is None else f"{place}#{name}", opening.limits), (), opening)
    if name is not None:
        sessions = _named(sessions, name, place)
    elif timed:
        sessions = [session for session in sessions if session.has_steps] or sessions
    others = [] if name is not None else [session.name for session in sessions[1:]]
    return ProfileAt(place, sessions[0], others, opening)


def each_session(path: str) -> tuple[str, ...]:
    """What to give `profile_at` for each session with steps that a folder has, oldest first; a file alone is itself."""
    place, name = place_and_name(os.path.expanduser(path))
    sessions = None if name is not None else sessions_at(place)
    if sessions is None:
        return (path,)
    # Runs may have sessions of one name, so each is looked for in its own folder.
    return tuple(f"{os.path.dirname(one.files[0].path)}#{one.name}" for one in reversed(sessions) if one.has_steps)


def place_and_name(path: str) -> tuple[str, str | None]:
    """A path that exists, and the name of the session that is asked for after a #, if any."""
    place, mark, name = path.partition("#")
    while mark and not exists(path):
        if exists(place):
            return place, name
        more, mark, name = name.partition("#")
        place = f"{place}#{more}"
    return path, None


def _file_alone(path: str, limits: Limits | None) -> ProfileSession:
    """A session of one file that is a recording as a whole. Raises what reading it raises when it is none."""
    found = find_file(path)
    file = None if found is None else examine(path, found.size, found.modified, found.inode)
    if found is None or file is None:
        read_file(path, limits)
        raise NotThere(f"{path} is no profile.", "no_profile")
    name = os.path.basename(path)
    return ProfileSession(session_id(path, name), name, found.modified, (replace(file, problem=None),))


def _named(sessions: Sequence[ProfileSession], name: str, path: str) -> list[ProfileSession]:
    found = [session for session in sessions if session.name == name]
    if not found:
        names = ", ".join(session.name for session in sessions[:_NAMED])
        more = " and more" if len(sessions) > _NAMED else ""
        raise NotThere(f"{path} has no session {name}; it has {names}{more}.", "no_profile")
    return found


def _inside(folder: str, root: str) -> bool:
    whole = absolute(root)
    return folder == whole or folder.startswith(whole + os.sep)
