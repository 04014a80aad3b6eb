"""Arrays of every framework, bfloat16, films and figures: what is read back is what was logged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.peers
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What TensorBoard's and TensorFlow's readers find in our file."""
    return run_in_peers(HERE / "kinds_of_frameworks.py", tmp_path_factory.mktemp("ours") / "run")


HISTOGRAMS = ["torch", "jax", "tensorflow", "variable", "bfloat16", "float8", "sparse", "negated", "quantized", "changing"]


@pytest.mark.parametrize("source", HISTOGRAMS)
def test_histograms_take_the_arrays_of_every_framework(logged: Any, source: str) -> None:
    assert logged["read"][f"histogram/{source}"] == [0.5, 2.5, 4.5]


@pytest.mark.parametrize("source", ["torch", "jax", "tensorflow", "variable"])
def test_images_take_the_arrays_of_every_framework(logged: Any, source: str) -> None:
    assert logged["read"][f"image/{source}"] == [[[0, 0, 0], [255, 255, 255]]]


@pytest.mark.parametrize("source", ["torch", "jax", "tensorflow"])
def test_a_tensor_of_bfloat16_stays_one(logged: Any, source: str) -> None:
    assert logged["read"][f"tensor/{source}"] == ["bfloat16", [1.5, -2.0]]


def test_tensors_that_torch_writes_unreadably_can_be_read(logged: Any) -> None:
    assert logged["read"]["tensor/half"] == ["float16", [1.5, -2.0]]
    assert logged["read"]["tensor/bytes"] == ["uint8", [1.0, 255.0]]


def test_a_video_is_a_film_of_the_frames_that_torch_would_show(logged: Any) -> None:
    found = logged["read"]["film"]
    assert [duration for duration, _ in found] == [200.0, 200.0]
    assert np.array_equal(np.array([frame for _, frame in found]), np.array(logged["film"]))


def test_a_figure_is_drawn_as_torch_draws_it(logged: Any) -> None:
    one, pair, still_open = logged["figures"]
    assert logged["read"]["figure"] == one
    assert logged["read"]["figures"] == pair
    assert still_open == 0


def test_files_of_pictures_are_logged_as_they_are(logged: Any) -> None:
    found = logged["pictures"]
    assert len(found["sizes"]) == 15
    for name, (ours, pillows) in found["sizes"].items():
        assert ours == pillows, name
    assert found["unchanged"]
    assert found["several"]
    assert found["plugin"] == "images"
    assert found["tensorflow"] == [37, 21]
