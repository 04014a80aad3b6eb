"""Pipes, devices and folders are refused wherever a file that others can write is opened for reading, and never waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stepscope import projector
from stepscope.integrations.keras_weights import metadata_rows
from stepscope.model.regular_files import open_regular
from stepscope.writer.onnx_graph import onnx_nodes


def endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


every_kind = pytest.mark.parametrize("make", [os.mkfifo, endless_device, os.mkdir])
Make = Callable[[Path], None]


def test_a_regular_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"abc"


@every_kind
def test_everything_else_is_refused(make: Make, tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    make(tmp_path / "given")
    with pytest.raises(OSError, match="given"):
        open_regular(tmp_path / "given")
    assert len(os.listdir("/dev/fd")) == before


@every_kind
def test_what_runs_in_training_waits_for_none(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "projector_config.pbtxt")
    with pytest.raises(OSError, match="projector_config"):
        projector.write_embedding(tmp_path, np.ones((2, 2)))
    assert metadata_rows(str(tmp_path), "projector_config.pbtxt", 2) == (None, None)
    with pytest.raises(OSError, match="projector_config"):
        onnx_nodes(tmp_path / "projector_config.pbtxt")
