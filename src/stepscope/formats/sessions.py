"""Which files belong to one profiling session, from their names and places, and what their content says they are."""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from stepscope.formats.all_formats import PROFILE_FORMATS
from stepscope.formats.format import SNIFF_BYTES, ProfileFormat
from stepscope.model.session import ProfileFile, ProfileSession, session_id
from stepscope.sources.files import read_range

SAME_CAPTURE_SECONDS = 120.0
"""Ranks write the same capture within this time of each other."""

_GZIP = b"\x1f\x8b"
_ENDINGS = sorted({ending for known in PROFILE_FORMATS for ending in known.endings}, key=len, reverse=True)
_SURE_ENDINGS = tuple(ending for known in PROFILE_FORMATS for ending in known.sure_endings)
"""Only profilers name files so: one whose content is not recognised is broken, and is listed as such."""
_PREFERRED_ENDINGS = tuple(ending for known in PROFILE_FORMATS if known.preferred for ending in known.sure_endings)
_WORKER_AND_TIME = re.compile(r"^(?P<worker>.+?)\.(?P<time>\d{13,19})$")
_RANK = re.compile(r"(?<![A-Za-z])rank[-_.]?(\d+)", re.IGNORECASE)
_SESSION_TIME = re.compile(r"^\d{4}(_\d{2}){5}")


@dataclass(frozen=True, slots=True)
class _Place:
    """What a file's name and folder say."""

    file: ProfileFile
    session: str
    """Name of the session when the place tells it, else empty."""
    time: float | None


def is_candidate(name: str) -> bool:
    """Whether a file of that base name may be a profile; content decides later."""
    return name.endswith(_SURE_ENDINGS) or any(known.is_candidate(name) for known in PROFILE_FORMATS)


_PROJECTOR = "org_tensorflow_tensorboard_projector"


def run_folder(folder: str) -> str:
    """The folder of the run that a file belongs to: profilers put sessions into plugins/profile/<session> below it.

    TensorBoard's plugins also look for their own files in plugins/<plugin>; the projector is one of them.
    """
    above, name = os.path.split(folder)
    rest, profile = os.path.split(above)
    if (profile, name) == ("plugins", _PROJECTOR) and rest:
        return rest
    run, plugins = os.path.split(rest)
    return run if (plugins, profile) == ("plugins", "profile") and run else folder


def read_head(path: str) -> bytes:
    """The first bytes of the content, inflated when the file is gzip. Raises OSError."""
    head = read_range(path, 0, SNIFF_BYTES)
    if not head.startswith(_GZIP):
        return head
    inflater = zlib.decompressobj(wbits=31)
    try:
        return inflater.decompress(head, SNIFF_BYTES)
    except zlib.error:
        return head


def format_of(path: str) -> ProfileFormat | None:
    """The format of the content, whatever the file is called. Raises OSError."""
    head = read_head(path)
    return next((known for known in PROFILE_FORMATS if known.sniff(head, os.path.basename(path))), None)


def examine(path: str, size: int, modified: float, inode: int) -> ProfileFile | None:
    """Looks at one candidate; None when it is no profile after all."""
    name = os.path.basename(path)
    problem: str | None = None
    found: ProfileFormat | None = None
    try:
        found = format_of(path)
    except OSError as error:
        problem = f"It cannot be opened: {(error.strerror or str(error)).lower()}."
    if found is None and not name.endswith(_SURE_ENDINGS):
        return None
    if found is None and problem is None:
        problem = "It is empty." if size == 0 else "It is not in a profile format that Stepscope supports."
    has_steps = found is None or found.has_steps
    return ProfileFile(path, size, modified, inode, found.id if found else "", _worker(name), has_steps, problem)


