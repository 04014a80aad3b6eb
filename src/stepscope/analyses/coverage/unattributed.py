"""Work of a trace that belongs to no operation: communication, kernels of CUDA graphs, and kernels that a library launched itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.coverage.coverage import Covered
from stepscope.analyses.coverage.reasons import Reason
from stepscope.analyses.graphs.node_times import NodeTime
from stepscope.model.profile import NONE, Profile, SpanKind, TrackRole

_TYPES = {Reason.COMMUNICATION: "communication", Reason.CUDA_GRAPH: "kernel", Reason.EXTERNAL: "kernel"}
_EVIDENCE = {
    Reason.COMMUNICATION: "a collective that no operation encloses",
    Reason.CUDA_GRAPH: "its kernels have the number of a CUDA graph node",
    Reason.EXTERNAL: "no operation of the framework launched its kernels",
}


def unattributed(profiles: Sequence[Profile]) -> list[Covered]:
    """Such work by name, in order of first appearance; it has time, and cannot have memory."""
    found: dict[tuple[str, Reason], list[int]] = {}
    for profile in profiles:
        spans = profile.spans
        roles = np.array([track.role for track in profile.tracks], np.int8)
        on_device = roles[spans.track] == TrackRole.STREAM if len(spans) else np.zeros(0, np.bool_)
        owns_time = on_device | (roles[spans.track] == TrackRole.THREAD) if len(spans) else on_device
        collective = (spans.kind == SpanKind.COLLECTIVE) & owns_time
        kernel = (spans.kind == SpanKind.KERNEL) & on_device
        in_graph = np.zeros(len(spans), np.bool_)
        in_graph[profile.kernels.row[profile.kernels.graph_node != NONE]] = True
        rows: list[int] = np.flatnonzero((collective | kernel) & (spans.op == NONE)).tolist()
        for row in rows:
            reason = Reason.COMMUNICATION if collective[row] else Reason.CUDA_GRAPH if in_graph[row] else Reason.EXTERNAL
            sums = found.setdefault((profile.names[int(spans.name[row])], reason), [0, 0, 0])
            sums[0] += 1
            sums[2 if on_device[row] else 1] += int(spans.end[row] - spans.start[row])
    return [
        Covered(
            name,
            _TYPES[reason],
            False,
            NodeTime(name, _TYPES[reason], "", count, host, device, 0, False),
            None,
            reason,
            evidence=_EVIDENCE[reason],
        )
        for (name, reason), (count, host, device) in found.items()
    ]
