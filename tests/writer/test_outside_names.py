"""Names that lead out of the log folder, or that no file system has: one clear error at the call, and nothing is written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from child_environment import with_sources
from stepscope import new_run
from stepscope.writer import SummaryWriter

OUTSIDE = ["../x", "a/../../x", "a/b/../../../x", "/tmp/x", "..", "../run2"]
UNFIT = ["a\0b", "a\ud800b"]


def everything_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("name", [*OUTSIDE, *UNFIT])
def test_run_name(tmp_path: Path, name: str) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        before = everything_below(tmp_path)
        with pytest.raises(ValueError, match=r"^Give run_name [^\n]+\.$"):
            writer.add_hparams({"lr": 0.1}, {"loss": 1.0}, run_name=name)
        assert everything_below(tmp_path) == before


@pytest.mark.parametrize("name", [".", "./", "sub", "sub/deeper", "sub/../other", "..sub", "{folder}", "{folder}/whole"])
def test_run_names_that_stay_inside(tmp_path: Path, name: str) -> None:
    """A whole path is one of them: programs give it to have hyperparameters in the run's own folder."""
    folder = tmp_path / "run"
    given = name.format(folder=folder)
    with SummaryWriter(folder) as writer:
        writer.add_hparams({"lr": 0.1}, {"loss": 1.0}, run_name=given)
    place = Path(os.path.normpath(folder / given))
    assert any(b"_hparams_" in path.read_bytes() for path in place.glob("*tfevents*"))
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_whole_path_may_go_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with SummaryWriter(tmp_path / "link" / "run") as writer:
        writer.add_hparams({"lr": 0.1}, {"loss": 1.0}, run_name=str(tmp_path / "real" / "run" / "trial"))
    assert list((tmp_path / "real" / "run" / "trial").iterdir())


@pytest.mark.parametrize(
    ("main_tag", "key"),
    [("loss", "x/../../y"), ("loss", "a/../../../y"), ("loss", "x\0"), ("lo\0ss", "x"), ("loss", "x\ud800"), ("..", "/../../y")],
)
def test_tags_of_add_scalars(tmp_path: Path, main_tag: str, key: str) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        before = everything_below(tmp_path)
        with pytest.raises(ValueError, match=r"^Give the tags of add_scalars [^\n]+\.$"):
            writer.add_scalars(main_tag, {"good": 1.0, key: 1.0}, 1)
        assert everything_below(tmp_path) == before


@pytest.mark.parametrize(("key", "folder"), [("../x", "loss_../x"), ("/x", "loss_/x"), ("a/b", "loss_a/b"), ("\udcff", "loss_\udcff")])
def test_tags_that_stay_inside(tmp_path: Path, key: str, folder: str) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalars("loss", {key: 1.0}, 1)
    assert len(list((tmp_path / "run" / folder).iterdir())) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda top, name: SummaryWriter(f"{top}/{name}"),
        lambda top, name: SummaryWriter(comment=name),
        lambda top, name: SummaryWriter(top, filename_suffix=name),
        lambda top, name: new_run(f"{top}/{name}"),
        lambda top, name: SummaryWriter(top).add_embedding(np.ones((2, 2)), tag=name),
    ],
    ids=["log_dir", "comment", "filename_suffix", "new_run", "embedding"],
)
@pytest.mark.parametrize("name", UNFIT)
def test_names_that_no_file_system_has(tmp_path: Path, make: Callable[[Path, str], Any], name: str) -> None:
    with pytest.raises(ValueError, match=r"^Give [^\n]+\.$"):
        make(tmp_path / "run", name)


def test_texts_and_tags_that_are_no_unicode_are_written_legibly(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_text("t\ud800", "x\ud800\0", 1)
        writer.add_hparams({"n\ud800": "v\ud800"}, {"m\ud800": 1.0}, run_name="trial")
    text = b"".join(path.read_bytes() for path in tmp_path.rglob("*tfevents*"))
    for written in (rb"t\ud800/text_summary", rb"x\ud800", rb"n\ud800", rb"v\ud800", rb"m\ud800"):
        assert written in text


def test_run_names_of_new_run_fit_a_file_system(tmp_path: Path) -> None:
    with new_run(tmp_path, note="漢" * 200) as run:
        run.train.add_scalar("a", 1.0, 1)
    assert len(os.fsencode(run.name)) < 255
    assert list(Path(run.log_dir, "train").iterdir())


NO_HANDLES = """
import logging, os, resource, sys
logging.basicConfig(format="%(message)s", stream=sys.stdout)
from stepscope.writer import SummaryWriter
writer = SummaryWriter(sys.argv[1])
writer.flush()
free = os.open("/dev/null", os.O_RDONLY)
os.close(free)
resource.setrlimit(resource.RLIMIT_NOFILE, (free, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
for step in range(3):
    writer.add_scalar("a", step, step)
    writer.add_text("t", "text", step)
    writer.add_histogram("h", [1.0, 2.0], step)
    writer.add_image("i", [[[0.5]]], step)
    writer.add_scalars("lines", {"x": 1.0}, step)
    writer.add_hparams({"lr": 0.1}, {"loss": 1.0})
SummaryWriter(sys.argv[1] + "/second").add_scalar("a", 1.0, 1)
resource.setrlimit(resource.RLIMIT_NOFILE, (free + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
writer.add_text("t", "text", 3)
writer.close()
"""


def test_without_a_free_file_handle_values_are_counted_as_lost(tmp_path: Path, read_file: Callable[[Path], Any]) -> None:
    """A part of the writer cannot be loaded then, and no file can be opened; neither is the training's business."""
    command = [sys.executable, "-c", NO_HANDLES, str(tmp_path / "run")]
    process = subprocess.run(command, env=with_sources(), capture_output=True, text=True, timeout=100, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.count("Could not load ") == 1
    assert "12 could not be encoded" in process.stdout
    (own,) = (tmp_path / "run").glob("*tfevents*")
    assert [point[0] for point in read_file(own).points["a"]] == [0, 1, 2]
    assert own.read_bytes().count(b"t/text_summary") == 1
