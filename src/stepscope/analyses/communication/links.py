"""What the fastest large collective of a rank reaches of the link between its devices."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.communication.sizes import algorithm_bandwidth, bus_bandwidth, message_bytes
from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import NONE, Profile, SpanKind, TrackRole

LINKS: tuple[tuple[str, float], ...] = (
    (r"GB200|B200", 900e9),
    (r"H100.*PCIe|A100.*PCIe", 32e9),
    (r"H[12]00", 450e9),
    (r"A100", 300e9),
    (r"V100.*PCIe", 16e9),
    (r"V100", 150e9),
    (r"MI3\d\d", 448e9),
    (r"MI2\d\d", 200e9),
)
"""Bytes per second in one direction between neighbouring devices, by the device's name; from the makers' data sheets."""
_LARGE = 1_000_000
"""Bytes; below about a megabyte the time of a collective is latency rather than bandwidth."""


@dataclass(frozen=True, slots=True)
class LinkUse:
    """Bus bandwidth of one collective beside what the link can carry, in bytes per second."""

    device: str
    bus: float
    link: float
    row: int

    @property
    def share(self) -> float:
        """Of the link."""
        return self.bus / self.link


def link_use(profile: Profile) -> LinkUse | None:
    """Of the collective with the highest bus bandwidth; None where sizes, ranks or the device are not known."""
    device = next((one.name for one in profile.devices if one.name), "")
    link = next((speed for pattern, speed in LINKS if re.search(pattern, device, re.IGNORECASE)), None)
    if link is None:
        return None
    table, spans = profile.collectives, profile.spans
    on_streams = np.isin(table.row, rows_of_role(profile, TrackRole.STREAM)) & (spans.kind[table.row] == SpanKind.COLLECTIVE)
    found: list[tuple[float, int]] = []
    for place in np.flatnonzero(on_streams).tolist():
        row, ranks = int(table.row[place]), int(table.group_size[place])
        ranks = ranks if ranks != NONE else profile.world_size
        kind = profile.names[int(table.name[place])] if table.name[place] >= 0 else ""
        given = [int(column[place]) if column[place] >= 0 else None for column in (table.in_bytes, table.out_bytes)]
        size = message_bytes(kind, given[0], given[1], ranks if ranks > 0 else None)
        if size is None or size < _LARGE:
            continue
        seconds = max(1, int(spans.end[row] - spans.start[row])) / 1e9
        bus = bus_bandwidth(kind, algorithm_bandwidth(size, seconds), ranks)
        if bus is not None:
            found.append((bus, -row))
    if not found:
        return None
    bus, row = max(found)
    return LinkUse(device, bus, link, -row)
