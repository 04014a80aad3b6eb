"""Builds an HDF5 file byte by byte, with groups by symbol tables as h5py makes them, for tests that damage it."""

from __future__ import annotations

import struct
from typing import Any

from numpy.typing import NDArray

Tree = dict[str, Any]
"""Names to arrays, or to groups of the same kind."""
FLOAT_BITS = {2: (16, 10, 5, 0, 10, 15), 4: (32, 23, 8, 0, 23, 127), 8: (64, 52, 11, 0, 52, 1023)}


class Builder:
    """Appends objects and knows their addresses."""

    def __init__(self) -> None:
        self.data = bytearray(96)

    def put(self, block: bytes) -> int:
        """The address of what was appended."""
        self.data += b"\0" * (-len(self.data) % 8)
        at = len(self.data)
        self.data += block
        return at

    def header(self, *messages: tuple[int, bytes]) -> int:
        """An object with messages."""
        parts = b"".join(struct.pack("<HHB3x", kind, len(body), 0) + body for kind, body in messages)
        return self.put(struct.pack("<BxHII4x", 1, len(messages), 1, len(parts)) + parts)

    def dataset(self, values: NDArray[Any], layout: bytes | None = None) -> int:
        """Numbers in one piece."""
        at = self.put(values.tobytes())
        space = struct.pack("<BBB5x", 1, values.ndim, 0) + struct.pack(f"<{values.ndim}Q", *values.shape)
        width = values.dtype.itemsize
        precision, exponent_at, exponent, mantissa_at, mantissa, bias = FLOAT_BITS[width]
        kind = struct.pack("<B3BI", 0x11, 0x20, precision - 1, 0, width) + struct.pack(
            "<HHBBBBI", 0, precision, exponent_at, exponent, mantissa_at, mantissa, bias
        )
        where = layout or struct.pack("<BBQQ6x", 3, 1, at, values.nbytes)
        return self.header((0x1, space), (0x3, kind), (0x8, where))

    def group(self, tree: Tree) -> int:
        """A group with everything below it."""
        children = {name: self.group(one) if isinstance(one, dict) else self.dataset(one) for name, one in sorted(tree.items())}
        names, places = bytearray(8), {}
        for name in children:
            places[name] = len(names)
            names += name.encode() + b"\0"
            names += b"\0" * (-len(names) % 8)
        segment = self.put(bytes(names))
        heap = self.put(b"HEAP" + struct.pack("<B3xQQQ", 0, len(names), 1, segment))
        links = b"".join(struct.pack("<QQI4x16x", places[name], child, 0) for name, child in children.items())
        node = self.put(b"SNOD" + struct.pack("<BxH", 1, len(children)) + links)
        last = max(places.values(), default=0)
        tree_at = self.put(b"TREE" + struct.pack("<BBHQQ", 0, 0, 1, 2**64 - 1, 2**64 - 1) + struct.pack("<QQQ", 0, node, last))
        return self.header((0x11, struct.pack("<QQ", tree_at, heap)))

    def finish(self, root: int) -> bytes:
        """The whole file."""
        self.data[:96] = (
            b"\x89HDF\r\n\x1a\n"
            + struct.pack("<8BHHI", 0, 0, 0, 0, 0, 8, 8, 0, 4, 16, 0)
            + struct.pack("<QQQQ", 0, 2**64 - 1, len(self.data), 2**64 - 1)
            + struct.pack("<QQI4x16x", 0, root, 0)
        )
        return bytes(self.data)


def hdf5(tree: Tree) -> bytes:
    """A file with these groups and numbers."""
    builder = Builder()
    return builder.finish(builder.group(tree))
