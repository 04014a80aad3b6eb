"""Opens a profile by its content alone: a file, a session folder with many hosts, or the newest session of a log folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

from stepscope.formats.all_formats import EVENT_FORMATS, PROFILE_FORMATS
from stepscope.formats.event_recordings import read_recording, recorded_sessions, recordings_of
from stepscope.formats.format import Limits
from stepscope.formats.sessions import examine, format_of, group_sessions, is_candidate, run_folder
from stepscope.model.errors import BadInput, NotThere, StepscopeError
from stepscope.model.profile import Note, Profile
from stepscope.model.session import ProfileFile, ProfileSession
from stepscope.sources.files import absolute, is_folder, stat, walk
from stepscope.sources.source import FoundFile, Stat

MOST_FOLDERS = 100_000
"""A log folder with more folders than this is not searched to its end."""

_LARGE = 16 << 20
_MOST_AT_ONCE = 4
_KNOWN = f"a session folder, a log folder, or a file of a profiler ({', '.join(known.title for known in PROFILE_FORMATS)})"


ReadFile = Callable[[ProfileFile, Limits | None], Profile]
"""How a file of a session is read; `read_session_file`, unless it comes from a cache."""


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


def read_session(session: ProfileSession, limits: Limits | None = None, read: ReadFile | None = None) -> list[Profile]:
    """Reads all files of a session. One that cannot be read is noted on the others; when none can, its error is raised."""

    def read_one(file: ProfileFile) -> Profile | StepscopeError:
        try:
            return (read or read_session_file)(file, limits)
        except StepscopeError as error:
            return error

    with ThreadPoolExecutor(_at_once(session.files)) as threads:
        found = list(threads.map(read_one, session.files))
    profiles = [one for one in found if isinstance(one, Profile)]
    problems = [one for one in found if isinstance(one, StepscopeError)]
    if not profiles:
        raise problems[0]
    notes = [Note("warning", "unreadable_file", error.message) for error in problems]
    profiles.sort(key=lambda profile: (profile.rank, profile.host))
    return [replace(profile, notes=profile.notes + notes) for profile in profiles]


def read_session_file(file: ProfileFile, limits: Limits | None = None) -> Profile:
    """Reads a file of a session, or the recording inside it that the session means. Raises BadInput or NotThere with one sentence."""
    return read_file(file.path, limits) if file.inside is None else read_recording(file, limits)


def _at_once(files: Sequence[ProfileFile]) -> int:
    """How many files are read at a time. A large one is read alone: memory is bounded by it, and its format uses all cores anyway."""
    small = all(file.size <= _LARGE for file in files)
    return max(1, min(len(files), os.cpu_count() or 1, _MOST_AT_ONCE)) if small else 1


def read_file(path: str, limits: Limits | None = None) -> Profile:
    """Reads one file, whatever it is called. Raises BadInput or NotThere with one sentence."""
    name = os.path.basename(path)
    try:
        if _check_regular(path).size == 0:
            raise BadInput(f"{name} is empty: the capture ended before anything was written; capture again.", "empty")
        found = format_of(path)
        if found is None:
            raise BadInput(f"{name} is not a profile format that Stepscope supports; give {_KNOWN}.", "unknown_format")
        return found.read(path, limits or Limits())
    except FileNotFoundError as error:
        raise NotThere(f"{path} does not exist; give {_KNOWN}.", "no_profile") from error
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", "unreadable") from error
    except MemoryError as error:
        raise BadInput(f"{name} needs more memory than is available; capture fewer steps.", "no_memory") from error


def with_times(profiles: Sequence[Profile], path: str) -> list[Profile]:
    """Those that record time; memory profiles alone have no steps to speak of. Raises BadInput when there are none."""
    timed = [profile for profile in profiles if len(profile.spans)]
    if timed:
        return timed
    if any(profile.cut_short for profile in profiles):
        raise BadInput(f"{path} is truncated and contains no timed events; copy it again or capture again.", "cut_short")
    raise BadInput(f"{path} contains no times of operations or kernels; give a profile of a training step.", "no_spans")


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
