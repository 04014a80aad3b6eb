"""What the real TensorFlow and torch logged is served whole: every step, every sample, every byte."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from log_folder import LogFolder
from stepscope.dashboards.context import Project, RequestContext
from stepscope.dashboards.images import dashboard
from stepscope.dashboards.logged_values import SampleRequest
from stepscope.dashboards.questions import FoldRequest
from stepscope.dashboards.route import Media
from stepscope.ingest.loader import Root
from stepscope.model.kinds import Kind
from stepscope.model.user import LOCAL_USER
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).with_name("images_of_peers.py")


@pytest.fixture(scope="module")
def logged(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[LogFolder, dict[str, list[str]]]:
    """A folder with their logs, and the digests of what their own messages hold."""
    folder = LogFolder(tmp_path_factory.mktemp("peers"))
    return folder, run_in_peers(SCRIPT, folder.path)


def served(folder: LogFolder) -> Iterator[tuple[str, Media]]:
    """Every image by run, tag and step."""
    reads = Reads(folder.load())
    project = Project(reads, folder.loader, UserState(folder.path / "notes"), (Root("", str(folder.path)),))
    context = RequestContext(LOCAL_USER, project)
    view = reads.views.view()
    for tag in dashboard.image_tags(context, FoldRequest(), {}).tags:
        for place in tag.runs:
            run = view.runs[place]
            series = reads.blobs.open(view, run.record.id, tag.name, Kind.IMAGE)
            for step in series.step.tolist():
                sample = samples = 0
                while sample <= samples:
                    answer = dashboard.image(context, SampleRequest(run.record.id, tag.name, step, sample=sample), {})
                    samples = facts_of(answer).x_samples - 1
                    sample += 1
                    yield f"{run.name} {tag.name} {step}", answer


def facts_of(answer: Media) -> dashboard.ImageFacts:
    """What the answer's headers say."""
    assert isinstance(answer.facts, dashboard.ImageFacts)
    return answer.facts


def test_every_image_has_the_bytes_that_were_logged(logged: tuple[LogFolder, dict[str, list[str]]]) -> None:
    folder, expected = logged
    found: dict[str, list[str]] = {}
    for name, answer in served(folder):
        assert answer.content_type == "image/png"
        assert facts_of(answer).x_logged_size != "0x0"
        found.setdefault(name, []).append(hashlib.sha256(answer.data).hexdigest())
    assert found == expected
    assert len(found) == 48
    assert {len(samples) for samples in found.values()} == {1, 4}
