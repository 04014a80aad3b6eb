"""Vectors in every form the projector takes, bounded in memory, with bad rows left out and named."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from formats.projector.projector_files import listed, one_state, read
from stepscope.formats.projector.metadata import table_of
from stepscope.model.embedding import Bounds, EmbeddingState
from stepscope.model.errors import BadInput, NotThere

VECTORS = np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32)


def state_of(folder: Path, content: bytes, shape: tuple[int, ...] = ()) -> EmbeddingState:
    numbers = "".join(f"tensor_shape: {size} " for size in shape)
    return one_state(listed(folder, f'embeddings {{ tensor_path: "vectors.bin" {numbers} }}', vectors__bin=content))


def npy(values: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, values, version)
    return stream.getvalue()


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
@pytest.mark.parametrize("dtype", ["<f4", "<f8", ">f4", "<f2", "<i4", "|u1"])
def test_numpy_files(tmp_path: Path, dtype: str, version: tuple[int, int]) -> None:
    values = (VECTORS * 10).astype(dtype)
    found, _ = read(state_of(tmp_path, npy(values, version)))
    assert found.values.tolist() == values.astype(np.float32).tolist()


def test_raw_floats_of_the_shape_in_the_configuration(tmp_path: Path) -> None:
    assert read(state_of(tmp_path, VECTORS.tobytes(), (20, 5)))[0].values.tolist() == VECTORS.tolist()


def test_text_is_text_whatever_the_shape_says(tmp_path: Path) -> None:
    assert read(state_of(tmp_path, b"1\t2\n3\t4\n", (2, 2)))[0].values.tolist() == [[1, 2], [3, 4]]
    assert read(state_of(tmp_path, b"12345678901 123\n", (2, 2)))[0].total == 1


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (VECTORS.tobytes(), ()),
        (VECTORS.tobytes(), (20, 6)),
        (VECTORS.tobytes(), (20, 5, 1)),
        (VECTORS.tobytes()[:-1], (20, 5)),
        (npy(VECTORS)[:-1], ()),
        (npy(VECTORS)[:20], ()),
        (npy(VECTORS.reshape(-1)), ()),
        (npy(np.asfortranarray(VECTORS)), ()),
        (npy(VECTORS.astype(np.complex64)), ()),
        (npy(np.zeros((0, 5), np.float32)), ()),
        (npy(np.zeros((5, 0), np.float32)), ()),
        (b"\x93NUMPY\x01\x00v\x00" + b"(" * 118, ()),
        (b"", ()),
        (b"not\ta\tvector\n", ()),
        (b"nan\tnan\n", ()),
        (bytes([0xFF] * 100), (5, 5)),
    ],
)
def test_what_is_no_table_of_vectors_says_so(tmp_path: Path, content: bytes, shape: tuple[int, ...]) -> None:
    with pytest.raises(BadInput):
        read(state_of(tmp_path, content, shape))


def test_numbers_that_need_python_objects_are_never_loaded(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        read(state_of(tmp_path, npy(np.array([[{"a": 1}]], object))))


@pytest.mark.parametrize("form", ["raw", "npy", "tsv"])
def test_large_ones_are_thinned_out_and_stay_aligned_with_their_metadata(tmp_path: Path, form: str) -> None:
    values = np.arange(300, dtype=np.float32).reshape(100, 3)
    content = {
        "raw": values.tobytes(),
        "npy": npy(values),
        "tsv": "\n".join("\t".join(map(str, row)) for row in values.tolist()).encode(),
    }
    labels = "\n".join(f"p{row}" for row in range(100)).encode()
    text = 'embeddings { tensor_path: "v" metadata_path: "m" tensor_shape: [100, 3] }'
    found, table = read(one_state(listed(tmp_path, text, v=content[form], m=labels)), Bounds(rows=8))
    rows = [place * 100 // 8 for place in range(8)]
    assert (found.rows.tolist(), found.total) == (rows, 100)
    assert found.values.tolist() == values[rows].tolist()
    assert table.columns == {"label": [f"p{row}" for row in rows]}
    assert len(read(one_state(listed(tmp_path, text)), Bounds(values=30))[0].values) == 10


def test_bad_rows_are_named_and_points_keep_their_labels(tmp_path: Path) -> None:
    text = 'embeddings { tensor_path: "v.tsv" metadata_path: "m.tsv" }'
    state = one_state(listed(tmp_path, text, v__tsv=b"1\t2\n3\n5\tnan\n7\t8\n", m__tsv=b"a\nb\nc\nd\n"))
    found, table = read(state)
    assert (found.values.tolist(), table.columns) == ([[1, 2], [7, 8]], {"label": ["a", "d"]})
    assert [("line 2 " in one, "line 3 " in one) for one in found.notices] == [(True, False), (False, True)]
    values = VECTORS.copy()
    values[[4, 9], 1] = (np.nan, np.inf)
    raw, _ = read(state_of(tmp_path, values.tobytes(), (20, 5)))
    assert (len(raw.values), [one.split(" has")[0] for one in raw.notices]) == (18, ["vectors.bin: row 5", "vectors.bin: row 10"])


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    state = state_of(tmp_path, VECTORS.tobytes(), (20, 5))
    (tmp_path / "vectors.bin").unlink()
    with pytest.raises(NotThere):
        read(state)


def test_metadata_that_does_not_fit_names_lines() -> None:
    rows = np.arange(4)
    ragged = table_of(b"a\tb\n1\t2\n3\n5\t6\t7\n8\t9\n", "m.tsv", rows, 4)
    assert ragged.columns == {"a": ["1", "3", "5", "8"], "b": ["2", "", "6", "9"]}
    assert ["line 3" in notice for notice in ragged.notices] == [True]
    short = table_of(b"a\nb\n", "m.tsv", rows, 4)
    assert (short.columns, ["2 lines for 4 points" in notice for notice in short.notices]) == ({"label": ["a", "b", "", ""]}, [True])
    assert len(table_of(b"a\n" * 5, "m.tsv", rows, 4).notices) == 1
    assert table_of(b"", "m.tsv", rows, 4).columns == {}
    assert list(table_of(b"x\tx\t\n1\t2\t3\n", "m.tsv", rows[:1], 1).columns) == ["x", "x (2)", "column"]
    assert len(table_of(b"\t".join([b"c"] * 500) + b"\n", "m.tsv", rows[:0], 0).columns) == 200
