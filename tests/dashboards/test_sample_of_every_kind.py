"""A folder that torch wrote with every kind of summary: its histograms and curves are shown whole.

The sample is not part of the repository; it is looked for beside it, and the tests skip when it is absent.
"""

from __future__ import annotations

import pytest

from log_folder import LogFolder
from sample_files import SAMPLES, needs
from stepscope.model.kinds import Kind
from stepscope.queries.histograms import Span
from stepscope.queries.pr_curves import pr_curve
from stepscope.session.reads import Reads

SAMPLE = SAMPLES / "event_logs" / "torch_every_kind"
pytestmark = needs("event_logs/torch_every_kind")


@pytest.fixture(scope="module")
def reads() -> Reads:
    """The sample, loaded."""
    return Reads(LogFolder(SAMPLE).load())


def test_every_histogram_is_in_the_picture(reads: Reads) -> None:
    view = reads.views.view()
    tags = reads.blobs.list_tags(view, Kind.HISTOGRAM)[0]
    assert tags
    for tag in tags:
        for place, values in zip(tag.runs, tag.values, strict=True):
            series = reads.blobs.open(view, view.runs[place].record.id, tag.name, Kind.HISTOGRAM)
            grid = reads.histograms.grid(series, 0.0, Span(slots=4096), None, 50)
            assert (len(series), len(grid.slots), grid.slots.notices) == (values, values, [])
            totals = [reads.histograms.value(series, 0.0, "step", step).count.sum() for step in series.step.tolist()]
            assert grid.cells.reshape(-1, 50).sum(axis=1).tolist() == pytest.approx(totals, rel=1e-5)
            assert min(totals) > 0


def test_every_curve_can_be_read(reads: Reads) -> None:
    view = reads.views.view()
    tags = reads.blobs.list_tags(view, Kind.PR_CURVE)[0]
    assert tags
    for tag in tags:
        for place in tag.runs:
            series = reads.blobs.open(view, view.runs[place].record.id, tag.name, Kind.PR_CURVE)
            for at in range(len(series)):
                curve = pr_curve(reads.blobs.read_value(series, at), series.tag)
                assert curve.area() is not None
                assert (curve.columns["true_positives"] >= 0).all()
