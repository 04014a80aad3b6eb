"""Text, sound and meshes that the real TensorFlow and torch logged are served whole, at every step."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from log_folder import LogFolder
from stepscope.model.kinds import Kind
from stepscope.queries.audio_values import audio_value
from stepscope.queries.text_values import text_value
from stepscope.session.reads import Reads

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).with_name("media_of_peers.py")
Logged = tuple[Reads, dict[str, Any]]


@pytest.fixture(scope="module")
def logged(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Logged:
    """Reads of a folder with their logs, and what they were given."""
    folder = LogFolder(tmp_path_factory.mktemp("peers"))
    given = run_in_peers(SCRIPT, folder.path)
    return Reads(folder.load()), given


def run_named(reads: Reads, name: str) -> str:
    return next(str(run.record.id) for run in reads.views.view().runs if run.name == name)


@pytest.mark.parametrize(
    ("run", "tag", "shape", "last"),
    [
        ("tensorflow", "one", (), ("step 11",)),
        ("tensorflow", "grid", (2, 2), ("a", "b", "c", "11")),
        ("torch", "one/text_summary", (1,), ("step 11",)),
    ],
)
def test_every_text(logged: Logged, run: str, tag: str, shape: tuple[int, ...], last: tuple[str, ...]) -> None:
    reads, given = logged
    series = reads.blobs.open(reads.views.view(), run_named(reads, run), tag, Kind.TEXT)
    assert series.step.tolist() == list(range(given["steps"]))
    found = text_value(reads.blobs.read(series, len(series) - 1))
    assert (found.shape, found.cells) == (shape, last)


@pytest.mark.parametrize(("run", "tag", "samples"), [("tensorflow", "sounds", 2), ("torch", "sound", 1)])
def test_every_sound(logged: Logged, run: str, tag: str, samples: int) -> None:
    reads, given = logged
    series = reads.blobs.open(reads.views.view(), run_named(reads, run), tag, Kind.AUDIO)
    assert len(series) == given["steps"]
    value = audio_value(reads.blobs.read(series, 3))
    assert len(value.samples) == samples
    with wave.open(io.BytesIO(value.sample(samples - 1)[0])) as sound:
        assert (sound.getframerate(), sound.getnframes()) == (8000, 1600)


@pytest.mark.parametrize("run", ["tensorflow", "torch"])
def test_every_mesh(logged: Logged, run: str) -> None:
    reads, given = logged
    found = reads.meshes.read(reads.views.view(), run_named(reads, run), "shape", 7, None, 0)
    assert found.vertices.tolist() == [value + 7 for value in given["vertices"]]
    assert found.faces.tolist() == given["faces"]
    assert found.colours.tolist()[:3] == [255, 0, 0]
    assert found.notices == ()


def test_descriptions_are_listed_with_their_tags(logged: Logged) -> None:
    reads, _ = logged
    told = {(tag.name, tag.kind): tag.description for tag in reads.tags.list_tags(True).tags}
    assert told["one", "text"] == "About *one*."
