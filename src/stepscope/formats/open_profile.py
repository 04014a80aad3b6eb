"""Finds the sessions of a folder or an event file, and reads a profile by its content alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice

from stepscope.formats.all_formats import EVENT_FORMATS, PROFILE_FORMATS, profile_format
from stepscope.formats.event_recordings import recorded_sessions, recordings_of
from stepscope.formats.file_content import is_compressed
from stepscope.formats.format import Limits
from stepscope.formats.sessions import examine, format_of, group_sessions, is_candidate, run_folder
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import Profile
from stepscope.model.session import ProfileFile, ProfileSession
from stepscope.sources.files import absolute, is_folder, stat, walk
from stepscope.sources.source import FoundFile, Stat

MOST_FOLDERS = 100_000
"""A log folder with more folders than this is not searched to its end."""

_KNOWN = f"a session folder, a log folder, or a file of a profiler ({', '.join(known.title for known in PROFILE_FORMATS)})"


def sessions_at(path: str) -> list[ProfileSession] | None:
    """The sessions, at least one, of a folder or of an event file, newest first; None for a file that is one recording as a whole.

    Raises NotThere when there are none, and BadInput for what is neither folder nor file.
    """
    if is_folder(path):
        sessions = find_sessions(path)
        if not sessions:
            raise NotThere(f"{path} contains no profile; give {_KNOWN}.", "no_profile")
        return sessions
    try:
        _check_regular(path)
        recordings = recordings_of(path)
    except OSError:
        return None  # reading it says what is wrong
    if recordings is None:
        return None
    if not recordings:
        raise NotThere(f"{os.path.basename(path)} is an event file without a profile in it; give {_KNOWN}.", "no_profile")
    return recorded_sessions(path, recordings)[::-1]


def find_sessions(folder: str) -> list[ProfileSession]:
    """Every session below a folder, newest first. Event files, which must be read for it, only where no file is a profile."""
    by_run: dict[str, list[ProfileFile]] = {}
    for file in _profile_files(absolute(folder)):
        by_run.setdefault(run_folder(os.path.dirname(file.path)), []).append(file)
    sessions = [session for run, files in by_run.items() for session in group_sessions(run, files)]
    sessions = sessions or list(_recorded(absolute(folder)))
    return sorted(sessions, key=lambda session: (-session.time, session.name))


def read_file(path: str, limits: Limits | None = None) -> Profile:
    """Reads one file, whatever it is called. Raises BadInput or NotThere with one sentence."""
    name = os.path.basename(path)
    try:
        size = _check_regular(path).size
        if size == 0:
            raise BadInput(f"{name} is empty: the capture ended before anything was written; capture again.", "empty")
        found = format_of(path)
        if found is None:
            raise BadInput(f"{name} is not a profile format that Stepscope supports; give {_KNOWN}.", "unknown_format")
        limits = limits or Limits()
        return found.read(path, limits.of_compressed(size) if is_compressed(path) else limits)
    except FileNotFoundError as error:
        raise NotThere(f"{path} does not exist; give a profile, a folder of one, or a log folder.", "no_profile") from error
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", "unreadable") from error
    except MemoryError as error:
        raise BadInput(f"{name} needs more memory than is available; capture fewer steps.", "no_memory") from error


def read_ranks(whole: Profile, limits: Limits | None = None) -> list[Profile]:
    """The profile of each rank of a file that was read as a whole; the whole alone when it contains one. Raises BadInput."""
    known = profile_format(whole.format) if whole.several_ranks else None
    if known is None or known.read_ranks is None:
        return [whole]
    name, limits = os.path.basename(whole.path), limits or Limits()
    try:
        size = _check_regular(whole.path).size
        return known.read_ranks(whole.path, limits.of_compressed(size) if is_compressed(whole.path) else limits) or [whole]
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", "unreadable") from error
    except MemoryError as error:
        raise BadInput(f"{name} needs more memory than is available; capture fewer steps.", "no_memory") from error


def format_title(format_id: str) -> str:
    """What a format is called on the page."""
    return next((known.title for known in PROFILE_FORMATS if known.id == format_id), "Unknown format")


def _check_regular(path: str) -> Stat:
    """The file that is there. Reading a pipe may never end, and opening a device may act on it. Raises BadInput or OSError."""
    found = stat(path)
    if not found.is_file:
        raise BadInput(f"{path} is not a regular file; give {_KNOWN}.", "not_a_file")
    return found


def _recorded(folder: str) -> Iterator[ProfileSession]:
    """Sessions of the event files of each folder."""
    by_folder: dict[str, list[ProfileFile]] = {}
    for file in _files(folder, lambda name: any(known.is_candidate(name) for known in EVENT_FORMATS)):
        try:
            by_folder.setdefault(os.path.dirname(file.path), []).extend(recordings_of(file.path) or ())
        except OSError:
            continue
    for run, files in by_folder.items():
        yield from recorded_sessions(run, files)


def _files(folder: str, wanted: Callable[[str], bool]) -> Iterator[FoundFile]:
    """The wanted files below a folder, found as the page's loader finds them: links are followed, loops are not."""
    for _, listing in islice(walk(folder, wanted), MOST_FOLDERS):
        yield from sorted(listing.files, key=lambda file: file.path)


def _profile_files(folder: str) -> Iterator[ProfileFile]:
    for found in _files(folder, is_candidate):
        file = examine(found.path, found.size, found.modified, found.inode)
        if file is not None:
            yield file
