"""Nodes with costs as tf.profiler's ProfileProto."""

from __future__ import annotations

from collections.abc import Callable

from stepscope.model.node_costs import CostNode, Costs, Execution, Frame, StepCost
from stepscope.model.protobuf_bytes import integer, message, text

_MEMORY = {"requested_bytes": 6, "peak_bytes": 7, "residual_bytes": 8, "output_bytes": 9}


def write_costs(costs: Costs) -> bytes:
    """A ProfileProto that tf.profiler and Stepscope open."""
    ids = {name: place for place, name in enumerate(costs)}
    texts: dict[str, int] = {}

    def text_id(word: str) -> int:
        return texts.setdefault(word, len(texts) + 1)

    nodes = [
        message(1, integer(1, ids[name]), message(2, _written(node, ids, [_written_frame(frame, text_id) for frame in node.stack])))
        for name, node in costs.items()
    ]
    has_stacks = integer(2, 1) if any(node.stack for node in costs.values()) else b""
    steps = sorted({step for node in costs.values() for step in node.steps})
    named = [message(4, integer(1, place), text(2, word)) for word, place in texts.items()]
    return b"".join([*nodes, has_stacks, *(integer(3, step) for step in steps), *named])


def _written_frame(frame: Frame, text_id: Callable[[str], int]) -> bytes:
    return message(
        1, integer(2, frame.line), integer(5, frame.first_line), integer(6, text_id(frame.file)), integer(7, text_id(frame.function))
    )


def _written(node: CostNode, ids: dict[str, int], stack: list[bytes]) -> bytes:
    known = [name for name in node.inputs if name in ids]
    return b"".join(
        (
            text(1, node.name),
            *(message(2, integer(1, place), integer(2, ids[name])) for place, name in enumerate(known)),
            *(integer(4, size) for size in node.shape or ()),
            *(text(5, each) for each in sorted(node.all_types())),
            text(6, node.device) if node.device else b"",
            text(7, node.device) if node.device else b"",
            integer(8, node.flops),
            text(9, node.op),
            message(10, *stack) if stack else b"",
            *(message(12, integer(1, step), message(2, _written_step(cost))) for step, cost in node.steps.items()),
            integer(13, ids[node.name]),
        )
    )


def _written_step(cost: StepCost) -> bytes:
    by_device: dict[tuple[bool, str], list[Execution]] = {}
    for one in cost.executions:
        by_device.setdefault((one.accelerator, one.device), []).append(one)
    starts = [one.start for one in cost.executions]
    ends = [one.start + round(one.us) for one in cost.executions]
    times = [
        message(
            4 if accelerator else 5,
            text(1, device),
            message(2, *(message(1, integer(1, one.start), integer(1, round(one.us))) for one in found)),
        )
        for (accelerator, device), found in by_device.items()
    ]
    memory = message(7, *(integer(place, getattr(cost, name)) for name, place in _MEMORY.items()))
    devices = [text(6, device) for device in sorted({device for _, device in by_device})]
    window = (integer(2, min(starts)), integer(3, max(ends))) if starts else ()
    return b"".join((integer(1, cost.runs), *window, *times, *devices, memory))
