"""The number of points that a writer had to give up, kept in the event file itself once it can be written again."""

from __future__ import annotations

import time

from stepscope.writer.message import Message
from stepscope.writer.summary import Moment, metadata_of, shape_of, value_of

TAG = "stepscope/lost_points"
PLUGIN = "stepscope_lost_points"
_INT64 = 9


def lost_points_event(count: int) -> bytes:
    """The event that says how many points of this writer are lost so far; TensorBoard shows nothing of it."""
    tensor = Message("TensorProto").integer("dtype", _INT64).message("tensor_shape", shape_of(())).integers("int64_val", [count])
    value = value_of(TAG).message("metadata", metadata_of(PLUGIN)).message("tensor", tensor)
    return Moment(0, time.time()).event(value)
