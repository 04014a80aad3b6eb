"""Recognises XSpace files, reads them into a Profile, and single events of them when their attributes are asked for."""

from __future__ import annotations

import os

from stepscope._native import UnreadableXSpace, read_xspace, xspace_arguments, xspace_file_arguments
from stepscope.formats.file_content import is_compressed, read_buffer, read_content
from stepscope.formats.format import Limits
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.formats.xplane.eager_operations import with_eager_operations
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.sources.files import origin_of

_SUFFIXES = (".xplane.pb", ".xplane.pb.gz")
_PLANES = (b"/host:", b"/device:", b"/virtualdevice:", b"#Chip", b"Task Environment", b"Host CPUs", b"Syscalls")

_PLANE, _ID, _NAME = 0x0A, 0x08, 0x12
"""The keys with which a file begins: a plane, in it perhaps an id, and its name."""


def is_candidate(name: str) -> bool:
    """Whether a file of that name may be one: profilers always write the suffix."""
    return name.endswith(_SUFFIXES)


def sniff(head: bytes, name: str) -> bool:
    """Whether the bytes begin with a plane that has a known name; an empty file is one by its name."""
    if not head:
        return is_candidate(name)
    if head[0] != _PLANE:
        return False
    at = _after_varint(head, 1)
    if head[at : at + 1] == bytes((_ID,)):
        at = _after_varint(head, at + 1)
    if head[at : at + 1] != bytes((_NAME,)):
        return False
    return head[_after_varint(head, at + 1) :].startswith(_PLANES)


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


def _after_varint(data: bytes, at: int) -> int:
    while at < len(data) and data[at] & 0x80:
        at += 1
    return at + 1


def _host_of(path: str) -> str:
    name = os.path.basename(path)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name
