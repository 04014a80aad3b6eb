"""XSpace files (*.xplane.pb) of TensorFlow's and JAX's profilers, scanned by the native core."""

from __future__ import annotations

from stepscope.formats.format import ProfileFormat
from stepscope.formats.kind_rows import native_rows
from stepscope.formats.xplane.buffers import read_plans
from stepscope.formats.xplane.programs import read_programs
from stepscope.formats.xplane.read import is_candidate, read, read_arguments, sniff

_TITLE = "TensorFlow or JAX profile"
_HELD_AGAINST = {"host": "host events", "device": "work of streams", "hlo": "compiled operations"}

FORMAT = ProfileFormat(
    "xplane",
    _TITLE,
    is_candidate,
    sniff,
    read,
    read_arguments=read_arguments,
    read_programs=read_programs,
    read_plans=read_plans,
    endings=(".xplane.pb",),
    sure_endings=(".xplane.pb",),
    preferred=True,
    kind_rows=lambda: native_rows("xplane", _TITLE, _HELD_AGAINST),
)
