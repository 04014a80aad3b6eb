"""Hand-made allocations for tests: one line an event, in order of time, on a drawn timeline or on none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyses.timeline import timeline
from stepscope.model.profile import NONE, Allocations, Device, Profile


@dataclass
class Event:
    """`time` in milliseconds of the drawing; `around` names the innermost span."""

    time: float
    bytes: int
    address: int = NONE
    around: str = ""
    device: int = NONE
    op: str = ""
    shape: str = ""
    dtype: str = ""
    allocated: int = NONE
    reserved: int = NONE
    allocator: str = ""


def with_allocations(picture: str, events: Sequence[Event], *, capacity: int = 0, **names: Any) -> Profile:
    """The drawn profile with these events; GPU 0 is there when an event is on it."""
    profile = timeline(picture, **names)
    texts = list(profile.names)

    def number(text: str) -> int:
        if not text:
            return NONE
        if text not in texts:
            texts.append(text)
        return texts.index(text)

    def row(event: Event) -> int:
        at = round(event.time * 1e6)
        spans = profile.spans
        rows = [
            place
            for place in range(len(spans))
            if event.around and texts[spans.name[place]] == event.around and spans.start[place] <= at <= spans.end[place]
        ]
        return rows[-1] if rows else NONE

    def column(values: Sequence[int], kind: type = np.int64) -> np.ndarray:
        return np.array(values, kind)

    table = Allocations(
        time=column([round(event.time * 1e6) for event in events]),
        row=column([row(event) for event in events], np.int32),
        device=column([event.device for event in events], np.int32),
        allocator=column([number(event.allocator) for event in events], np.int32),
        address=column([event.address for event in events]),
        bytes=column([event.bytes for event in events]),
        allocated=column([event.allocated for event in events]),
        reserved=column([event.reserved for event in events]),
        op=column([number(event.op) for event in events], np.int32),
        shape=column([number(event.shape) for event in events], np.int32),
        dtype=column([number(event.dtype) for event in events], np.int32),
    )
    on_device = any(event.device == 0 for event in events)
    devices = [Device("Test", "GPU", 0, memory_bytes=capacity)] if on_device else profile.devices
    return replace(profile, names=texts, allocations=table, devices=devices)
