"""The projector's files beside TensorBoard's: its parser reads the same configuration, and its server answers with our vectors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).parent / "projector_of_tensorboard.py"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What TensorBoard reads."""
    return run_in_peers(SCRIPT, tmp_path_factory.mktemp("both"), tensorflow=False)


def test_the_arguments_are_the_same(found: Any) -> None:
    theirs, ours = found["arguments"]
    assert ours == theirs == ["logdir", "config"]


def test_every_field_is_read_as_tensorboard_writes_it(found: Any) -> None:
    theirs, ours = found["parsed"]["theirs-full"], found["parsed"]["ours-full"]
    assert theirs["embeddings"][0].keys() == {"tensorName", "metadataPath", "bookmarksPath", "tensorShape", "sprite", "tensorPath"}
    assert theirs["modelCheckpointDir"] == "checkpoints"
    assert len(theirs["embeddings"]) == 4
    assert ours == theirs


def test_tensorboards_own_configuration_is_taken(found: Any) -> None:
    assert found["parsed"]["mixed"] == found["parsed"]["theirs-full"]


def test_the_server_answers_the_same(found: Any) -> None:
    theirs, ours = found["served"]["theirs"], found["served"]["ours"]
    assert ours["."]["vectors.tsv"]["vectors"][:4] == [0, 1, 2, 3]
    assert ours["."]["vectors.tsv"]["metadata"] == "one\ntwo\nthree\nfour\n"
    assert ours == theirs


def test_written_embeddings_are_served_with_all_their_parts(found: Any) -> None:
    answers = found["served"]["written"]["."]
    words, small = answers["words"], answers["small/one"]
    assert words["vectors"] == list(range(8))
    assert words["metadata"] == "word\tcount\na\t1\nb c\t2\nd e\t3\n✓\t4\n"
    assert words["sprite"] == found["sprite"]
    assert small["vectors"] == [0.5, 1.5, 2.5, 3.5]
    assert small["metadata"] == "x\ny\n"


def test_an_embedding_of_the_same_name_is_replaced(found: Any) -> None:
    names = [entry["tensorName"] for entry in found["parsed"]["written"]["embeddings"]]
    assert names == ["words", "small/one"]
    assert found["parsed"]["written"]["embeddings"][0]["sprite"]["singleImageDim"] == [6, 5]
