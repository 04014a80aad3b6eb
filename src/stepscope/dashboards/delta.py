"""The delta: what is new since a page last heard, as live updates carry it."""

from __future__ import annotations

from msgspec import Struct

from stepscope.queries.changes import Change, Changes
from stepscope.queries.overview import Loading, Progress, loading
from stepscope.session.reads import Reads

__all__ = ["Change", "Changes", "Delta", "Progress", "read_delta"]


class Delta(Struct, frozen=True):
    """What is new since the last event."""

    epoch: int
    points: int
    live_runs: int
    newest: float | None
    loading: Loading
    runs_changed: bool
    tags_changed: bool
    changed: dict[str, list[str]]
    changed_all: bool


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
    delta = Delta(
        epoch=view.snapshot.epoch,
        points=overview.points,
        live_runs=overview.live_runs,
        newest=overview.newest,
        loading=loading(reads.library.snapshot.progress),
        runs_changed=changes.runs_changed,
        tags_changed=changes.tags_changed,
        changed=changed,
        changed_all=changes.too_many,
    )
    return delta, overview.epoch < view.snapshot.epoch
