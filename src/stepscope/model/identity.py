"""Identifiers that outlive a process: run ids hang on names alone, so that links, colours and notes keep."""

from __future__ import annotations

import hashlib
import os
from typing import NewType

RunId = NewType("RunId", str)
"""12 hexadecimal digits; the same for the same root name and run name, on any machine."""

TagId = NewType("TagId", int)
"""An index into the library's name pool; holds for one process."""


def run_id(root: str, name: str) -> RunId:
    """The id of the run called name below the root called root."""
    text = f"{root}\0{name}".encode("utf-8", "surrogateescape")
    return RunId(hashlib.blake2b(text, digest_size=6).hexdigest())


def project_id(place: str) -> str:
    """The id a folder or address has as a project until another one is attached to it: 16 hexadecimal digits of where it lies."""
    real = place if "://" in place else os.path.realpath(place)
    return hashlib.blake2b(real.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
