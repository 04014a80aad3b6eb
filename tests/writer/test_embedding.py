"""Embeddings as files of the projector, and the configuration that lists them (`projector_config`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from stepscope.writer.embedding import Projector, folder_name, taken, write_whole
from stepscope.writer.picture_file import picture_size
from stepscope.writer.projector_config import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    config_text,
    embedding_text,
    with_embedding,
)

VECTORS = np.array([[1.0, 2.0], [3.0, 4.5]])


def test_files_of_an_embedding(tmp_path: Path) -> None:
    taken(VECTORS, [["a", 1], ["b\nc", 2]], np.zeros((2, 1, 3, 5)), ["label", "count"]).write(str(tmp_path))
    assert (tmp_path / "tensors.tsv").read_text() == "1.0\t2.0\n3.0\t4.5\n"
    assert (tmp_path / "metadata.tsv").read_text() == "label\tcount\na\t1\nb c\t2\n"
    assert picture_size((tmp_path / "sprite.png").read_bytes())[:2] == (10, 10), "two pictures of 5 × 3, with black below"


def test_one_column_has_no_header(tmp_path: Path) -> None:
    taken(VECTORS, ["a", "b"], None, None).write(str(tmp_path))
    assert (tmp_path / "metadata.tsv").read_text() == "a\nb\n"
    assert not (tmp_path / "sprite.png").exists()


@pytest.mark.parametrize(
    ("metadata", "pictures", "header"),
    [(["a"], None, None), (["a", "b", "c"], None, None), ([["a", 1], ["b"]], None, ["x", "y"]), (None, np.zeros((1, 1, 3, 5)), None)],
    ids=["few", "many", "ragged", "pictures"],
)
def test_what_does_not_fit_the_points_is_refused(metadata: object, pictures: object, header: list[str] | None) -> None:
    with pytest.raises(ValueError, match="Give"):
        taken(VECTORS, metadata, pictures, header)


@pytest.mark.parametrize(
    ("tag", "folder"), [("a/b", "a%2fb"), ("a%", "a%25"), ("..", "%%2e%2e"), ("", "%"), ("a\\b", "a%5cb"), ("a.b", "a.b")]
)
def test_a_tag_is_one_folder_and_never_another_one(tag: str, folder: str) -> None:
    assert folder_name(tag) == folder


def test_the_configuration_lists_every_embedding_of_the_writer(tmp_path: Path) -> None:
    projector = Projector(str(tmp_path))
    for step in (0, 7):
        projector.work(VECTORS, None, None, step, "layer/1", None).make()
    text = (tmp_path / "projector_config.pbtxt").read_text()
    assert text.count("embeddings {") == 2
    assert 'tensor_name: "layer/1:00007"' in text
    assert (tmp_path / "00007" / "layer%2f1" / "tensors.tsv").is_file()


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(str(tmp_path / "a"), pieces())
    assert (tmp_path / "a").read_text() == "before"


def test_texts_are_quoted_as_protobuf_reads_them() -> None:
    entry = EmbeddingInfo(tensor_name='a"\\é', tensor_shape=[2, 3], sprite=SpriteMetadata("s.png", [4, 5]))
    assert embedding_text(entry).splitlines() == [
        "embeddings {",
        '  tensor_name: "a\\042\\134\\303\\251"',
        "  tensor_shape: 2",
        "  tensor_shape: 3",
        "  sprite {",
        '    image_path: "s.png"',
        "    single_image_dim: 4",
        "    single_image_dim: 5",
        "  }",
        "}",
    ]
    with pytest.raises(ValueError, match="tensor_shape"):
        embedding_text(EmbeddingInfo(tensor_shape=[-1]))


def test_an_embedding_takes_the_place_of_the_one_of_its_name() -> None:
    config = ProjectorConfig(model_checkpoint_path="model.ckpt")
    for name in ("a", "b"):
        config.embeddings.add(tensor_name=name, tensor_path="old.tsv")
    changed = with_embedding(config_text(config), EmbeddingInfo(tensor_name="a", tensor_path="new.tsv"))
    assert (changed.count("embeddings {"), changed.count("new.tsv"), changed.count("old.tsv")) == (2, 1, 1)
    assert changed.index("new.tsv") < changed.index("old.tsv")
    assert changed.startswith('model_checkpoint_path: "model.ckpt"\n')
    added = with_embedding("# mine", EmbeddingInfo(tensor_name="c"))
    assert added == '# mine\nembeddings {\n  tensor_name: "c"\n}\n'
    broken = 'embeddings {\n  tensor_name: "a"\n'
    assert with_embedding(broken, EmbeddingInfo(tensor_name="a")).startswith(broken)
