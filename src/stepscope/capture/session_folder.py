"""The folder of a profiling session, <logdir>/plugins/profile/<time>_<name>: where TensorBoard, XProf and Stepscope find profiles.

Ranks share it without talking to each other: whoever saves looks for a folder of the same name that another rank has made shortly
before or after, and that has no file of its own yet.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import shutil
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from stepscope.capture import ranks
from stepscope.capture.profilers.chrome_trace import copy_with
from stepscope.capture.profilers.profiler import Recorded, completed
from stepscope.writer.message import Message

SAME_CAPTURE_SECONDS = 120.0
"""Ranks begin the same capture within this time of each other."""
WARNINGS = "captureWarnings"
"""The key of a Chrome trace under which a capture says what is missing, as an XSpace has a field for it."""
_TIME = "%Y_%m_%d_%H_%M_%S"
_NAMED = re.compile(r"^(?P<time>\d{4}(?:_\d{2}){5})(?P<rest>.*)$")
_ZIPPED = ".pt.trace.json"
_QUICK = 1
"""zlib's level: a trace becomes a tenth, at several times the speed of the default."""


def save(logdir: str, started: float, name: str, recorded: Iterable[Recorded], warnings: Iterable[str] = ()) -> str:
    """Moves files into the session's folder and returns it; each file appears whole. Raises OSError."""
    said = tuple(warnings)
    files = [_with_warnings(completed(file), said) for file in recorded]
    folder = session_folder(os.path.join(logdir, "plugins", "profile"), started, name)
    worker = _free_name(folder, ranks.worker_name(), [file.ending for file in files])
    try:
        for file in files:
            _move(file, os.path.join(folder, f"{worker}{file.ending}"))
    except OSError:
        with contextlib.suppress(OSError):  # It is not empty: another rank has saved, or a file of ours is whole.
            os.rmdir(folder)
        raise
    return folder


def own_folder(parent: str, started: float, name: str) -> str:
    """Makes the folder of a session that nobody shares. Raises OSError."""
    folder = os.path.join(parent, f"{time.strftime(_TIME, time.localtime(started))}{f'_{name}' if name else ''}")
    os.makedirs(folder, exist_ok=True)
    return folder


def put_file(path: str, data: bytes) -> None:
    """Writes a file that appears whole. Raises OSError."""
    part = f"{path}.part"
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def packed(recorded: Iterable[Recorded]) -> Iterator[tuple[str, bytes]]:
    """The files as they are sent, by ending. Raises OSError."""
    for file in map(completed, recorded):
        with open(file.path, "rb") as source:
            copied = io.BytesIO()
            copy_with(file.events, file.facts, source, copied)
        data = copied.getvalue()
        yield (f"{file.ending}.gz", gzip.compress(data, _QUICK)) if file.ending == _ZIPPED else (file.ending, data)


def with_warnings(data: bytes, ending: str, warnings: Sequence[str]) -> bytes:
    """A file with that ending with warnings of the capture, so that whoever opens it knows what is missing."""
    if not warnings:
        return data
    if ending.endswith(".xplane.pb"):
        return data + _as_xspace(warnings)
    zips = ending.endswith(".json.gz")
    if not zips and not ending.endswith(".json"):
        return data
    source, copied = io.BytesIO(data), io.BytesIO()
    facts = {WARNINGS: list(warnings)}
    if not zips:
        copy_with((), facts, source, copied)
        return copied.getvalue()
    try:
        with gzip.open(source) as unzipped, gzip.open(copied, "wb", _QUICK) as zipped:
            copy_with((), facts, unzipped, zipped)
    except (OSError, EOFError, zlib.error):  # It is damaged, and says so to whoever opens it.
        return data
    return copied.getvalue()


def _as_xspace(warnings: Iterable[str]) -> bytes:
    """Messages of protobuf that are written one behind the other are one."""
    return b"".join(Message("XSpace").text("warnings", warning).encoded() for warning in warnings)


def session_folder(parent: str, started: float, name: str) -> str:
    """Makes the folder, or joins the one of another rank. Raises OSError."""
    if ranks.world_size() == 1:
        return own_folder(parent, started, name)
    suffix = f"_{name}" if name else ""
    joined = _of_other_ranks(parent, started, suffix)
    if joined is None:
        own = own_folder(parent, started, name)
        # Another rank may have made one at the same moment: the earliest name is that of all.
        joined = _of_other_ranks(parent, started, suffix) or own
        if joined != own:
            with contextlib.suppress(OSError):
                os.rmdir(own)
    return joined


def _of_other_ranks(parent: str, started: float, suffix: str) -> str | None:
    """The earliest folder of this capture that has no file of this rank yet."""
    mine = f"{ranks.worker_name()}."
    for name in sorted(_listed(parent)):
        match = _NAMED.match(name)
        if match is None or match["rest"] != suffix or abs(_seconds(match["time"]) - started) > SAME_CAPTURE_SECONDS:
            continue
        folder = os.path.join(parent, name)
        if not any(file.startswith(mine) for file in _listed(folder)):
            return folder
    return None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _seconds(written: str) -> float:
    try:
        return time.mktime(time.strptime(written, _TIME))
    except (ValueError, OverflowError):
        return float("-inf")


def _free_name(folder: str, worker: str, endings: list[str]) -> str:
    """The worker's name, with a number where another process of the host has taken it."""
    taken, name, number = set(_listed(folder)), worker, 1
    while any(f"{name}{ending}" in taken or f"{name}{ending}.gz" in taken for ending in endings):
        number += 1
        name = f"{worker}_{number}"
    return name


def _move(file: Recorded, target: str) -> None:
    """Torch's traces shrink to a tenth on the way."""
    zips = file.ending == _ZIPPED
    target = f"{target}.gz" if zips else target
    part = f"{target}.part"
    try:
        if zips or file.events or file.facts:
            with open(file.path, "rb") as source, gzip.open(part, "wb", _QUICK) if zips else open(part, "wb") as sink:
                copy_with(file.events, file.facts, source, sink)
            os.unlink(file.path)
        else:
            shutil.move(file.path, part)
        os.replace(part, target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def _with_warnings(file: Recorded, warnings: Sequence[str]) -> Recorded:
    """The file with what the capture has to say of it; what is neither an XSpace nor a Chrome trace stays as it is."""
    if not warnings:
        return file
    if file.notable:
        with open(file.path, "ab") as space:
            space.write(_as_xspace(warnings))
        return file
    return replace(file, facts={**file.facts, WARNINGS: list(warnings)}) if file.ending.endswith(".json") else file
