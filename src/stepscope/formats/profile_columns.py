"""Makes a Profile of the native core's tables: columns share their memory, small tables become objects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from stepscope.model.errors import BadInput
from stepscope.model.profile import (
    Aggregates,
    Allocations,
    Collectives,
    Copies,
    Counters,
    Device,
    Flows,
    Kernels,
    Markers,
    Note,
    Operation,
    Profile,
    Program,
    Spans,
    Track,
    TrackPurpose,
    TrackRole,
)

if TYPE_CHECKING:
    from stepscope._native import ProfileTables


MOST_DEVICES = 1024
"""Of one process; no machine has more, and the analyses look at each beside the others."""


def profile_from_columns(tables: ProfileTables, *, format: str, path: str, host: str = "") -> Profile:
    """The profile that the tables hold; `host` names the machine when the file does not. Raises BadInput."""
    # Its patterns take as long to compile as a small log folder to load, which has no use for them.
    from stepscope.formats.name_rules import NAME_RULES

    check_devices(len(tables.devices), path)
    return Profile(
        format=format,
        path=path,
        host=tables.host or host,
        rank=tables.rank,
        world_size=tables.world_size,
        base_ns=tables.base_ns,
        window=tables.window,
        framework=tables.framework,
        environment=tables.environment,
        names=tables.names,
        tracks=[
            Track(name, TrackRole(role), TrackPurpose(purpose), process, device, number, first, last)
            for name, role, purpose, process, device, number, first, last in tables.tracks
        ],
        devices=[Device(*device) for device in tables.devices],
        ops=[Operation(*operation) for operation in tables.ops],
        programs=[Program(*program) for program in tables.programs],
        spans=Spans(**tables.spans),
        markers=Markers(**tables.markers),
        kernels=Kernels(**tables.kernels),
        copies=Copies(**tables.copies),
        collectives=Collectives(**tables.collectives),
        allocations=Allocations(**tables.allocations),
        flows=Flows(**tables.flows),
        counters=Counters(**tables.counters),
        aggregates=Aggregates(**tables.aggregates),
        notes=[Note(*note) for note in tables.notes],
        name_rules=NAME_RULES,
    )


def check_devices(count: int, path: str) -> None:
    """Raises BadInput when a file names more devices than a machine can have."""
    if count > MOST_DEVICES:
        name = os.path.basename(path)
        raise BadInput(
            f"{name} names {count:,} devices, and no machine has more than {MOST_DEVICES:,}: it is corrupt.", "too_many_devices"
        )
