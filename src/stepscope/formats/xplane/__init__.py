"""XSpace files (*.xplane.pb) of TensorFlow's and JAX's profilers, scanned by the native core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat
from stepscope.formats.kind_rows import native_rows

if TYPE_CHECKING:
    from stepscope.model.hlo import HloProgram
    from stepscope.model.profile import Note, Profile
    from stepscope.model.program_buffers import ProgramBuffers

_TITLE = "TensorFlow or JAX profile"
_HELD_AGAINST = {"host": "host events", "device": "work of streams", "hlo": "compiled operations"}

SUFFIXES = (".xplane.pb", ".xplane.pb.gz")
_PLANES = (b"/host:", b"/device:", b"/virtualdevice:", b"#Chip", b"Task Environment", b"Host CPUs", b"Syscalls")

_PLANE, _ID, _NAME = 0x0A, 0x08, 0x12
"""The keys with which a file begins: a plane, in it perhaps an id, and its name."""


def is_candidate(name: str) -> bool:
    """Whether a file of that name may be one: profilers always write the suffix."""
    return name.endswith(SUFFIXES)


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


def _after_varint(data: bytes, at: int) -> int:
    while at < len(data) and data[at] & 0x80:
        at += 1
    return at + 1


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.xplane.read import read

    return read(path, limits)


def _read_arguments(path: str, offset: int) -> Mapping[str, object]:
    from stepscope.formats.xplane.read import read_arguments

    return read_arguments(path, offset)


def _read_programs(profile: Profile, limits: Limits) -> tuple[list[HloProgram], list[Note]]:
    from stepscope.formats.xplane.programs import read_programs

    return read_programs(profile, limits)


def _read_plans(profile: Profile, limits: Limits) -> tuple[list[ProgramBuffers], list[Note]]:
    from stepscope.formats.xplane.buffers import read_plans

    return read_plans(profile, limits)


FORMAT = ProfileFormat(
    "xplane",
    _TITLE,
    is_candidate,
    sniff,
    _read,
    read_arguments=_read_arguments,
    read_programs=_read_programs,
    read_plans=_read_plans,
    endings=(".xplane.pb",),
    sure_endings=(".xplane.pb",),
    preferred=True,
    kind_rows=lambda: native_rows("xplane", _TITLE, _HELD_AGAINST),
)
