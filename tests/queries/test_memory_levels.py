"""Memory as runs have logged it: every point in bytes, the size of the memory beside it, and which runs have any."""

from __future__ import annotations

import pytest

from log_folder import START, LogFolder
from stepscope.model.errors import NotThere
from stepscope.queries.memory_levels import check_marked, memory_levels, runs_of_memory
from stepscope.queries.tags import TagReader
from stepscope.queries.view import Views
from stepscope.store.library import Library, RunRecord

MIB = 1 << 20
USED = "system/gpu/0/memory_used_mib"


def only(library: Library) -> RunRecord:
    (run,) = library.snapshot.runs
    return run


def test_every_point_is_in_bytes(folder: LogFolder) -> None:
    folder.write("a", {USED: [(10, 100.0), (20, 300.0)], "loss": [1.0]})
    library = folder.load()
    (found,) = memory_levels(library, only(library))
    assert (found.tag.tag, found.step.tolist(), found.bytes.tolist()) == (USED, [10, 20], [100.0 * MIB, 300.0 * MIB])
    assert (found.wall.tolist(), found.capacity) == ([START, START + 1], None)


def test_the_series_beside_tells_the_newest_size(folder: LogFolder) -> None:
    folder.write("a", {"system/memory/used_mib": [100.0, 200.0], "system/memory/available_mib": [900.0, 700.0]})
    library = folder.load()
    levels = {each.tag.tag: each for each in memory_levels(library, only(library))}
    assert levels["system/memory/used_mib"].capacity == 900 * MIB


def test_points_of_a_restart_are_another_segment(folder: LogFolder) -> None:
    folder.write("a", {USED: [(0, 1.0), (1, 2.0)]})
    folder.write("a", {USED: [(0, 3.0), (1, 4.0)]}, start=START + 100, file="events.out.tfevents.2")
    library = folder.load()
    (found,) = memory_levels(library, only(library))
    assert (len(found.bytes), sorted(set(found.segment.tolist()))) == (4, [0, 1])


def test_marked_series_have_the_unit_they_were_marked_with(folder: LogFolder) -> None:
    folder.write("a", {"cuda": [2.0]})
    library = folder.load()
    assert list(memory_levels(library, only(library))) == []
    (found,) = memory_levels(library, only(library), {"cuda": "GB"})
    assert (found.bytes.tolist(), found.tag.marked) == ([2e9], True)


def test_runs_with_memory_are_those_that_logged_last_first(folder: LogFolder) -> None:
    folder.write("old", {USED: [1.0], "system/process/rss_mib": [1.0]})
    folder.write("new", {USED: [1.0], "cuda": [1.0]}, start=START + 1_000)
    folder.write("none", {"loss": [1.0]}, start=START + 2_000)
    views = Views(folder.load())
    found = runs_of_memory(views, TagReader(views), {})
    assert [(each.run.name, each.series) for each in found] == [("new", 1), ("old", 2)]
    marked = runs_of_memory(views, TagReader(views), {"": {"cuda": "GB"}})
    assert [(each.run.name, each.series) for each in marked] == [("new", 2), ("old", 2)]


def test_a_mark_needs_a_scalar_of_its_name(folder: LogFolder) -> None:
    folder.write("a", {"cuda": [1.0]}, others={"picture": "images"})
    library = folder.load()
    check_marked(library, [])
    check_marked(library, ["cuda"])
    for missing in ("cpu", "picture"):
        with pytest.raises(NotThere) as error:
            check_marked(library, ["cuda", missing])
        assert error.value.code == "unknown_tag"
