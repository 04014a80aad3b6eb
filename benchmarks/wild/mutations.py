"""Changes of a trace that take something away from it or spoil it, as files in the wild are spoiled."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

Content = dict[str, Any]
_WORK = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset")
_LAUNCHES = ("cuda_runtime", "cuda_driver", "Runtime")


def read(path: Path) -> Content:
    """A trace as JSON has it. Raises ValueError when it is none."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found = json.loads(raw, strict=False)
    return found if isinstance(found, dict) else {"traceEvents": found}


def _events(content: Content, keep: Callable[[Content], bool]) -> Content:
    return {**content, "traceEvents": [event for event in content["traceEvents"] if keep(event)]}


def without_kernels(content: Content) -> bytes:
    """Launches stay, and no work of a device."""
    return _text(_events(content, lambda event: event.get("cat") not in _WORK and event.get("cat") != "gpu_user_annotation"))


def without_markers(content: Content) -> bytes:
    """No ProfilerStep."""
    return _text(_events(content, lambda event: not str(event.get("name", "")).startswith("ProfilerStep")))


def renamed_device(content: Content) -> bytes:
    """The device is labelled as one that nobody knows."""

    def renamed(event: Content) -> Content:
        labels = (event.get("args") or {}).get("labels") if event.get("ph") == "M" else None
        return {**event, "args": {"labels": labels.replace("GPU", "ZPU")}} if isinstance(labels, str) else event

    return _text({**content, "traceEvents": [renamed(event) for event in content["traceEvents"]]})


def replayed_as_a_graph(content: Content) -> bytes:
    """All kernels are of one graph launch, the first launch of the file."""
    launch = next(
        (event for event in content["traceEvents"] if event.get("cat") in _LAUNCHES and "Launch" in str(event.get("name"))), None
    )
    if launch is None:
        return _text(content)
    correlation = (launch.get("args") or {}).get("correlation")

    def replayed(event: Content) -> Content:
        return {**event, "args": {**(event.get("args") or {}), "correlation": correlation}} if event.get("cat") in _WORK else event

    return _text({**content, "traceEvents": [replayed(event) for event in content["traceEvents"]]})


def cut(content: Content) -> bytes:
    """The last two fifths are missing."""
    text = _text(content)
    return text[: 3 * len(text) // 5]


def flipped(content: Content) -> bytes:
    """A hundred bits are wrong."""
    text, chance = bytearray(_text(content)), random.Random(7)
    for _ in range(100):
        text[chance.randrange(len(text) // 50, len(text))] ^= 1 << chance.randrange(7)
    return bytes(text)


def _text(content: Content) -> bytes:
    return json.dumps(content).encode()


MUTATIONS: tuple[Callable[[Content], bytes], ...] = (
    without_kernels,
    without_markers,
    renamed_device,
    replayed_as_a_graph,
    cut,
    flipped,
)
