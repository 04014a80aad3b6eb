"""What a run folder may contain, as the registered formats declare it: which names are wanted, and what is done with a file."""

from __future__ import annotations

import os

from stepscope._native import EventFile, NamePool
from stepscope.formats import all_formats
from stepscope.formats.format import EventFormat
from stepscope.formats.sessions import examine, read_head
from stepscope.model.run_file import RunFile
from stepscope.model.session import ProfileFile
from stepscope.sources.source import FoundFile

Examined = ProfileFile | RunFile
"""A file that is recognised when it is new or has changed, and read when somebody asks for it."""


def is_wanted(name: str) -> bool:
    """Whether a file of that base name may have any of the formats."""
    return any(known.is_candidate(name) for known in all_formats.FORMATS)


def is_followed(name: str) -> bool:
    """Whether a file of that base name is read as it grows; all other wanted files are examined."""
    return _event_format(name) is not None


def open_events(path: str, names: NamePool) -> EventFile:
    """A reader of a followed file that has read nothing yet; any other file is read as the first such format."""
    return (_event_format(os.path.basename(path)) or all_formats.EVENT_FORMATS[0]).open(path, names)


def examine_file(found: FoundFile) -> Examined | None:
    """Recognises a file by its content; None when it has none of the formats."""
    name = os.path.basename(found.path)
    if any(known.is_candidate(name) for known in all_formats.PROFILE_FORMATS):
        profile = examine(found.path, found.size, found.modified, found.inode)
        if profile is not None:
            return profile
    return _run_file(found, name)


def _run_file(found: FoundFile, name: str) -> RunFile | None:
    candidates = [known for known in all_formats.RUN_FILE_FORMATS if known.is_candidate(name)]
    if not candidates:
        return None
    try:
        head = read_head(found.path)
    except OSError:
        return None
    known = next((one for one in candidates if one.sniff(head, name)), None)
    return RunFile(found.path, found.size, found.modified, found.inode, known.id) if known else None


def _event_format(name: str) -> EventFormat | None:
    return next((known for known in all_formats.EVENT_FORMATS if known.is_candidate(name)), None)
