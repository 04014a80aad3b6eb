"""Layouts of custom scalars as records."""

from __future__ import annotations

import event_bytes as eb
import histogram_logs as hl

TAG = "custom_scalars__config__"


def layout_record(message: bytes, tag: str = TAG) -> bytes:
    """A record as writers make it, with whatever message."""
    tensor = eb.tensor(eb.STRING, eb.message(8, message), shape=[])
    return hl.record(tag, 0, eb.message(8, tensor), eb.message(9, eb.metadata(b"custom_scalars", data_class=2)))
