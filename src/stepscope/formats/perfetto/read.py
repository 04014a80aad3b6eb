"""Reads Perfetto traces into profiles."""

from __future__ import annotations

import os

from stepscope._native import NoPerfettoTrace, read_perfetto
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits
from stepscope.formats.perfetto import FORMAT
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    name = os.path.basename(path)
    data = read_content(path, limits)
    try:
        tables = read_perfetto(data, limits.spans, limits.names)
    except NoPerfettoTrace as error:
        raise BadInput(f"{name} cannot be shown, because {error}.", "no_slices") from error
    return profile_from_columns(tables, format=FORMAT.id, path=path)
