"""Configurations of the projector: embeddings with their steps, `confined` paths, and what is wrong said for each."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from formats.projector.projector_files import CONFIG, FILES, listed, one_state, read
from log_folder import LogFolder
from stepscope import SummaryWriter
from stepscope.formats.projector.confined import confined, is_below
from stepscope.projector import write_embedding

TSV = b"1\t2\n3\t4\n"


def test_what_torchs_method_of_this_writer_logs(tmp_path: Path) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
    with SummaryWriter(tmp_path) as writer:
        for step in (3, 10):
            rows = [(str(row), "even" if row % 2 == 0 else "odd") for row in range(4)]
            images = np.zeros((4, 3, 5, 6), np.float32)
            writer.add_embedding(vectors + step, rows, images, global_step=step, tag="words", metadata_header=["n", "kind"])
    (embedding,) = FILES.listed(str(tmp_path / CONFIG)).embeddings
    assert (embedding.name, [state.step for state in embedding.states]) == ("words", [3, 10])
    found, table = read(embedding.states[1])
    assert (found.values.tolist(), found.rows.tolist(), found.total) == ((vectors + 10).tolist(), [0, 1, 2, 3], 4)
    assert table.columns == {"n": ["0", "1", "2", "3"], "kind": ["even", "odd", "even", "odd"]}
    sprite = embedding.states[0].sprite
    assert sprite is not None
    assert (sprite.width, sprite.height) == (6, 5)


def test_one_label_for_each_point_has_no_header(tmp_path: Path) -> None:
    write_embedding(tmp_path, [[1, 2], [3, 4]], ["a", "b"], name="e")
    state = one_state(FILES.listed(str(tmp_path / CONFIG)))
    assert (state.step, read(state)[1].columns) == (None, {"label": ["a", "b"]})


@pytest.mark.parametrize("field", ["tensor_path", "metadata_path", "bookmarks_path"])
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../outside.tsv", "a/../../outside.tsv", "link.tsv", "folder/outside.tsv", "file:///etc/passwd"]
)
def test_paths_that_leave_the_folder_are_refused(tmp_path: Path, field: str, path: str) -> None:
    (tmp_path / "outside.tsv").write_bytes(TSV)
    run = tmp_path / "run"
    run.mkdir()
    os.symlink(tmp_path / "outside.tsv", run / "link.tsv")
    os.symlink(tmp_path, run / "folder")
    state = one_state(listed(run, f'embeddings {{ tensor_name: "e" tensor_path: "t.tsv" {field}: "{path}" }}', t__tsv=TSV))
    assert state.problem.startswith(f"{field} of e leaves the folder")
    assert (state.tensor, state.metadata, state.bookmarks) == ("", "", "")


def test_a_sprite_and_a_checkpoint_outside_are_refused(tmp_path: Path) -> None:
    text = 'embeddings { tensor_name: "e" tensor_path: "t.tsv" sprite { image_path: "/etc/passwd" single_image_dim: [2, 2] } }'
    assert "leaves the folder" in one_state(listed(tmp_path / "a", text, t__tsv=TSV)).problem
    found = listed(tmp_path / "b", 'model_checkpoint_path: "../other/ckpt-1"')
    assert [problem.startswith("model_checkpoint_path leaves the folder") for problem in found.problems] == [True]


def test_paths_of_other_places_and_of_nothing(tmp_path: Path) -> None:
    assert confined(str(tmp_path), "", "x") == ""
    assert not is_below(str(tmp_path), "s3://bucket/file")
    assert not is_below(str(tmp_path), str(tmp_path))
    assert not is_below(str(tmp_path / "run"), str(tmp_path / "runs" / "a"))


def test_absolute_paths_and_links_inside_the_folder_are_fine(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "t.tsv").write_bytes(TSV)
    os.symlink(run / "t.tsv", run / "link.tsv")
    for path in (f"{run}/t.tsv", "link.tsv", "./t.tsv"):
        assert read(one_state(listed(run, f'embeddings {{ tensor_path: "{path}" }}')))[0].total == 2


def test_one_bad_entry_does_not_hide_the_others(tmp_path: Path) -> None:
    text = 'embeddings { tensor_path: "gone.tsv" } embeddings { tensor_name: "good" tensor_path: "t.tsv" }'
    text += ' embeddings { tensor_shape: -1 tensor_path: "t.tsv" }'
    found = {one.name: bool(one.states[0].problem) for one in listed(tmp_path, text, t__tsv=TSV).embeddings}
    assert found == {"gone.tsv": True, "good": False, "t.tsv": True}


def test_a_text_that_is_no_configuration_says_which_line(tmp_path: Path) -> None:
    found = listed(tmp_path, "embeddings {\n  tensor_name 3\n")
    assert found.embeddings == ()
    assert "line 2" in found.problems[0]


def test_an_entry_without_a_file_or_checkpoint_says_so(tmp_path: Path) -> None:
    assert "no checkpoint" in one_state(listed(tmp_path, 'embeddings { tensor_name: "w" }')).problem


@pytest.mark.parametrize("place", ["run", "run/plugins/org_tensorflow_tensorboard_projector"])
def test_a_run_with_nothing_else_is_found_and_listed(tmp_path: Path, place: str) -> None:
    write_embedding(tmp_path / place, [[1, 2]], name="e")
    (run,) = LogFolder(tmp_path).load().snapshot.runs
    assert (run.name, [file.format for file in run.others]) == ("run", ["projector"])
