"""Precision-recall curves, counted one by one, as records."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

import event_bytes as eb
import histogram_logs as hl

Rows = Sequence[Sequence[float]]


def counted(labels: Sequence[int], scores: Sequence[float], thresholds: int = 5) -> Rows:
    """The six rows of a curve, counted one by one."""
    rows: list[list[float]] = []
    for threshold in np.linspace(0, 1, thresholds):
        called = [score >= threshold for score in scores]
        tp = sum(1 for label, positive in zip(labels, called, strict=True) if label and positive)
        fp = sum(called) - tp
        fn = sum(labels) - tp
        tn = len(labels) - tp - fp - fn
        rows.append([tp, fp, tn, fn, tp / max(tp + fp, 1e-7), tp / max(tp + fn, 1e-7)])
    return [list(row) for row in zip(*rows, strict=True)]


def record(tag: str, step: int, rows: Rows) -> bytes:
    """A record as torch writes it."""
    numbers = [number for row in rows for number in row]
    packed = struct.pack(f"<{len(numbers)}f", *numbers)
    return raw(tag, step, eb.tensor(eb.FLOAT, eb.message(5, packed), shape=[len(rows), len(rows[0])]))


def raw(tag: str, step: int, tensor: bytes) -> bytes:
    """A record whose metadata says curve, with whatever tensor."""
    return hl.record(tag, step, eb.message(8, tensor), eb.message(9, eb.metadata(b"pr_curves", data_class=2)))
