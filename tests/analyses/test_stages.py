"""Stages of a pipeline, by the groups in which ranks send, reduce and gather."""

from __future__ import annotations

import pytest

from stepscope.analyses.communication.matching import Own
from stepscope.analyses.communication.stages import stages_of
from stepscope.model.profile import NONE


def rank(*groups: str) -> list[Own]:
    """A rank's communication: "send a" in group a."""
    pairs = [each.split() for each in groups]
    return [Own(place, NONE, 0, 1, group, name, 2, place, NONE, NONE, name) for place, (name, group) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("ranks", "stages"),
    [
        ([rank("allreduce world"), rank("allreduce world")], (0, 0)),
        ([rank("send 0-1"), rank("recv 0-1")], (0, 1)),
        (
            [
                rank("send 0-2", "allreduce dp0"),
                rank("send 1-3", "allreduce dp0"),
                rank("recv 0-2", "allreduce dp1"),
                rank("recv 1-3", "allreduce dp1"),
            ],
            (0, 0, 1, 1),
        ),
        # First and last stage share the embedding; they also send to each other, so that they are two stages.
        ([rank("send 0-1", "allreduce embedding"), rank("recv 0-1", "allreduce embedding"), rank("allreduce other")], (0, 1, 2)),
        # A group of all ranks ties no stage.
        ([rank("send 0-1", "allreduce world"), rank("recv 0-1", "allreduce world")], (0, 1)),
    ],
)
def test_stages(ranks: list[list[Own]], stages: tuple[int, ...]) -> None:
    assert stages_of(ranks) == stages
