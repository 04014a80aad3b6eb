"""What a snapshot of the CUDA allocator holds, as torch writes it."""

from __future__ import annotations

from typing import Any

FORWARD = [{"filename": "train.py", "line": 12, "name": "forward"}, {"filename": "??", "line": 0, "name": "main"}]


def example() -> dict[str, Any]:
    blocks = [
        {"address": 1024, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": FORWARD},
        {"size": 256, "state": "inactive"},
        {"size": 256, "state": "active_awaiting_free", "requested_size": 256},
    ]
    segment = {"device": 0, "address": 1024, "total_size": 1024, "stream": 0, "segment_type": "small", "is_expandable": False}
    traces = [
        {"action": "segment_alloc", "addr": 1024, "size": 1024, "stream": 0, "time_us": 10},
        {"action": "alloc", "addr": 1024, "size": 512, "stream": 0, "frames": FORWARD, "time_us": 20, "category": "activation"},
        {"action": "alloc", "addr": 1536, "size": 256, "stream": 0, "frames": FORWARD, "time_us": 25},
        {"action": "free_requested", "addr": 1536, "size": 256, "stream": 0, "time_us": 30},
        {"action": "free_completed", "addr": 1536, "size": 256, "stream": 0, "time_us": 40},
        {"action": "oom", "addr": 0, "size": 1 << 40, "device_free": 4096, "stream": 0, "time_us": 50},
    ]
    return {"segments": [segment | {"blocks": blocks}], "device_traces": [traces], "allocator_settings": {"max_split_size": -1}}
