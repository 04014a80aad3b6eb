"""Reads the vectors of an embedding: TSV, raw float32, a .npy file, a variable of a TensorFlow checkpoint, or Keras weights."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from stepscope import _native
from stepscope.formats.projector.checkpoint_table import WHOLE, Variable, masked, read_variables
from stepscope.formats.projector.hdf5 import Hdf5File
from stepscope.model.embedding import Bounds, EmbeddingState, Vectors
from stepscope.model.errors import BadInput, NotThere
from stepscope.sources.files import origin_of, read_range, stat
from stepscope.sources.source import reason_of

_NPY = b"\x93NUMPY"
_HEAD = 64 << 10
_BLOCK = 32 << 20
_MOST_COLUMNS = 1 << 20
_RAGGED, _NOT_NUMBER = 1, 2
_NPY_FIELDS = (
    re.compile(rb"'descr' *: *'([<>|=][fiub](?:1|2|4|8))'"),
    re.compile(rb"'fortran_order' *: *(True|False)"),
    re.compile(rb"'shape' *: *\((\d{1,15}), *(\d{1,15}),? *\)"),
)


def read_vectors(state: EmbeddingState, bounds: Bounds) -> Vectors:
    """The vectors of one state, thinned out evenly when there are very many. Raises BadInput or NotThere with a sentence."""
    if state.problem:
        raise BadInput(state.problem, "unreadable_embedding")
    try:
        read = _variable if state.variable else _dataset if state.dataset else _file
        found = read(state, bounds)
    except OSError as error:
        raise NotThere(f"{os.path.basename(state.tensor)} cannot be read: {reason_of(error)}.", "no_vectors") from None
    if not len(found.values):
        reasons = " ".join(found.notices[:1])
        raise BadInput(f"{os.path.basename(state.tensor)} has no vector of finite numbers. {reasons}".strip(), "no_vectors")
    return found


def _file(state: EmbeddingState, bounds: Bounds) -> Vectors:
    path, size = state.tensor, stat(state.tensor).size
    head = read_range(path, 0, _HEAD)
    if head.startswith(_NPY):
        return _npy(path, head, size, bounds)
    values = int(np.prod(state.shape, dtype=object)) if len(state.shape) == 2 else 0
    if values and size == 4 * values and not _is_table(head):
        return _raw(path, 0, "<f4", state.shape, bounds)
    if _is_binary(head):
        wanted = f"{4 * values:,} bytes for its tensor_shape {state.shape}" if values else "a tensor_shape in the configuration"
        raise BadInput(
            f"{os.path.basename(path)} is neither text nor raw float32: it has {size:,} bytes and needs {wanted}.", "bad_vectors"
        )
    return _text(path, bounds)


def _text(path: str, bounds: Bounds) -> Vectors:
    values, rows, lines, columns, bad, bad_total = _native.read_number_table(origin_of(path), bounds.rows, bounds.values)
    name, notices = os.path.basename(path), list[str]()
    for line, problem, has in bad[:5]:
        many = f"more than {columns}" if has > columns else str(has)
        reason = f"has {many} values instead of {columns}" if problem == _RAGGED else "has text instead of a number"
        notices.append(
            f"{name}: line {line:,} {reason if problem <= _NOT_NUMBER else 'has NaN or infinite values'}; the point is left out."
        )
    if bad_total > len(notices):
        notices.append(f"{name}: {bad_total - len(notices):,} more points are left out for such reasons.")
    return Vectors(values.reshape(len(rows), columns) if columns else values.reshape(0, 0), rows, lines, tuple(notices))


def _npy(path: str, head: bytes, size: int, bounds: Bounds) -> Vectors:
    start, dtype, shape, fortran = npy_layout(head, os.path.basename(path))
    if size - start < dtype.itemsize * shape[0] * shape[1]:
        raise BadInput(f"{os.path.basename(path)} is truncated: copy it again.", "bad_vectors")
    if fortran:
        raise BadInput(f"{os.path.basename(path)} is stored column by column: save np.ascontiguousarray(vectors).", "bad_vectors")
    return _raw(path, start, dtype.str, shape, bounds)


def npy_layout(head: bytes, name: str) -> tuple[int, np.dtype[np.generic], tuple[int, int], bool]:
    """Where the numbers of a .npy file begin, and how they lie; nothing in the header is evaluated. Raises BadInput."""
    width = 2 if head[6:7] == b"\x01" else 4
    start = 8 + width + int.from_bytes(head[8 : 8 + width], "little")
    header = head[8 + width : start]
    found = [pattern.search(header) for pattern in _NPY_FIELDS]
    if start > len(head) or None in found:
        raise BadInput(
            f"{name} is not a NumPy file with a table of numbers: save an array of the shape (points, dimensions).", "bad_vectors"
        )
    (dtype,), (fortran,), (rows, columns) = (one.groups() for one in found if one is not None)
    shape = (int(rows), int(columns))
    if not 0 < shape[1] <= _MOST_COLUMNS:
        raise BadInput(f"{name} has the shape {shape}; save an array of the shape (points, dimensions).", "bad_vectors")
    return start, np.dtype(dtype.decode()), shape, fortran == b"True"


def _variable(state: EmbeddingState, bounds: Bounds) -> Vectors:
    found = read_variables(state.tensor).get(state.variable)
    name = os.path.basename(state.tensor)
    if found is None or len(found.shape) != 2:
        raise BadInput(f"The checkpoint {name} has no two-dimensional variable {state.variable!r}.", "no_vectors")
    if found.dtype is None:
        raise BadInput(f"{state.variable} contains no numbers; write vectors with stepscope.projector.write_embedding.", "bad_vectors")
    lines, columns = found.shape
    if not 0 < columns <= _MOST_COLUMNS or lines < 0:
        raise BadInput(f"The checkpoint {name} is corrupt: {state.variable} has the shape {found.shape}.", "not_a_checkpoint")
    if found.slices:
        return _pieces(state, found, bounds)
    path, start = _piece(state.tensor, found)
    return _raw(path, start, found.dtype, found.shape, bounds, found.crc)


def _piece(prefix: str, found: Variable) -> tuple[str, int]:
    """The file of a variable or of a piece of one, and where it begins there. Raises BadInput."""
    shard = f"{prefix}.data-{found.shard:05d}-of-{found.shards:05d}"
    width = _width(found.dtype or "")
    if len(found.shape) != 2 or found.size != width * found.shape[0] * found.shape[1]:
        raise BadInput(
            f"{os.path.basename(prefix)} is corrupt: {found.size:,} bytes are not {found.shape} numbers.", "not_a_checkpoint"
        )
    if stat(shard).size < found.offset + found.size:
        raise BadInput(f"{os.path.basename(shard)} is truncated: copy the checkpoint again.", "not_a_checkpoint")
    return shard, found.offset


def _pieces(state: EmbeddingState, found: Variable, bounds: Bounds) -> Vectors:
    """A partitioned variable, put together from its pieces. Raises BadInput when they do not make up the whole."""
    lines, columns = found.shape
    places = [
        tuple((start, size if length == WHOLE else length) for (start, length), size in zip(extents, found.shape, strict=True))
        for extents in found.slices
        if len(extents) == len(found.shape)
    ]
    ends = [(start, length, size) for one in places for (start, length), size in zip(one, found.shape, strict=True)]
    inside = all(min(start, length) >= 0 and start + length <= size for start, length, size in ends)
    area = sum(rows * width for (_, rows), (_, width) in places)
    if len(places) != len(found.pieces) or not inside or area != lines * columns or _overlap(places):
        raise BadInput(f"{os.path.basename(state.tensor)} is corrupt: {state.variable} has not all of its pieces.", "not_a_checkpoint")
    keep, rows = _kept(lines, columns, bounds)
    values = np.empty((keep, columns), np.float32)
    for ((first, height), (left, width)), piece in zip(places, found.pieces, strict=True):
        if piece.shape != (height, width) or piece.dtype != found.dtype or piece.dtype is None:
            raise BadInput(f"{os.path.basename(state.tensor)} is corrupt: a piece of {state.variable} differs.", "not_a_checkpoint")
        begin, end = np.searchsorted(rows, (first, first + height))
        path, start = _piece(state.tensor, piece)
        values[begin:end, left : left + width] = _rows(path, start, piece.dtype, piece.shape, rows[begin:end] - first, piece.crc)
    return _finite(os.path.basename(state.tensor), values, rows, lines)


def _overlap(places: Sequence[tuple[tuple[int, int], ...]]) -> bool:
    """Whether two pieces share a number."""
    ordered = sorted(((first, first + height, left, left + width) for (first, height), (left, width) in places))
    open_: list[tuple[int, int, int, int]] = []
    for one in ordered:
        open_ = [other for other in open_ if other[1] > one[0]]
        if any(other[2] < one[3] and one[2] < other[3] for other in open_):
            return True
        open_.append(one)
    return False


def _dataset(state: EmbeddingState, bounds: Bounds) -> Vectors:
    """A table in weights that Keras saved."""
    name = os.path.basename(state.tensor)
    found = next((one for one in Hdf5File(state.tensor).datasets() if one.path == state.dataset), None)
    if found is None or len(found.shape) != 2:
        raise BadInput(f"{name} has no table {state.dataset!r}.", "no_vectors")
    lines, columns = found.shape
    if found.dtype is None or found.offset is None or found.size != _width(found.dtype) * lines * columns or columns > _MOST_COLUMNS:
        raise BadInput(
            f"{state.dataset} of {name} is compressed, chunked or no table of numbers; save it as Keras does.", "bad_vectors"
        )
    return _raw(state.tensor, found.offset, found.dtype, (lines, columns), bounds)


def _width(dtype: str) -> int:
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


def _kept(lines: int, columns: int, bounds: Bounds) -> tuple[int, NDArray[np.int64]]:
    """How many rows are kept, and which: all of them, or as many as there is room for, evenly spaced."""
    keep = min(lines, bounds.rows, bounds.values // columns)
    return keep, np.arange(keep, dtype=np.int64) * lines // max(keep, 1)


def _raw(path: str, start: int, dtype: str, shape: tuple[int, ...], bounds: Bounds, crc: int | None = None) -> Vectors:
    """Rows of numbers that lie one after the other."""
    _, rows = _kept(shape[0], shape[1], bounds)
    return _finite(os.path.basename(path), _rows(path, start, dtype, shape, rows, crc), rows, shape[0])


def _rows(path: str, start: int, dtype: str, shape: tuple[int, ...], rows: NDArray[np.int64], crc: int | None) -> NDArray[np.float32]:
    """The rows that are wanted, read in blocks; a checksum is compared when there is one and all are wanted."""
    lines, columns = shape[0], shape[1]
    stored = np.dtype("<u2") if dtype == "bfloat16" else np.dtype(dtype)
    values = np.empty((len(rows), columns), np.float32)
    whole = crc is not None and len(rows) == lines  # a checksum is of everything at once
    each = max(1, lines if whole else _BLOCK // (columns * stored.itemsize))
    for first in range(0, lines, each):
        last = min(lines, first + each)
        data = read_range(path, start + first * columns * stored.itemsize, (last - first) * columns * stored.itemsize)
        if len(data) < (last - first) * columns * stored.itemsize:
            raise BadInput(f"{os.path.basename(path)} was truncated while it was read: try again.", "bad_vectors")
        if whole and masked(_native.crc32c(data)) != crc:
            raise BadInput(f"{os.path.basename(path)} is corrupt: the checksum of the variable is wrong.", "not_a_checkpoint")
        block = _as_float(np.frombuffer(data, stored).reshape(last - first, columns), dtype)
        begin, end = np.searchsorted(rows, (first, last))
        values[begin:end] = block[rows[begin:end] - first]
    return values


def _as_float(block: NDArray[np.generic], dtype: str) -> NDArray[np.float32]:
    if dtype == "bfloat16":
        return (block.astype(np.uint32) << np.uint32(16)).view(np.float32)
    with np.errstate(over="ignore"):
        return block.astype(np.float32)


def _finite(name: str, values: NDArray[np.float32], rows: NDArray[np.int64], lines: int) -> Vectors:
    good = np.isfinite(values).all(axis=1)
    if good.all():
        return Vectors(values, rows, lines)
    bad = rows[~good]
    notices = [f"{name}: row {row + 1:,} has NaN or infinite values; the point is left out." for row in bad[:5].tolist()]
    if len(bad) > 5:
        notices.append(f"{name}: {len(bad) - 5:,} more points are left out for such reasons.")
    return Vectors(values[good], rows[good], lines, tuple(notices))


def _is_binary(head: bytes) -> bool:
    """Whether bytes are no text of numbers."""
    return any(byte in head for byte in (b"\0", b"\x01", b"\x02")) or not _is_table(head)


def _is_table(head: bytes) -> bool:
    printable: Callable[[int], bool] = lambda byte: 32 <= byte < 127 or byte in b"\t\r\n"  # noqa: E731
    return all(map(printable, set(head)))