def group_sessions(run: str, files: Iterable[ProfileFile]) -> list[ProfileSession]:
    """The sessions of one run, newest first. `run` is the run's id, from which those of the sessions are made."""
    named: dict[str, list[_Place]] = {}
    loose: list[_Place] = []
    for file in _each_once(files):
        place = _place(file)
        if place.session:
            named.setdefault(place.session, []).append(place)
        else:
            loose.append(place)
    sessions = [_session(run, name, _without_copies(places)) for name, places in named.items()]
    sessions += [_session(run, _loose_name(places), places) for places in _captures(loose)]
    return sorted(sessions, key=lambda session: (-session.time, session.name))


def _each_once(files: Iterable[ProfileFile]) -> Iterable[ProfileFile]:
    """Without second copies of a recording that differ in how they end: zipped and plain, or XSpace and trace."""
    found: dict[str, ProfileFile] = {}
    for file in sorted(files, key=lambda file: (not file.path.endswith(_PREFERRED_ENDINGS), len(file.path), file.path)):
        found.setdefault(_stem(file.path), file)
    return found.values()


def _place(file: ProfileFile) -> _Place:
    folder, name = os.path.split(file.path)
    if run_folder(folder) != folder:
        session = os.path.basename(folder)
        return _Place(file, session, _written_time(session))
    match = _WORKER_AND_TIME.match(_stem(name))
    return _Place(file, "", _seconds(int(match["time"])) if match else None)


def _stem(name: str) -> str:
    """The name, or path, without the ending of its format."""
    return name.removesuffix(next((ending for ending in _ENDINGS if name.endswith(ending)), ""))


def _worker(name: str) -> str:
    stem = _stem(os.fsencode(name).decode("utf-8", "backslashreplace"))
    match = _WORKER_AND_TIME.match(stem)
    return match["worker"] if match else stem


def _without_copies(places: list[_Place]) -> list[_Place]:
    """TensorFlow and JAX write the same recording once more as trace JSON; the XSpace file holds more."""
    full = [place for place in places if place.file.path.endswith(_PREFERRED_ENDINGS)]
    return full or places


def _captures(places: list[_Place]) -> list[list[_Place]]:
    """Trace files of one folder as captures: a worker that comes again, or much later, begins the next one."""
    captures: list[list[_Place]] = []
    timed = sorted((place for place in places if place.time is not None), key=lambda place: (place.time, place.file.path))
    workers: set[str] = set()
    last = 0.0
    for place in timed:
        now = place.time or 0.0
        if not captures or place.file.worker in workers or now - last > SAME_CAPTURE_SECONDS:
            captures.append([])
            workers = set()
        captures[-1].append(place)
        workers.add(place.file.worker)
        last = now
    by_rank: dict[str, list[_Place]] = {}
    for place in places:
        if place.time is None:
            by_rank.setdefault(_RANK.sub("rank", os.path.basename(place.file.path)), []).append(place)
    return captures + list(by_rank.values())


def _loose_name(places: list[_Place]) -> str:
    """A name that tells the session from the others of its folder."""
    first = min(places, key=lambda place: _natural(place.file.worker))
    return _stem(os.path.basename(first.file.path))


def _session(run: str, name: str, places: list[_Place]) -> ProfileSession:
    files = sorted((place.file for place in places), key=lambda file: _natural(file.worker))
    written = [place.time for place in places if place.time is not None]
    moment = min(written) if written else max(file.modified for file in files)
    return ProfileSession(session_id(run, name), name, moment, tuple(files))


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d{1,18}|\D+", text)]


def _written_time(session: str) -> float | None:
    """The time in a session folder's name; profilers write it in the local time of their machine."""
    match = _SESSION_TIME.match(session)
    try:
        return time.mktime(time.strptime(match.group(), "%Y_%m_%d_%H_%M_%S")) if match else None
    except (ValueError, OverflowError):
        return None


def _seconds(number: int) -> float:
    """Seconds of a time in milli-, micro- or nanoseconds: torch has written all of them."""
    for divisor in (1e3, 1e6, 1e9):
        if number / divisor < 1e11:
            return number / divisor
    return float(number)
