"""Profiles inside event files: the RunMetadata that TensorFlow 1's FileWriter.add_run_metadata and tf.summary.trace_export log."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from stepscope._native import EventFile, NamePool
from stepscope.formats.all_formats import EVENT_FORMATS, PROFILE_FORMATS, profile_format
from stepscope.formats.format import SNIFF_BYTES, Limits, ProfileFormat
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.model.protobuf_fields import BadMessage
from stepscope.model.session import InsideFile, ProfileFile, ProfileSession, session_id
from stepscope.sources.files import has_settled, read_range, stat

if TYPE_CHECKING:
    from stepscope.model.profile import Profile

MOST_RECORDINGS = 1_000
"""Of one event file; the newest are listed."""

_WALKED_BYTES = 1 << 20
"""A recording up to this size is looked through for times; a larger one that begins as one that has them is believed."""
_HOST = re.compile(r"tfevents\.\d+\.(?P<host>[^.]+)")


def recording_series(events: EventFile, start: int) -> dict[int, int]:
    """The series, from `start` on, whose values are profiles, by place; none of their values has been looked at."""
    kinds = [known.logged.kind for known in PROFILE_FORMATS if known.logged]
    return dict.fromkeys(events.series_of_kinds(kinds, start), 0)


def find_recordings(events: EventFile, names: NamePool, looked: dict[int, int], inode: int) -> tuple[ProfileFile, ...]:
    """The profiles that record times, as they were written, beyond how many of each series were `looked` at, which is updated."""
    path = os.fsdecode(events.path)
    host = _HOST.search(os.path.basename(path))
    worker = host["host"] if host else os.path.basename(path)
    found: list[ProfileFile] = []
    tags, kinds = events.tag_ids(), events.kinds()
    for index, before in looked.items():
        known = next(one for one in PROFILE_FORMATS if one.logged and one.logged.kind == kinds[index])
        tag = names.name(int(tags[index])).decode("utf-8", "replace")
        values = list(zip(*(column.tolist() for column in events.blobs(index)), strict=True))
        looked[index] = len(values)
        for step, wall, offset, length in values[before:][-MOST_RECORDINGS:]:
            if _has_times(known, path, offset, length):
                inside = InsideFile(offset, length, tag, step)
                found.append(ProfileFile(path, length, wall, inode, known.id, worker, inside=inside))
    return tuple(sorted(found, key=_place)[-MOST_RECORDINGS:])


def recordings_of(path: str) -> tuple[ProfileFile, ...] | None:
    """The profiles of one event file, which is read for it; None when the file is none. Raises OSError."""
    head = read_range(path, 0, SNIFF_BYTES)
    known = next((one for one in EVENT_FORMATS if one.sniff(head)), None)
    if known is None:
        return None
    names = NamePool()
    events = known.open(path, names)
    found = stat(path)
    events.scan(settled=has_settled(found.modified))
    return find_recordings(events, names, recording_series(events, 0), found.inode)


def recorded_sessions(run: str, recordings: Iterable[ProfileFile]) -> list[ProfileSession]:
    """One session each, named by its tag; the step tells those of one tag apart, and a number those of one step."""
    files = sorted(recordings, key=lambda file: (file.modified, _place(file)))
    tags = Counter(file.inside.tag for file in files if file.inside)
    named = Counter[str]()
    taken: set[str] = set()
    sessions: list[ProfileSession] = []
    for file in files:
        if file.inside is None:
            continue
        tag = file.inside.tag or "run metadata"
        wanted = f"{tag}, step {file.inside.step}" if tags[file.inside.tag] > 1 or tag in taken else tag
        name = next(name for name in _numbered(wanted, named) if name not in taken)
        taken.add(name)
        identity = f"{os.path.basename(file.path)}\0{file.inside.tag}\0{file.inside.offset}"
        sessions.append(ProfileSession(session_id(run, identity), name, file.modified, (file,)))
    return sessions


def read_recording(file: ProfileFile, limits: Limits | None = None) -> Profile:
    """The profile of a recording inside an event file. Raises BadInput, NotThere or TooMuch with one sentence."""
    name, inside, limits = os.path.basename(file.path), file.inside, limits or Limits()
    if inside is None:
        raise ValueError("The whole file is a profile.")
    if inside.length > limits.bytes:
        raise TooMuch(
            f"The run metadata {inside.tag} of {name} is larger than the limit; allow more with --max-gib.",
            "profile_too_large",
        )
    try:
        data = read_range(file.path, inside.offset, inside.length)
    except FileNotFoundError as error:
        raise NotThere(f"{name} no longer exists; fetch the list of sessions again.", "no_profile") from error
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", "unreadable") from error
    known = profile_format(file.format)
    if known is None or known.logged is None:
        raise ValueError(f"No format reads {file.format} from event files.")
    profile = known.logged.read(known.logged.content(data), file.path, limits)
    return replace(profile, environment=profile.environment | {"tag": inside.tag, "step": str(inside.step)})


def _numbered(wanted: str, named: Counter[str]) -> Iterator[str]:
    """The name, then with the numbers that it has not had yet, so that thousands of one name are not counted through each time."""
    while True:
        named[wanted] += 1
        yield wanted if named[wanted] == 1 else f"{wanted} ({named[wanted]})"


def _place(file: ProfileFile) -> int:
    return file.inside.offset if file.inside else 0


def _has_times(known: ProfileFormat, path: str, offset: int, length: int) -> bool:
    logged = known.logged
    if logged is None:
        return False
    try:
        head = read_range(path, offset, min(length, SNIFF_BYTES))
        if length > _WALKED_BYTES and known.sniff(head, ""):
            return True
        return logged.has_times(logged.content(read_range(path, offset, length)))
    except (OSError, BadMessage):
        return False
