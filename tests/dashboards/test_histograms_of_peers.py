"""What the real TensorFlow and torch logged is served whole, with the buckets and percentiles that TensorBoard makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from log_folder import LogFolder
from stepscope.model.kinds import Kind
from stepscope.queries.histograms import Span
from stepscope.queries.pr_curves import ROWS, pr_curve
from stepscope.session.reads import Reads

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).with_name("histograms_of_peers.py")
Logged = tuple[LogFolder, dict[str, Any]]


@pytest.fixture(scope="module")
def logged(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Logged:
    """A folder with their logs, and what TensorBoard's own code reads there."""
    folder = LogFolder(tmp_path_factory.mktemp("peers"))
    return folder, run_in_peers(SCRIPT, folder.path)


def test_curves_are_those_that_torch_logged(logged: Logged) -> None:
    folder, expected = logged
    reads = Reads(folder.load())
    view = reads.views.view()
    (tag,) = reads.blobs.list_tags(view, Kind.PR_CURVE)[0]
    run = view.runs[tag.runs[0]]
    series = reads.blobs.open(view, run.record.id, tag.name, Kind.PR_CURVE)
    assert len(series) == len(expected["curves"]) == 6
    for place, step in enumerate(series.step.tolist()):
        curve = pr_curve(reads.blobs.read_value(series, place), series.tag)
        assert [curve.columns[name].tolist() for name in ROWS] == expected["curves"][f"torch curve {step}"]
        assert 0 < (curve.area() or 0) < 1


def served(folder: LogFolder) -> Iterator[tuple[str, Any, Any]]:
    """Name, exact value and percentiles (None when there are none) of every histogram."""
    reads = Reads(folder.load())
    view = reads.views.view()
    for tag in reads.blobs.list_tags(view, Kind.HISTOGRAM)[0]:
        for place in tag.runs:
            run = view.runs[place]
            series = reads.blobs.open(view, run.record.id, tag.name, Kind.HISTOGRAM)
            bands = reads.histograms.bands(series, 0.0, Span(slots=4096))
            levels = dict(zip(bands.slots.columns["step"].tolist(), bands.levels.reshape(-1, 9).tolist(), strict=True))
            for step in series.step.tolist():
                yield f"{run.name} {tag.name} {step}", reads.histograms.value(series, 0.0, "step", step), levels.get(step)


def test_every_histogram_is_there(logged: Logged) -> None:
    folder, expected = logged
    assert {name for name, _, _ in served(folder)} == set(expected["histograms"])
    assert len(expected["histograms"]) == 9 * 6


def test_buckets_are_those_of_tensorboard(logged: Logged) -> None:
    folder, expected = logged
    for name, value, _ in served(folder):
        theirs = np.array(expected["histograms"][name]["rows"]).reshape(-1, 3)
        ours = np.stack([value.left, value.right, value.count], axis=1)
        # TensorBoard narrows the old message to single precision.
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-30), name


def test_percentiles_are_those_of_tensorboard(logged: Logged) -> None:
    folder, expected = logged
    compared = 0
    for name, value, levels in served(folder):
        if value.count.sum() == 0:
            assert levels is None, name
            continue
        theirs = expected["histograms"][name]["levels"]
        reach = max(abs(level) for level in theirs) or 1.0
        assert levels == pytest.approx(theirs, rel=1e-5, abs=1e-6 * reach), json.dumps([name, levels, theirs])
        compared += 1
    assert compared == 8 * 6
