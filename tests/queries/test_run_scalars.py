"""Which files of a run have each of its scalar series."""

from __future__ import annotations

import os
from pathlib import Path

import stepscope
from event_bytes import content, event, scalar, session_log, summary, value, write
from stepscope.queries.run_scalars import RunScalars, run_scalars


def listed(folder: Path) -> RunScalars:
    opened = stepscope.open(folder, cache=False)
    (record,) = opened.library.snapshot.runs
    return run_scalars(opened.library, record)


def names_of(scalars: RunScalars, tag: str) -> list[tuple[str, int]]:
    return [(Path(os.fsdecode(events.path)).name, place) for events, place in scalars.parts(scalars.tags[tag])]


def test_a_series_is_made_of_the_files_that_have_it_and_those_with_session_starts(tmp_path: Path) -> None:
    write(tmp_path / "tfevents.1", scalar(b"a", 1, 1.0, 0), scalar(b"b", 1, 1.0, 0))
    write(tmp_path / "tfevents.2", session_log(5, 2.0))
    write(tmp_path / "tfevents.3", scalar(b"b", 1, 3.0, 0), scalar(b"a", 1, 3.0, 0))
    write(tmp_path / "tfevents.4", scalar(b"b", 1, 4.0, 0))
    scalars = listed(tmp_path)
    assert set(scalars.tags) == {"a", "b"}
    assert names_of(scalars, "a") == [("tfevents.1", 0), ("tfevents.2", -1), ("tfevents.3", 1)]
    assert names_of(scalars, "b") == [("tfevents.1", 1), ("tfevents.2", -1), ("tfevents.3", 0), ("tfevents.4", 0)]


def test_one_series_costs_its_own_files_however_many_others_there_are(tmp_path: Path) -> None:
    for at in range(200):
        write(tmp_path / f"tfevents.{at}", scalar(b"t%d" % at, 1, float(at), at))
    scalars = listed(tmp_path)
    assert len(scalars.tags) == 200
    assert all(names_of(scalars, f"t{at}") == [(f"tfevents.{at}", 0)] for at in range(200))


def test_other_kinds_are_no_scalars(tmp_path: Path) -> None:
    write(tmp_path / "tfevents.1", event(1, 1.0, summary(value(b"c", content(b"x")))), scalar(b"a", 1, 1.0, 0))
    write(tmp_path / "tfevents.2", session_log(5, 2.0))
    assert set(listed(tmp_path).tags) == {"a"}


def test_a_run_without_series_has_none(tmp_path: Path) -> None:
    write(tmp_path / "tfevents.2", session_log(5, 2.0))
    assert listed(tmp_path).tags == {}
