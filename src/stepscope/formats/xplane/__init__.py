"""XSpace files (*.xplane.pb) of TensorFlow's and JAX's profilers, scanned by the native core."""

from __future__ import annotations

from stepscope.formats.format import ProfileFormat
from stepscope.formats.xplane.read import is_candidate, read, read_arguments, sniff

FORMAT = ProfileFormat("xplane", "TensorFlow or JAX profile", is_candidate, sniff, read, read_arguments=read_arguments)
