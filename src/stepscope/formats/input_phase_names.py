"""The table by which names tell the parts of preparing a batch: reading, decoding, transforming, collating, pinning, handing over."""

from __future__ import annotations

import re

PHASE_NAMES: tuple[tuple[int, str, str], ...] = (
    (0, "pin", r"pin_memory"),
    (0, "collate", r"collate|^aten::(stack|cat)$"),
    (0, "upstream", r"selectors\.py|threading\.py\(\d+\): wait|(method|function) (poll|select|acquire)\b"),
    (0, "hand_over", r"multiprocessing/|built-in function loads\b"),
    (0, "shuffle", r"data/sampler\.py"),
    (1, "decode", r"[Dd]ecode|\bPIL/|ParseExample|ParseSequence|imread"),
    (
        1,
        "read",
        r"\bReadFile\b|built-in (function|method) (io\.)?(open|open_code|read|readinto|readline)\b"
        r"|npyio|zipfile\.py|tarfile\.py|\bh5py/",
    ),
    (2, "collate", r"::(Batch|BatchV2|PaddedBatch|PaddedBatchV2|ParallelBatch)$"),
    (2, "read", r"::(TFRecord|TextLine|FixedLengthRecord|CSV|Interleave|ParallelInterleave\w*|TensorSlice|Range|Tensor)$"),
    (2, "shuffle", r"::(Shuffle|ShuffleAndRepeat)$"),
    (2, "upstream", r"::(Prefetch|Root)$|^IteratorGetNext"),
    (2, "own_code", r"__getitems?__|::(Generator|FlatMap)$"),
    (2, "transform", r"transforms?/|albumentations/|::(Map|ParallelMap\w*|MapAndBatch|Filter|ParallelFilter|Scan)$"),
    (3, "transform", r"^aten::"),
    (4, "upstream", r"_MultiProcessing"),
)
"""Rank, phase and pattern; the first pattern that is found in a span's name tells its phase.

Of the spans around an instant that have a phase, the one with the lowest rank owns it, then the innermost: what a queue reads is
handing over, and the operations of a `collate` are collating, while a stage that another one calls has its own time.
"""

_PATTERNS = tuple((rank, phase, re.compile(pattern)) for rank, phase, pattern in PHASE_NAMES)


def input_phase(name: str) -> tuple[int, str] | None:
    """Rank and phase of the first row that fits; None for a name that tells nothing."""
    return next(((rank, phase) for rank, phase, pattern in _PATTERNS if pattern.search(name)), None)
