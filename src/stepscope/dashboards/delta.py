"""The delta: what is new since a page last heard, as live updates carry it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch
from stepscope.queries.changes import Change, Changes
from stepscope.queries.overview import Loading, Progress, loading
from stepscope.session.reads import Reads

__all__ = ["Change", "Changes", "Delta", "Progress", "read_delta"]


class Delta(Struct, frozen=True):
    """What is new since the last event."""

    epoch: Epoch
    points: Annotated[int, d.count("Points of all series.")]
    live_runs: Annotated[int, d.count("Runs that are being written.")]
    newest: Annotated[float | None, d.wall_time("Wall time of the newest point; null without points.")]
    loading: Annotated[Loading, d.nested("Progress of loading.")]
    runs_changed: Annotated[bool, d.flag("Whether the list of runs changed.")]
    tags_changed: Annotated[bool, d.flag("Whether the list of tags changed.")]
    changed: Annotated[dict[str, list[str]], d.nested("Tags with new points, by the id of their run.")]
    changed_all: Annotated[bool, d.flag("Whether any series may have new points, because `changed` would name more than 2,000.")]


def read_delta(reads: Reads, changes: Changes) -> tuple[Delta, bool]:
    """The delta, and whether its sums are a little old and should be sent again."""
    overview = reads.overview.read(hurried=True)
    view = reads.views.view(True)
    changed: dict[str, list[str]] = {}
    for run, tags in changes.series.items():
        for tag in tags:
            place = view.shown(run, tag)
            if place is not None:
                changed.setdefault(place[0], []).append(reads.views.tag_name(place[1]))
    delta = d.fill(
        Delta,
        overview,
        epoch=view.snapshot.epoch,
        loading=loading(reads.library.snapshot.progress),
        runs_changed=changes.runs_changed,
        tags_changed=changes.tags_changed,
        changed=changed,
        changed_all=changes.too_many,
    )
    return delta, overview.epoch < view.snapshot.epoch
