"""Reads XSpace files into a Profile, and single events of them when their attributes are asked for."""

from __future__ import annotations

import os

from stepscope._native import UnreadableXSpace, read_xspace, xspace_arguments, xspace_file_arguments
from stepscope.formats.file_content import is_compressed, read_buffer, read_content
from stepscope.formats.format import Limits
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.formats.xplane import SUFFIXES
from stepscope.formats.xplane.eager_operations import with_eager_operations
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.sources.files import origin_of


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    content = read_buffer(path, limits)
    try:
        tables = read_xspace(content, limits.spans, limits.names)
    except UnreadableXSpace as problem:
        raise BadInput(f"{path} {problem}", "unreadable_profile") from None
    return with_eager_operations(profile_from_columns(tables, format="xplane", path=path, host=_host_of(path)))


def read_arguments(path: str, offset: int, limits: Limits | None = None) -> dict[str, int | float | str]:
    """Every attribute of the event at `Spans.source`, as the file has them. Raises BadInput or NotThere."""
    try:
        if is_compressed(path):
            return dict(xspace_arguments(read_content(path, limits or Limits()), offset))
        return dict(xspace_file_arguments(origin_of(path), offset))
    except UnreadableXSpace as problem:
        raise BadInput(f"{path} {problem}", "unreadable_profile") from None


def _host_of(path: str) -> str:
    name = os.path.basename(path)
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name
