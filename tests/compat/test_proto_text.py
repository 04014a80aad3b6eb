"""Messages of graphs in protobuf's text format, and the changes that are made to graphs before."""

from __future__ import annotations

import struct

import pytest

import event_bytes as eb
from stepscope.compat.graph_edits import function_graphs, without_large_attributes
from stepscope.compat.graph_messages import enumerations, messages
from stepscope.compat.proto_text import proto_text
from stepscope.model.protobuf_fields import BadMessage


def text(data: bytes, message: str = "GraphDef") -> str:
    return "".join(proto_text(data, message))


def attribute(key: str, *value: bytes) -> bytes:
    return eb.message(5, eb.message(1, key.encode()), eb.message(2, *value))


def node(name: str, *parts: bytes) -> bytes:
    return eb.message(1, eb.message(1, name.encode()), *parts)


def test_every_type_is_known() -> None:
    plain = {"int", "uint", "bool", "string", "bytes", "float", "double", "fixed64", "fixed32"}
    for fields in messages().values():
        for one in fields.values():
            assert one.type in (enumerations() if one.is_enum else plain | messages().keys())
    assert enumerations()["DataType"][1] == "DT_FLOAT"


def test_fields_are_in_order_and_defaults_left_out() -> None:
    data = eb.integer(3, 0) + node("b", eb.message(3, b"a"), eb.message(3, b"^c")) + node("a", eb.message(2, b"Add"))
    first = ["node {", '  name: "b"', '  input: "a"', '  input: "^c"', "}"]
    assert text(data).splitlines() == [*first, "node {", '  name: "a"', '  op: "Add"', "}"]


def test_entries_of_a_map_are_sorted_and_have_key_and_value() -> None:
    found = text(node("a", attribute("z", eb.integer(5, 0)), attribute("b"), attribute("b", eb.integer(6, 3))))
    assert [line.strip() for line in found.splitlines() if ":" in line] == [
        'name: "a"',
        'key: "b"',
        "type: DT_INT32",
        'key: "z"',
        "b: false",
    ]


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (eb.integer(3, -1), "i: -1"),
        (eb.single(4, 0.1), "f: 0.1"),
        (eb.single(4, 1 / 3), "f: 0.333333343"),
        (eb.single(4, float("inf")), "f: inf"),
        (eb.single(4, float("nan")), "f: nan"),
        (eb.integer(6, 999), "type: 999"),
        (eb.message(2, b"a\n\"\\\xff\x00'"), r's: "a\n\"\\\377\000\'"'),
        (eb.message(9, "ü\x01".encode()), 'placeholder: "ü\\001"'),
    ],
)
def test_values(value: bytes, printed: str) -> None:
    assert text(value, "AttrValue") == printed + "\n"


def test_lists_may_be_packed() -> None:
    packed = eb.message(3, b"\x01\xac\x02") + eb.message(4, struct.pack("<2f", 1.0, 0.5))
    assert text(packed, "AttrValue.ListValue") == "i: 1\ni: 300\nf: 1\nf: 0.5\n"


@pytest.mark.parametrize("data", [b"\x0a\x05a", b"\xff", b"\x0a\x02\x0a\x05"])
def test_what_is_no_message_is_said(data: bytes) -> None:
    with pytest.raises(BadMessage):
        text(data)


def test_messages_that_are_nested_too_deeply_are_refused() -> None:
    data = b""
    for _ in range(200):
        data = eb.message(2, data)  # FullTypeDef.args
    with pytest.raises(BadMessage):
        text(data, "FullTypeDef")


def test_large_attributes_are_named_in_place_of_their_content() -> None:
    graph = node("a", attribute("big", eb.message(2, b"x" * 50)), attribute("small", eb.integer(3, 1)))
    found = text(without_large_attributes(graph, 20, "_large"))
    assert 's: "big"' in found
    assert "xxx" not in found
    assert 'key: "small"' in found
    assert text(without_large_attributes(graph, 100, "_large")) == text(graph)


def test_functions_become_one_graph() -> None:
    call = node("f", eb.message(2, b"PartitionedCall"), eb.message(3, b"x"), attribute("f", eb.message(10, eb.message(1, b"g"))))
    library = eb.message(2, eb.message(1, eb.message(1, eb.message(1, b"g"))))

    def metadata(*graphs: bytes) -> bytes:
        return b"".join(eb.message(4, eb.message(2, graph)) for graph in graphs)

    assert function_graphs(metadata()) == b""
    assert function_graphs(metadata(call + library)) == call + library
    found = text(function_graphs(metadata(call + library, call)))
    for name in ('name: "graph_1/f"', 'input: "graph_2/x"', 'name: "graph_1_g"', 'name: "graph_2_g"'):
        assert name in found
