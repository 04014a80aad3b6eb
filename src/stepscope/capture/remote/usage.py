"""What a process says of itself when it is asked by ProfilerService's Monitor: its framework, and its use of the machine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from stepscope.capture import ranks, running
from stepscope.capture.profilers.choice import framework_in_use
from stepscope.capture.system_probes import Probes, all_probes
from stepscope.model.number_text import three_digits


def usage_text(wait: Callable[[], None]) -> str:
    """One fact a line, `name: value`; rates are those of the time that `wait` takes."""
    probes = Probes(all_probes(None, children=False))
    try:
        probes.read(time.monotonic())
        wait()
        readings = probes.read(time.monotonic())
    finally:
        probes.close()
    facts = [
        ("timestamp", time.strftime("%Y-%m-%dT%H:%M:%S%z")),
        ("process", str(os.getpid())),
        ("worker", ranks.worker_name()),
        ("framework", framework_in_use()),
        ("capturing", "yes" if running.is_recording() else "no"),
        *((name.replace("/", " "), three_digits(value)) for name, value in readings),
    ]
    return "\n".join(f"{name}: {value}" for name, value in facts)
