"""Embeddings that the real TensorFlow, TensorBoard, Keras and torch wrote are read without them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formats.projector.projector_files import CONFIG, FILES, read
from log_folder import LogFolder
from stepscope.embeddings.reader import EmbeddingReader
from stepscope.model.embedding import Bounds, Embedding

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).with_name("capture_peers.py")


@pytest.fixture(scope="module")
def written(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("peers")
    return folder, run_in_peers(SCRIPT, folder)


def listed(written: tuple[Path, dict[str, Any]], run: str) -> dict[str, Embedding]:
    found = FILES.listed(str(written[0] / run / CONFIG))
    assert found.problems == ()
    return {embedding.name: embedding for embedding in found.embeddings}


def test_a_checkpoint_of_objects_at_every_step(written: tuple[Path, dict[str, Any]]) -> None:
    found = listed(written, "checkpoint")
    words = found["words/.ATTRIBUTES/VARIABLE_VALUE"]
    assert [state.step for state in words.states] == [1, 2, 3]
    given = np.array(written[1]["words"], np.float32)
    for state in words.states:
        vectors, table = read(state)
        assert vectors.values.tolist() == (given * np.float32(state.step or 0)).tolist()
        assert table.columns == {"label": list("abcdefg")}
    assert read(words.states[0], Bounds(rows=3))[0].rows.tolist() == [0, 2, 4]


@pytest.mark.parametrize(("name", "error"), [("half", 0), ("double", 0), ("brain", 2**-8)])
def test_variables_of_other_types(written: tuple[Path, dict[str, Any]], name: str, error: float) -> None:
    given = np.array(written[1]["half" if name == "half" else "words"], np.float32)
    found = read(listed(written, "checkpoint")[f"{name}/.ATTRIBUTES/VARIABLE_VALUE"].states[0])[0].values
    assert np.allclose(found, given, rtol=error, atol=0)


def test_many_variables_in_many_blocks(written: tuple[Path, dict[str, Any]]) -> None:
    found = listed(written, "checkpoint")
    assert not any("bias" in name or "step" in name for name in found)
    for n in (0, 57, 299):
        assert read(found[f"many/{n}/.ATTRIBUTES/VARIABLE_VALUE"].states[-1])[0].values.tolist() == [[n, n], [n, n]]


@pytest.mark.parametrize(("run", "name", "step"), [("saver", "table", 5), ("raw", "words", None)])
def test_checkpoints_by_name_and_raw_files(written: tuple[Path, dict[str, Any]], run: str, name: str, step: int | None) -> None:
    (state,) = listed(written, run)[name].states
    assert (state.step, read(state)[0].values.tolist()) == (step, written[1]["words"])


def test_what_torch_logs(written: tuple[Path, dict[str, Any]]) -> None:
    words = listed(written, "torch")["words"]
    assert [state.step for state in words.states] == [0, 20]
    vectors, table = read(words.states[1])
    assert np.allclose(vectors.values, np.array(written[1]["words"]) + 20, atol=1e-5)
    assert table.columns == {"label": list("abcdefg")}
    assert words.states[0].sprite is not None


def test_what_the_callback_of_keras_saves_at_each_epoch(written: tuple[Path, dict[str, Any]]) -> None:
    found = listed(written, "keras")
    tables = {name: embedding for name, embedding in found.items() if "embedding" in name}
    assert [len(embedding.states[0].shape) for embedding in tables.values()] == [2, 2]
    for embedding, layer in zip(tables.values(), ("words", "places"), strict=True):
        assert [state.step for state in embedding.states] == [0, 1]
        vectors, table = read(embedding.states[-1])
        assert vectors.values.tolist() == written[1]["keras"][layer]
        assert table.columns == {"label": list("abcdefg")}
        assert read(embedding.states[0])[0].values.tolist() != vectors.values.tolist()
    assert not any("optimizer" in name for name in found)


def test_a_whole_keras_model_in_a_folder_of_its_own(written: tuple[Path, dict[str, Any]]) -> None:
    found = FILES.listed(str(written[0] / "model" / "best.keras"))
    assert found.problems == ()
    values = [read(embedding.states[0])[0].values.tolist() for embedding in found.embeddings if "embedding" in embedding.name]
    assert values == [written[1]["keras"]["words"], written[1]["keras"]["places"]]


@pytest.mark.parametrize("name", ["rows", "columns"])
def test_a_partitioned_variable_in_a_folder_with_only_a_checkpoint(written: tuple[Path, dict[str, Any]], name: str) -> None:
    found = {one.name: one for one in FILES.listed(str(written[0] / "partitioned" / "checkpoint")).embeddings}
    assert set(found) == {"rows", "columns"}
    (state,) = found[name].states
    assert state.step == 3
    wide = np.arange(300 * 40, dtype=np.float32).reshape(300, 40)
    assert np.array_equal(read(state)[0].values, wide)
    thinned = read(state, Bounds(rows=7))[0]
    assert np.array_equal(thinned.values, wide[thinned.rows])


def test_all_are_runs(written: tuple[Path, dict[str, Any]]) -> None:
    library = LogFolder(written[0]).load()
    runs = {run.name: [other for other in run.others if not other.path.endswith(".meta")] for run in library.snapshot.runs}
    for name in ("checkpoint", "saver", "raw", "keras", "torch", "partitioned", "model"):
        assert runs[name], name
    names = {(one.run, embedding.name) for one in EmbeddingReader(library).listed() for embedding in one.embeddings}
    assert len(names) == sum(len(one.embeddings) for one in EmbeddingReader(library).listed()), "nothing is listed twice"
    assert not EmbeddingReader(library).listed()[0].problems
