"""Small good profiles of every format, and what a seed makes of them: one or two absurd values, or bytes that are damaged."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import event_bytes as eb
from cli.torch_traces import trace
from formats.memory_snapshot.snapshot_data import example as memory_snapshot
from formats.perfetto.span_profile import example as spans_example
from formats.pprof.pprof_bytes import example as pprof
from formats.run_metadata.run_metadata_bytes import example as run_metadata
from formats.tfprof.tfprof_bytes import example as tfprof
from stepscope.queries.trace_export import trace_pieces

FORMATS = Path(__file__).resolve().parents[1] / "formats"

WHOLE = (0, 1, -1, 2**31 - 1, 2**32, 2**53, 10**18, 2**61, 2**62, 2**63 - 1, -(2**63), 2**64 - 1)
ODD: tuple[Any, ...] = (
    *WHOLE,
    10**30,
    1e308,
    -1e308,
    0.5,
    float("nan"),
    float("inf"),
    "",
    "x" * 3000,
    "\ud800",
    None,
    True,
    [],
    {},
    [[]],
)

Tree = list[tuple[int, int, Any]]
"""A protobuf message as its fields: id, wire type, and a number, bytes or the tree of a message inside."""


@cache
def good_files() -> dict[str, bytes]:
    """Whole files by what they are; the first word names the format."""
    return {
        "kineto of a GPU": json.dumps(trace(4, rank=0, world=2)).encode(),
        "kineto of a CPU": gzip.decompress((FORMATS / "kineto" / "captures" / "torch_2_13_cpu.json.gz").read_bytes()),
        "xplane of JAX": (FORMATS / "xplane" / "captures" / "jax.xplane.pb").read_bytes(),
        "xplane of TensorFlow": (FORMATS / "xplane" / "captures" / "tensorflow.xplane.pb").read_bytes(),
        "perfetto": b"".join(trace_pieces(spans_example(), "pftrace")),
        "run_metadata": run_metadata(),
        "tfprof": tfprof(),
        "pprof": pprof(),
        "memory_snapshot": pickle.dumps(memory_snapshot()),
        "torch_memory": json.dumps([[-1, 0, 400, 0], [5000, 1, 64, 4], [6000, 1, 64, 4], [7000, 3, -64, 4]]).encode(),
    }


def mutated(name: str, seed: int) -> bytes:
    """The good file with something wrong in it; the same seed gives the same file."""
    chance = random.Random(f"{name} {seed}")  # reproducible, not secret
    content = good_files()[name]
    if seed % 5 == 0:
        return damaged(content, chance)
    change = _CHANGES.get(name.partition(" ")[0], _in_protobuf)
    return change(content, chance, 1 + seed % 2)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Bytes changed, taken away or repeated."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(data)), chance.randint(1, 40)
        match chance.randrange(4):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length]
            case _:
                data[at : at + length] = bytes([chance.choice((0, 255, 128, 127))]) * length
        data = data or bytearray(b"\0")
    return bytes(data)


def _in_json(content: bytes, chance: random.Random, changes: int) -> bytes:
    data = json.loads(content)
    _change_values(data, chance, changes)
    return json.dumps(data).encode("utf-8", "surrogatepass")


def _in_pickle(content: bytes, chance: random.Random, changes: int) -> bytes:
    data = pickle.loads(content)  # our own
    _change_values(data, chance, changes)
    return pickle.dumps(data)


def _change_values(data: Any, chance: random.Random, changes: int) -> None:
    """Gives places of plain data other values, times as often as everything else together."""
    places = list(_places(data))
    timed = [place for place in places if place[1] in {"ts", "dur", "time_us"}] or places
    for _ in range(changes):
        holder, key = chance.choice(chance.choice((places, timed)))
        holder[key] = chance.choice(ODD)


def _places(data: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        found.append((data, key))
        found += _places(data[key])
    return found


def _in_protobuf(content: bytes, chance: random.Random, changes: int) -> bytes:
    tree = _tree(content)
    places = list(_numbers(tree))
    for _ in range(changes):
        holder, at = chance.choice(places)
        id, kind, _ = holder[at]
        value = chance.choice(WHOLE) % 2**64
        holder[at] = (id, kind, value if kind == 0 else value.to_bytes(8, "little")[: 8 if kind == 1 else 4])
    return _encoded(tree)


def _tree(content: bytes, depth: int = 0) -> Tree:
    """Raises ValueError or LookupError when the content is no message."""
    tree: Tree = []
    at = 0
    while at < len(content):
        key, at = _varint(content, at)
        id, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(content, at)
            tree.append((id, kind, value))
            continue
        size, at = _varint(content, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        if not id or size > len(content) - at:
            raise ValueError("this is no message")
        part = content[at : at + size]
        tree.append((id, kind, _message_or_bytes(part, depth) if kind == 2 else part))
        at += size
    return tree


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (content[at] & 0x7F) << shift
        shift += 7
        at += 1
        if content[at - 1] < 0x80:
            return value % 2**64, at


def _message_or_bytes(part: bytes, depth: int) -> Any:
    if not part or depth > 8 or (part.isascii() and part.decode("ascii").isprintable()):
        return part
    try:
        return _tree(part, depth + 1)
    except (ValueError, LookupError):
        return part


def _numbers(tree: Tree) -> list[tuple[Tree, int]]:
    found: list[tuple[Tree, int]] = []
    for at, (_, kind, value) in enumerate(tree):
        if isinstance(value, list):
            found += _numbers(value)
        elif kind != 2:
            found.append((tree, at))
    return found


def _encoded(tree: Tree) -> bytes:
    parts: list[bytes] = []
    for id, kind, value in tree:
        if kind == 0:
            parts.append(eb.varint(id << 3) + eb.varint(value))
        elif kind == 2:
            parts.append(eb.message(id, _encoded(value) if isinstance(value, list) else value))
        else:
            parts.append(eb.varint(id << 3 | kind) + value)
    return b"".join(parts)


_CHANGES: dict[str, Callable[[bytes, random.Random, int], bytes]] = {
    "kineto": _in_json,
    "torch_memory": _in_json,
    "memory_snapshot": _in_pickle,
}
