"""The projector's files without TensorBoard: what is refused, what is kept, and where files go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope import SummaryWriter, projector

VECTORS = np.arange(6.0).reshape(3, 2)


def test_a_writers_folder_is_found(tmp_path: Path) -> None:
    config = projector.ProjectorConfig()
    config.embeddings.add(tensor_name="a", tensor_path="a.tsv")
    with SummaryWriter(tmp_path) as writer:
        projector.visualize_embeddings(writer, config)
    assert (tmp_path / "projector_config.pbtxt").read_text() == 'embeddings {\n  tensor_name: "a"\n  tensor_path: "a.tsv"\n}\n'


def test_unknown_fields_are_refused() -> None:
    embedding: Any = projector.ProjectorConfig().embeddings.add()
    with pytest.raises(AttributeError):
        embedding.tensor_file = "x"


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("tensor_name", 3, TypeError),
        ("tensor_shape", [-1], ValueError),
        ("tensor_shape", [1.5], ValueError),
        ("tensor_path", None, TypeError),
    ],
)
def test_wrong_values_are_refused_and_nothing_is_written(tmp_path: Path, field: str, value: Any, error: type[Exception]) -> None:
    config = projector.ProjectorConfig()
    setattr(config.embeddings.add(), field, value)
    with pytest.raises(error, match=field):
        projector.visualize_embeddings(tmp_path / "log", config)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_configuration_or_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="ProjectorConfig"):
        projector.visualize_embeddings(tmp_path, {"embeddings": []})
    with pytest.raises(TypeError, match="path or a writer"):
        projector.visualize_embeddings(None, projector.ProjectorConfig())


@pytest.mark.parametrize(
    "arguments",
    [
        {"vectors": np.zeros(3)},
        {"vectors": VECTORS, "metadata": ["only one"]},
        {"vectors": VECTORS, "metadata": {"a": [1, 2, 3], "b": [1, 2]}},
        {"vectors": VECTORS, "sprites": np.zeros((2, 3, 4, 4))},
    ],
)
def test_embeddings_that_do_not_fit_are_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Give"):
        projector.write_embedding(tmp_path, **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../outside", "..", ".", "a/b", "c:\\d"])
def test_a_name_never_leaves_the_folder(tmp_path: Path, name: str) -> None:
    log = tmp_path / "log"
    projector.write_embedding(log, VECTORS, name=name)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
    (folder,) = (path for path in log.iterdir() if path.is_dir())
    assert (folder / "tensors.tsv").read_text() == "0.0\t1.0\n2.0\t3.0\n4.0\t5.0\n"


def test_what_others_have_written_is_kept(tmp_path: Path) -> None:
    config = tmp_path / "projector_config.pbtxt"
    config.write_text('# by hand\nembeddings { tensor_name: "mine" tensor_path: "m.tsv" }\nembeddings {\n  tensor_name: "unfinished"')
    projector.write_embedding(tmp_path, VECTORS, name="new")
    text = config.read_text()
    assert text.startswith('# by hand\nembeddings { tensor_name: "mine" tensor_path: "m.tsv" }\n')
    assert text.endswith('embeddings {\n  tensor_name: "new"\n  tensor_path: "new/tensors.tsv"\n}\n')
