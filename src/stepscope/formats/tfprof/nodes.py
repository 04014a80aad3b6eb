"""tf.profiler's ProfileProto as nodes with costs."""

from __future__ import annotations

from collections.abc import Iterator

from stepscope.model.errors import BadInput
from stepscope.model.node_costs import CostNode, Execution, Frame, StepCost
from stepscope.model.protobuf_fields import BadMessage, Field, fields, numbers

_MEMORY = {"requested_bytes": 6, "peak_bytes": 7, "residual_bytes": 8, "output_bytes": 9}


def read_costs(data: bytes) -> dict[str, CostNode]:
    """The nodes of a whole ProfileProto. Raises BadInput when the bytes are not one."""
    try:
        texts = {key: value.text for key, value in (_entry(one) for one in fields(data) if one.id == 4)}
        found = [(key, value.data) for key, value in (_entry(one) for one in fields(data) if one.id == 1)]
        names = {key: next((one.text for one in fields(node) if one.id == 1), "") for key, node in found}
        nodes = [_node(node, names, texts) for _, node in found]
    except BadMessage:
        raise BadInput("The profile is corrupt or truncated; save it again with Profiler.serialize_to_string.", "bad_profile") from None
    if not nodes:
        raise BadInput("The file has no nodes, so it is not a profile of tf.profiler.", "no_nodes")
    return {node.name: node for node in nodes if node.name}


def _entry(one: Field) -> tuple[int, Field]:
    inside = {each.id: each for each in fields(one.data)}
    return inside[1].signed if 1 in inside else 0, inside.get(2, Field(2))


def _node(data: bytes, names: dict[int, str], texts: dict[int, str]) -> CostNode:
    node = CostNode("", "")
    inputs: dict[int, str] = {}
    shape: list[int] = []
    for one in fields(data):
        if one.id == 1:
            node.name = one.text
        elif one.id == 9:
            node.op = one.text
        elif one.id == 2:
            place, target = _entry(one)
            inputs[place] = names.get(target.signed, "")
        elif one.id == 4:
            shape.extend(_signed(number) for number in numbers(one))
        elif one.id == 5:
            node.types.add(one.text)
        elif one.id == 6:
            node.device = one.text
        elif one.id == 8:
            node.flops = one.signed
        elif one.id == 10:
            node.stack = tuple(_frame(each, texts) for each in fields(one.data) if each.id == 1)
        elif one.id == 12:
            step, cost = _entry(one)
            node.steps[step] = _step(cost.data)
    node.inputs = tuple(inputs[place] for place in sorted(inputs) if inputs[place])
    node.shape = tuple(shape) or None
    return node


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _frame(one: Field, texts: dict[int, str]) -> Frame:
    inside = {each.id: each.signed for each in fields(one.data)}
    return Frame(texts.get(inside.get(6, 0), ""), inside.get(2, 0), texts.get(inside.get(7, 0), ""), inside.get(5, 0))


def _step(data: bytes) -> StepCost:
    cost = StepCost()
    for one in fields(data):
        if one.id == 1:
            cost.runs = one.signed
        elif one.id in {4, 5}:
            inside = {each.id: each for each in fields(one.data)}
            device = inside[1].text if 1 in inside else ""
            cost.executions += (Execution(device, one.id == 4, start, us) for start, us in _times(inside.get(2, Field(2)).data))
        elif one.id == 7:
            memory = {each.id: each.signed for each in fields(one.data)}
            for name, place in _MEMORY.items():
                setattr(cost, name, getattr(cost, name) + memory.get(place, 0))
    return cost


def _times(data: bytes) -> Iterator[tuple[int, int]]:
    for one in fields(data):
        pair = [number for each in fields(one.data) if each.id == 1 for number in numbers(each)]
        if len(pair) == 2:
            yield pair[0], pair[1]
