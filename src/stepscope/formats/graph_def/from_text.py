"""Turns the text format of a GraphDef or MetaGraphDef into its bytes, so that one reader reads both."""

from __future__ import annotations

import struct

from stepscope.formats.tensorflow_attributes import DTYPES
from stepscope.formats.text_proto import DEEPEST, ENDS, Tokens
from stepscope.model.protobuf_bytes import varint

MOST_TEXT = 256 << 20
"""Bytes of a text that is read."""

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_WRAP = 1 << 64
_WORDS = {"true": 1, "false": 0, "True": 1, "False": 0, "t": 1, "f": 0}
_TYPES = {
    "DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_HALF": 19,
    **{f"DT_{name.upper()}": number for number, name in DTYPES.items() if name not in {"float32", "float64", "float16"}},
}  # fmt: skip

_NUMBER, _TEXT, _FLOAT, _DOUBLE, _TYPE = "number", "text", "float", "double", "type"

_SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "GraphDef": {"node": (1, "NodeDef"), "library": (2, "Library"), "versions": (4, "Versions"),
                 "graph_def": (0, "GraphDef"), "meta_graphs": (0, "GraphDef")},
    "Versions": {"producer": (1, _NUMBER), "min_consumer": (2, _NUMBER)},
    "NodeDef": {"name": (1, _TEXT), "op": (2, _TEXT), "input": (3, _TEXT), "device": (4, _TEXT), "attr": (5, "AttrEntry")},
    "AttrEntry": {"key": (1, _TEXT), "value": (2, "AttrValue")},
    "AttrValue": {
        "list": (1, "AttrList"), "s": (2, _TEXT), "i": (3, _NUMBER), "f": (4, _FLOAT), "b": (5, _NUMBER), "type": (6, _TYPE),
        "shape": (7, "Shape"), "tensor": (8, "Tensor"), "placeholder": (9, _TEXT), "func": (10, "NameAttrs"),
    },
    "AttrList": {
        "s": (2, _TEXT), "i": (3, _NUMBER), "f": (4, _FLOAT), "b": (5, _NUMBER), "type": (6, _TYPE), "shape": (7, "Shape"),
        "tensor": (8, "Tensor"), "func": (9, "NameAttrs"),
    },
    "NameAttrs": {"name": (1, _TEXT), "attr": (2, "AttrEntry")},
    "Shape": {"dim": (2, "Dim"), "unknown_rank": (3, _NUMBER)},
    "Dim": {"size": (1, _NUMBER), "name": (2, _TEXT)},
    "Tensor": {
        "dtype": (1, _TYPE), "tensor_shape": (2, "Shape"), "version_number": (3, _NUMBER), "tensor_content": (4, _TEXT),
        "float_val": (5, _FLOAT), "double_val": (6, _DOUBLE), "int_val": (7, _NUMBER), "string_val": (8, _TEXT),
        "int64_val": (10, _NUMBER), "bool_val": (11, _NUMBER), "half_val": (13, _NUMBER), "uint32_val": (16, _NUMBER),
        "uint64_val": (17, _NUMBER),
    },
    "Library": {"function": (1, "Function")},
    "Function": {
        "signature": (1, "OpDef"), "node_def": (3, "NodeDef"), "ret": (4, "TextEntry"), "attr": (5, "AttrEntry"),
        "control_ret": (6, "TextEntry"),
    },
    "TextEntry": {"key": (1, _TEXT), "value": (2, _TEXT)},
    "OpDef": {"name": (1, _TEXT), "input_arg": (2, "ArgDef"), "output_arg": (3, "ArgDef")},
    "ArgDef": {"name": (1, _TEXT), "type": (3, _TYPE), "type_attr": (4, _TEXT)},
}  # fmt: skip
"""Fields that are read, by message: number, and what the value is. A test compares them with TensorFlow's."""


def binary_of(text: bytes) -> bytes:
    """The bytes of the graph in a text. Raises BadText, with the line."""
    tokens = Tokens(text)
    return bytes(_message(tokens, None, "GraphDef", 0))


def _message(tokens: Tokens, end: bytes | None, name: str, depth: int) -> bytearray:
    if depth > DEEPEST:
        raise tokens.bad("messages are nested too deep")
    schema = _SCHEMA.get(name, {})
    made = bytearray()
    while not (tokens.kind == "end" if end is None else tokens.token == end):
        if tokens.kind != "name":
            raise tokens.bad("a field name is missing")
        field = tokens.token.decode()
        tokens.advance()
        had_colon = tokens.take(b":")
        number, kind = schema.get(field, (0, ""))
        if tokens.take(b"["):
            while not tokens.take(b"]"):
                made += _value(tokens, number, kind, depth)
                tokens.take(b",")
        else:
            if not had_colon and tokens.token not in ENDS:
                raise tokens.bad(f"a colon is missing after {field}")
            made += _value(tokens, number, kind, depth)
        if not tokens.take(b","):
            tokens.take(b";")
    return made


def _value(tokens: Tokens, number: int, kind: str, depth: int) -> bytes | bytearray:
    """One value with its key; nothing for a field that is not read. Graphs in a MetaGraphDef or SavedModel become one GraphDef."""
    if tokens.kind == "mark" and tokens.token in ENDS:
        end = ENDS[tokens.token]
        tokens.advance()
        inner = _message(tokens, end, kind, depth + 1)
        tokens.advance()
        if not number:
            return inner if kind == "GraphDef" else b""
        return varint(number << 3 | _LENGTH) + varint(len(inner)) + inner
    if tokens.kind == "text":
        data = tokens.text()
        return varint(number << 3 | _LENGTH) + varint(len(data)) + data if number and kind == _TEXT else b""
    sign = "-" if tokens.take(b"-") else ""
    if tokens.kind not in {"name", "number"}:
        raise tokens.bad("a value is missing")
    word = sign + tokens.token.decode()
    encoded = _encoded(tokens, word, number, kind) if number else b""
    tokens.advance()
    return encoded


def _encoded(tokens: Tokens, word: str, number: int, kind: str) -> bytes:
    try:
        if kind == _FLOAT:
            return varint(number << 3 | _FIXED32) + struct.pack("<f", float(word.rstrip("fF") if "nf" not in word.lower() else word))
        if kind == _DOUBLE:
            return varint(number << 3 | _FIXED64) + struct.pack("<d", float(word))
        if kind == _TYPE and word in _TYPES:
            return varint(number << 3) + varint(_TYPES[word])
        if kind == _TYPE and word.endswith("_REF") and word[:-4] in _TYPES:
            return varint(number << 3) + varint(_TYPES[word[:-4]] + 100)
        if kind in {_NUMBER, _TYPE}:
            return varint(number << 3) + varint((_WORDS[word] if word in _WORDS else int(word, 0)) % _WRAP)
    except (ValueError, OverflowError):
        if kind == _TYPE:  # a type that later versions add
            return b""
        raise tokens.bad(f"{word} is not a number") from None
    return b""
