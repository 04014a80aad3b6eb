"""Which of several training processes this is, without loading a framework."""

from __future__ import annotations

import os
import sys
from typing import Any

_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")


def rank() -> int:
    """The process's number among all: torch's if its processes have met, else what the launcher set, else 0."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    for name in _VARIABLES:
        value = os.environ.get(name, "")
        if value.isdecimal():
            return int(value)
    return 0


def is_first() -> bool:
    """Whether this is the process that logs for all."""
    return rank() == 0
