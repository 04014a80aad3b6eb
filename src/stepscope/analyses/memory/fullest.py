"""How full each device's memory is at its fullest moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.model.profile import NONE, Profile


@dataclass(frozen=True, slots=True)
class Held:
    """A device's memory at its fullest moment, in bytes."""

    allocated: int
    reserved: int  # by the allocator, at the same moment or before it; as much as is allocated when the file does not say
    capacity: int  # 0 when unknown


def fullest_device(profile: Profile) -> Held | None:
    """Of the device that is fullest, None where no total was recorded."""
    table, found = profile.allocations, list[Held]()
    for place, device in enumerate(profile.devices):
        level = np.where(table.device == place, table.allocated, NONE)
        most = int(level.max(initial=NONE))
        if most > 0:
            reserved = int(np.where(table.device == place, table.reserved, NONE).max(initial=NONE))
            found.append(Held(most, max(most, reserved), device.memory_bytes))
    return max(found, key=lambda one: one.allocated / (one.capacity or one.reserved), default=None)


def allocations_recorded(profile: Profile) -> bool:
    """Whether any was."""
    return len(profile.allocations.time) > 0
