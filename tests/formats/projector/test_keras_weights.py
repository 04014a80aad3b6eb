"""Weights of Keras: tables of HDF5 files, alone and in a model, at several steps; damaged and hostile files are refused."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from formats.projector.hdf5_bytes import Builder, hdf5
from formats.projector.projector_files import FILES, read
from stepscope.formats.projector.hdf5 import Hdf5File
from stepscope.formats.projector.keras_weights import read_weights, saved_weights
from stepscope.model.embedding import Bounds
from stepscope.model.errors import BadInput, StepscopeError

VALUES = np.arange(12, dtype=np.float32).reshape(4, 3)
TREE = {
    "layers": {"embedding": {"vars": {"0": VALUES}}, "dense": {"vars": {"0": VALUES.T.copy(), "1": np.zeros(3, np.float32)}}},
    "optimizer": {"vars": {"1": VALUES}},
}
GOOD = hdf5(TREE)


def write(folder: Path, name: str, data: bytes = GOOD) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return str(folder / name)


def test_tables_are_listed_embeddings_first_and_without_the_optimizer(tmp_path: Path) -> None:
    found = read_weights(write(tmp_path, "best.weights.h5"))
    assert found.problems == ()
    assert [one.name for one in found.embeddings] == ["best/layers/embedding/vars/0", "best/layers/dense/vars/0"]
    assert read(found.embeddings[0].states[0])[0].values.tolist() == VALUES.tolist()
    assert read(found.embeddings[1].states[0], Bounds(rows=2))[0].rows.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_floats(tmp_path: Path, dtype: type[np.floating]) -> None:
    (embedding,) = read_weights(write(tmp_path, "a.weights.h5", hdf5({"w": VALUES.astype(dtype)}))).embeddings
    assert read(embedding.states[0])[0].values.tolist() == VALUES.tolist()


def test_sisters_are_steps_of_one_embedding_and_are_listed_once(tmp_path: Path) -> None:
    for step in (1, 2, 10):
        write(tmp_path, f"model-{step}.weights.h5", hdf5({"w": VALUES * step}))
    write(tmp_path, "other.weights.h5")
    assert [step for step, _ in saved_weights(str(tmp_path), "model-2.weights.h5")] == [1, 2, 10]
    assert read_weights(str(tmp_path / "model-2.weights.h5")).embeddings == ()
    (embedding,) = read_weights(str(tmp_path / "model-10.weights.h5")).embeddings
    assert embedding.name == "model/w"
    assert [read(state)[0].values[1].tolist() for state in embedding.states] == [(VALUES[1] * step).tolist() for step in (1, 2, 10)]


def test_a_model_is_a_zip_file_with_weights(tmp_path: Path) -> None:
    for kind, read_ in ((zipfile.ZIP_STORED, True), (zipfile.ZIP_DEFLATED, False)):
        path = tmp_path / f"{kind}.keras"
        with zipfile.ZipFile(path, "w", kind) as model:
            model.writestr("config.json", "{}")
            model.writestr("model.weights.h5", GOOD)
        found = read_weights(str(path))
        assert bool(found.embeddings) is read_
        assert bool(found.problems) is not read_
        if read_:
            assert read(found.embeddings[0].states[0])[0].values.tolist() == VALUES.tolist()
    with zipfile.ZipFile(tmp_path / "empty.keras", "w") as model:
        model.writestr("config.json", "{}")
    assert "model.weights.h5" in read_weights(str(tmp_path / "empty.keras")).problems[0]


def test_a_configuration_lists_what_the_callback_saved_and_nothing_twice(tmp_path: Path) -> None:
    write(tmp_path / "train", "keras_embedding.ckpt-0.weights.h5")
    inside = str(tmp_path / "train" / "keras_embedding.ckpt-0.weights.h5")
    assert FILES.listed(inside).embeddings
    text = 'embeddings { tensor_name: "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE" }'
    (tmp_path / "projector_config.pbtxt").write_text(text)
    found = FILES.listed(str(tmp_path / "projector_config.pbtxt"))
    assert found.embeddings[0].name == "layers/embedding/vars/0"
    assert FILES.listed(inside).embeddings == ()


def bad_files() -> dict[str, bytes]:
    """Files that are none, or lead astray."""
    loop = Builder()
    at = loop.group({})
    link = struct.pack("<QQI4x16x", 0, at, 0)
    node = loop.put(b"SNOD" + struct.pack("<BxH", 1, 1) + link)
    tree = loop.put(b"TREE" + struct.pack("<BBHQQ", 0, 0, 1, 0, 0) + struct.pack("<QQQ", 0, 0, 0))
    struct.pack_into("<Q", loop.data, tree + 32, tree)
    heap = loop.put(b"HEAP" + struct.pack("<B3xQQQ", 0, 8, 1, node))
    chunked = Builder()
    dataset = chunked.dataset(VALUES, struct.pack("<BBQQ6x", 3, 2, 0, 0))
    links = chunked.put(b"SNOD" + struct.pack("<BxH", 1, 1) + struct.pack("<QQI4x16x", 0, dataset, 0))
    names = chunked.put(b"w\0\0\0\0\0\0\0")
    own = chunked.put(b"HEAP" + struct.pack("<B3xQQQ", 0, 8, 1, names))
    return {
        "empty": b"",
        "text": b"not a file of numbers" * 20,
        "short": GOOD[:95],
        "newer": GOOD[:8] + b"\x03" + GOOD[9:],
        "tree in itself": loop.finish(loop.header((0x11, struct.pack("<QQ", tree, heap)))),
        "far away": GOOD[:64] + struct.pack("<Q", 1 << 60) + GOOD[72:],
        "chunked": chunked.finish(chunked.header((0x11, struct.pack("<QQ", links, own)))),
    }


@pytest.mark.parametrize("name", list(bad_files()))
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, name: str) -> None:
    found = read_weights(write(tmp_path, "a.weights.h5", bad_files()[name]))
    if name == "chunked":
        with pytest.raises(BadInput) as refused:
            read(found.embeddings[0].states[0])
        assert refused.value.code == "bad_vectors"
    else:
        assert (found.embeddings, len(found.problems)) == ((), 1)
        assert found.problems[0].startswith("a.weights.h5")


def test_every_cut_and_many_changes_are_refused_or_read(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    cuts = [GOOD[:end] for end in range(0, len(GOOD), 41)]
    changed: list[bytes] = []
    for place, value in zip(random.integers(0, len(GOOD), 400).tolist(), random.integers(0, 256, 400).tolist(), strict=True):
        data = bytearray(GOOD)
        data[place] = value
        changed.append(bytes(data))
    for data in cuts + changed:
        path = write(tmp_path, "a.weights.h5", data)
        try:
            for embedding in read_weights(path).embeddings:
                read(embedding.states[0])
            Hdf5File(path).datasets()
        except StepscopeError:
            continue
