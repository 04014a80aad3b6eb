"""Reads memory snapshots into profiles: the allocator's events as allocations, and what it holds at the end."""

from __future__ import annotations

import os
from dataclasses import replace

from stepscope._native import NotPlain, ProfileBuilder, read_plain_pickle
from stepscope.formats.far_times import far_note
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits
from stepscope.formats.memory_snapshot import FORMAT
from stepscope.formats.memory_snapshot.tables import NotASnapshot, snapshot_tables
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.memory_snapshot import AllocatorAction, MemorySnapshot
from stepscope.model.profile import NONE, Device, Note, Profile, TrackPurpose, TrackRole

_FEWEST_ROWS, _ROW_BYTES = 1_000, 16


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    name = os.path.basename(path)
    data = read_content(path, limits)
    try:
        # A row takes more bytes than this in a file; shared references could make any number of them.
        rows = min(limits.spans, _FEWEST_ROWS + len(data) // _ROW_BYTES)
        snapshot, far = snapshot_tables(read_plain_pickle(data), rows, limits.names)
    except NotPlain as error:
        raise BadInput(f"{name} cannot be read as a memory snapshot, because {error}.", "not_plain") from error
    except NotASnapshot as error:
        raise BadInput(f"{name} is not a memory snapshot: {error}.", "not_a_snapshot") from error
    profile = _as_profile(snapshot, path)
    if far:
        profile.notes.append(far_note(far))
    if len(snapshot.stacks) >= limits.names:
        profile.notes.append(
            Note("warning", "too_many_names", "The snapshot has more stacks than the limit; the other stacks are skipped.")
        )
    return profile


def _as_profile(snapshot: MemorySnapshot, path: str) -> Profile:
    """The allocator's events as the allocations of a profile, so that the memory timeline is one for all formats."""
    builder = ProfileBuilder()
    track = builder.add_track("allocator", TrackRole.THREAD, TrackPurpose.OTHER)
    events = snapshot.events
    base = int(events.time[0]) if snapshot.has_times and len(events.time) else 0
    signs = {AllocatorAction.ALLOCATE: 1, AllocatorAction.FREE_COMPLETED: -1}
    for at in range(len(events.time)):
        sign = signs.get(AllocatorAction(int(events.action[at])))
        if sign is not None:
            builder.add_allocation(track, int(events.time[at]) - base, sign * int(events.bytes[at]), "cuda", int(events.device[at]))
    profile = profile_from_columns(builder.finish(), format=FORMAT.id, path=path)
    count = 1 + max(events.device.max(initial=NONE), snapshot.segments.device.max(initial=NONE))
    last = int(events.time[-1]) - base if len(events.time) else 0
    return replace(
        profile,
        base_ns=base,
        window=(0, last),
        framework="PyTorch",
        devices=[Device("", "GPU", ordinal) for ordinal in range(int(count))],
        environment=snapshot.settings,
        memory_snapshot=snapshot,
        notes=[*profile.notes, *_notes(snapshot)],
    )


def _notes(snapshot: MemorySnapshot) -> list[Note]:
    notes = [Note("info", "no_steps", "A memory snapshot shows allocator events and has no times of operations.")]
    if not snapshot.has_times and len(snapshot.events.time):
        notes.append(Note("info", "no_times", "The snapshot records the order of its events but not their times."))
    if not len(snapshot.events.time):
        notes.append(
            Note("warning", "no_history", "It has no history: call torch.cuda.memory._record_memory_history() before training.")
        )
    return notes
