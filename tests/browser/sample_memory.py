"""Adds memory to the traces of sample_profiles: every step keeps and gives back known bytes on the GPU and on the host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MIB = 1 << 20
BEFORE = 1024 * MIB


def add_memory(path: Path, steps: int = 6, *, keeps: int = 0) -> None:
    """In each step aten::mm takes 512 MiB and aten::copy_ 256 MiB, which go, and `keeps` MiB, which stay; a gibibyte was there."""
    trace = json.loads(path.read_text())
    held = BEFORE
    for place in range(steps):
        at = 10.0 * place
        for offset, size, address in (
            (3.05, 512 * MIB, 1),
            (3.30, 256 * MIB, 2),
            (3.40, keeps * MIB, 100 + place),
            (9.00, -256 * MIB, 2),
            (9.50, -512 * MIB, 1),
        ):
            held += size
            if size:
                trace["traceEvents"].append(_moved(at + offset, size, address, held, 4096 * MIB, 0))
        trace["traceEvents"].append(_moved(at + 0.5, 64 * MIB, 7, 64 * MIB, 0, -1))
        trace["traceEvents"].append(_moved(at + 2.5, -64 * MIB, 7, 0, 0, -1))
    path.write_text(json.dumps(trace))


def _moved(ms: float, size: int, address: int, total: int, reserved: int, device: int) -> dict[str, Any]:
    facts = {"Bytes": size, "Addr": address, "Total Allocated": total, "Total Reserved": reserved}
    facts |= {"Device Type": 0 if device < 0 else 1, "Device Id": device}
    return {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 100, "ts": ms * 1e3, "args": facts}
