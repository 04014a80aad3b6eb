"""Profiles inside event files: the RunMetadata that TensorFlow 1's FileWriter.add_run_metadata and tf.summary.trace_export log."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from stepscope._native import WIRE, EventFile, NamePool
from stepscope.formats import run_metadata, tfevents
from stepscope.formats.format import SNIFF_BYTES, Limits
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.profile import Profile
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.model.session import InsideFile, ProfileFile, ProfileSession, session_id

MOST_RECORDINGS = 1_000
"""Of one event file; the newest are listed."""

_WALKED_BYTES = 1 << 20
"""A recording up to this size is looked through for times; a larger one that begins as one that has them is believed."""
_HOST = re.compile(r"tfevents\.\d+\.(?P<host>[^.]+)")


def recording_series(events: EventFile, start: int) -> dict[int, int]:
    """The series, from `start` on, whose values are RunMetadata, by place; none of their values has been looked at."""
    return dict.fromkeys((np.flatnonzero(events.kinds(start) == Kind.RUN_METADATA) + start).tolist(), 0)


def find_recordings(events: EventFile, names: NamePool, looked: dict[int, int], inode: int) -> tuple[ProfileFile, ...]:
    """The recordings that hold times, as they were written, beyond how many of each series were `looked` at, which is updated."""
    path = os.fsdecode(events.path)
    host = _HOST.search(os.path.basename(path))
    worker = host["host"] if host else os.path.basename(path)
    found: list[ProfileFile] = []
    tags = events.tag_ids()
    for index, before in looked.items():
        tag = names.name(int(tags[index])).decode("utf-8", "replace")
        values = list(zip(*(column.tolist() for column in events.blobs(index)), strict=True))
        looked[index] = len(values)
        for step, wall, offset, length in values[before:][-MOST_RECORDINGS:]:
            if _holds_times(path, offset, length):
                inside = InsideFile(offset, length, tag, step)
                found.append(ProfileFile(path, length, wall, inode, run_metadata.FORMAT.id, worker, inside=inside))
    return tuple(sorted(found, key=_place)[-MOST_RECORDINGS:])


def recordings_of(path: str) -> tuple[ProfileFile, ...] | None:
    """The recordings of one event file, which is read for it; None when the file is none. Raises OSError."""
    with open(path, "rb") as file:
        if not tfevents.sniff(file.read(SNIFF_BYTES)):
            return None
    names = NamePool()
    events = tfevents.open_file(path, names)
    events.scan()
    return find_recordings(events, names, recording_series(events, 0), os.stat(path).st_ino)


def recorded_sessions(run: str, recordings: Iterable[ProfileFile]) -> list[ProfileSession]:
    """One session each, named by its tag; the step tells those of one tag apart, and a number those of one step."""
    files = sorted(recordings, key=lambda file: (file.modified, _place(file)))
    tags = [file.inside.tag for file in files if file.inside]
    taken: set[str] = set()
    sessions: list[ProfileSession] = []
    for file in files:
        if file.inside is None:
            continue
        tag = file.inside.tag or "run metadata"
        name = next(name for name in _names(tag, file.inside.step, tags.count(file.inside.tag) > 1) if name not in taken)
        taken.add(name)
        identity = f"{os.path.basename(file.path)}\0{file.inside.tag}\0{file.inside.offset}"
        sessions.append(ProfileSession(session_id(run, identity), name, file.modified, (file,)))
    return sessions


def read_recording(file: ProfileFile, limits: Limits | None = None) -> Profile:
    """The profile of a recording inside an event file. Raises BadInput, NotThere or TooMuch with one sentence."""
    name, inside, limits = os.path.basename(file.path), file.inside, limits or Limits()
    if inside is None:
        raise ValueError("The file is a recording as a whole.")
    if inside.length > limits.bytes:
        raise TooMuch(
            f"The run metadata {inside.tag} of {name} holds more bytes than may be read; allow more with --max-gib.",
            "profile_too_large",
        )
    try:
        data = _read(file.path, inside.offset, inside.length)
    except FileNotFoundError as error:
        raise NotThere(f"{name} is not there any more; fetch the list of sessions again.", "no_profile") from error
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", "unreadable") from error
    profile = run_metadata.read_bytes(_content(data), file.path, limits)
    return replace(profile, environment=profile.environment | {"tag": inside.tag, "step": str(inside.step)})


def _names(tag: str, step: int, several: bool) -> Iterator[str]:
    if not several:
        yield tag
    yield f"{tag}, step {step}"
    number = 2
    while True:
        yield f"{tag}, step {step} ({number})"
        number += 1


def _place(file: ProfileFile) -> int:
    return file.inside.offset if file.inside else 0


def _read(path: str, offset: int, length: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def _holds_times(path: str, offset: int, length: int) -> bool:
    """TensorFlow 2 logs graphs alone under the same kind, and torch a device that ran nothing."""
    try:
        head = _read(path, offset, min(length, SNIFF_BYTES))
        if length > _WALKED_BYTES and run_metadata.FORMAT.sniff(head, ""):
            return True
        return _has_nodes(_content(_read(path, offset, length)))
    except (OSError, BadMessage):
        return False


def _content(data: bytes) -> bytes:
    """The RunMetadata itself, or the one in the string tensor of a summary's value."""
    if run_metadata.FORMAT.sniff(data[:SNIFF_BYTES], ""):
        return data
    value, tensor = WIRE["Value"], WIRE["TensorProto"]
    try:
        for field in fields(data):
            if field.id == value["tensor"] and field.is_bytes:
                return next((part.data for part in fields(field.data) if part.id == tensor["string_val"] and part.is_bytes), data)
    except BadMessage:
        pass  # reading it says what is wrong
    return data


def _has_nodes(content: bytes) -> bool:
    return any(
        node.id == WIRE["DeviceStepStats"]["node_stats"] and node.is_bytes
        for stats in fields(content)
        if stats.id == WIRE["RunMetadata"]["step_stats"] and stats.is_bytes
        for device in fields(stats.data)
        if device.id == WIRE["StepStats"]["dev_stats"] and device.is_bytes
        for node in fields(device.data)
    )
