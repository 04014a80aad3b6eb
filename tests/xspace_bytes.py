"""Builds the bytes of XSpace files by hand, field by field, independently of the code under test."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import event_bytes as eb

StatValue = int | float | str | bytes


@dataclass
class Plane:
    """One plane under construction: names get their ids when they are first used."""

    name: str
    events: dict[str, int] = field(default_factory=dict[str, int])
    stats: dict[str, int] = field(default_factory=dict[str, int])
    shown: dict[str, str] = field(default_factory=dict[str, str])
    event_stats: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    own_stats: list[bytes] = field(default_factory=list[bytes])
    lines: list[bytes] = field(default_factory=list[bytes])

    def stat(self, name: str, value: StatValue) -> bytes:
        """An XStat; a text that begins with "ref:" is written as a reference."""
        number = self.stats.setdefault(name, len(self.stats) + 1)
        head = eb.integer(1, number)
        if isinstance(value, str) and value.startswith("ref:"):
            return head + eb.integer(7, self.stats.setdefault(value.removeprefix("ref:"), len(self.stats) + 1))
        if isinstance(value, str):
            return head + eb.message(5, value.encode())
        if isinstance(value, bytes):
            return head + eb.message(6, value)
        if isinstance(value, float):
            return head + eb.double(2, value)
        return head + eb.integer(4 if value < 0 else 3, value)

    def set(self, **stats: StatValue) -> Plane:
        """Stats of the plane itself."""
        self.own_stats += [self.stat(name, value) for name, value in stats.items()]
        return self

    def describe(self, event: str, shown: str, /, **stats: StatValue) -> None:
        """The display name and the stats of a kind of event."""
        self.events.setdefault(event, len(self.events) + 1)
        self.shown[event] = shown
        self.event_stats[event] = [self.stat(name, value) for name, value in stats.items()]

    def event(self, name: str, start_ps: int, duration_ps: int, /, **stats: StatValue) -> bytes:
        """An XEvent."""
        number = self.events.setdefault(name, len(self.events) + 1)
        content = eb.integer(1, number) + eb.integer(2, start_ps) + eb.integer(3, duration_ps)
        return content + b"".join(eb.message(4, self.stat(key, value)) for key, value in stats.items())

    def counted(self, name: str, occurrences: int, duration_ps: int) -> bytes:
        """An XEvent that only counts."""
        number = self.events.setdefault(name, len(self.events) + 1)
        return eb.integer(1, number) + eb.integer(3, duration_ps) + eb.integer(5, occurrences)

    def line(self, name: str, *events: bytes, id: int = 1, timestamp_ns: int = 0, shown: str = "") -> Plane:
        """Adds an XLine."""
        content = eb.integer(1, id) + eb.message(2, name.encode()) + eb.integer(3, timestamp_ns)
        content += b"".join(eb.message(4, event) for event in events)
        self.lines.append(content + (eb.message(11, shown.encode()) if shown else b""))
        return self

    def serialize(self) -> bytes:
        """The XPlane, in the order of its field numbers as every writer has it."""
        parts = [eb.message(2, self.name.encode()), *(eb.message(3, line) for line in self.lines)]
        for name, number in self.events.items():
            metadata = eb.integer(1, number) + eb.message(2, name.encode())
            if self.shown.get(name):
                metadata += eb.message(4, self.shown[name].encode())
            metadata += b"".join(eb.message(5, stat) for stat in self.event_stats.get(name, []))
            parts.append(eb.message(4, eb.integer(1, number) + eb.message(2, metadata)))
        for name, number in self.stats.items():
            parts.append(eb.message(5, eb.integer(1, number) + eb.message(2, eb.integer(1, number) + eb.message(2, name.encode()))))
        return b"".join([*parts, *(eb.message(6, stat) for stat in self.own_stats)])


def space(*planes: Plane, errors: tuple[str, ...] = (), warnings: tuple[str, ...] = (), host: str = "box") -> bytes:
    """The XSpace of the planes."""
    out = b"".join(eb.message(1, plane.serialize()) for plane in planes)
    out += b"".join(eb.message(2, text.encode()) for text in errors) + b"".join(eb.message(3, text.encode()) for text in warnings)
    return out + (eb.message(4, host.encode()) if host else b"")


def write(folder: Path, content: bytes, name: str = "box.xplane.pb") -> str:
    """A file with that content."""
    path = folder / name
    path.write_bytes(content)
    return str(path)
