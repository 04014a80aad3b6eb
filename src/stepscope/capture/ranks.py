"""Which of several training processes this is, and what its files are called, without loading a framework."""

from __future__ import annotations

import os
import re
import socket
import sys
from typing import Any

_RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_SIZE_VARIABLES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100


def rank() -> int:
    """The process's number among all: torch's if its processes have met, else what the launcher set, else 0."""
    distributed = _met()
    return int(distributed.get_rank()) if distributed is not None else _from_launcher(_RANK_VARIABLES, 0)


def world_size() -> int:
    """How many processes train together: torch's number if they have met, else what the launcher set, else 1."""
    distributed = _met()
    return int(distributed.get_world_size()) if distributed is not None else max(1, _from_launcher(_SIZE_VARIABLES, 1))


def worker_name() -> str:
    """The start of this process's file names in a session's folder: the host, and the rank where there are several."""
    host = plain_name(socket.gethostname()) or "host"
    return f"{host}_rank{rank()}" if world_size() > 1 else host


def plain_name(text: str) -> str:
    """The text in characters that file names of every system can have."""
    return _NOT_IN_NAMES.sub("_", text).strip("._")[:_LONGEST_NAME]


def _met() -> Any:  # noqa: ANN401 (torch.distributed, if it is in use)
    distributed: Any = sys.modules.get("torch.distributed")
    return distributed if distributed is not None and distributed.is_available() and distributed.is_initialized() else None


def _from_launcher(variables: tuple[str, ...], otherwise: int) -> int:
    values = (os.environ.get(name, "") for name in variables)
    return next((int(value) for value in values if value.isdecimal()), otherwise)
