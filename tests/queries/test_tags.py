"""The tag list: names in order, kinds, counts and bitmaps of runs, kept up as files grow."""

from __future__ import annotations

import base64

import pytest

from log_folder import LogFolder
from stepscope.queries import tags as tags_module
from stepscope.queries.overview import OverviewReader
from stepscope.queries.tags import TagList, TagReader
from stepscope.queries.view import Views


def runs_of(answer: TagList, name: str) -> set[str]:
    """The ids in the bitmap of one tag."""
    row = next(tag for tag in answer.tags if tag.name == name)
    bits = base64.b64decode(row.runs)
    assert len(bits) == (len(answer.runs) + 7) // 8
    return {run for place, run in enumerate(answer.runs) if bits[place // 8] >> place % 8 & 1}


def test_bitmaps_name_the_runs_that_have_a_tag(folder: LogFolder) -> None:
    for place in range(20):
        folder.write(f"r{place:02}", {"all": [1.0, 2.0]} | ({"even": [1.0]} if place % 2 == 0 else {}))
    views = Views(folder.load())
    answer = TagReader(views).list_tags()
    names = {str(run.record.id): run.name for run in views.view().runs}
    assert {names[run] for run in runs_of(answer, "even")} == {f"r{place:02}" for place in range(0, 20, 2)}
    assert runs_of(answer, "all") == set(answer.runs)
    every = next(tag for tag in answer.tags if tag.name == "all")
    assert (every.points, every.series, every.kind) == (40, 20, "scalar")


def test_a_tag_in_two_files_of_a_run_is_one_series(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2]}, file="events.out.tfevents.1")
    folder.write("a", {"loss": [1, 2]}, file="events.out.tfevents.2")
    views = Views(folder.load())
    reader = TagReader(views)
    row = reader.list_tags().tags[0]
    assert (row.points, row.series) == (4, 1)
    overview = OverviewReader(views, reader).read()
    assert (overview.series, overview.tags, overview.points, overview.files) == (1, 1, 4, 2)


def test_tags_are_in_natural_order_with_their_kinds(folder: LogFolder) -> None:
    folder.write("a", {"layer10": [1], "layer2": [1]}, others={"picture": "images", "words": "text"})
    found = [(tag.name, tag.kind) for tag in TagReader(Views(folder.load())).list_tags().tags]
    assert found == [("layer2", "scalar"), ("layer10", "scalar"), ("picture", "image"), ("words", "text")]


def test_new_points_tags_and_runs_appear(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    reader = TagReader(Views(folder.load()))
    assert [tag.points for tag in reader.list_tags().tags] == [1]
    folder.write("a", {"loss": [1, 2], "acc": [1]}, version=False)
    folder.write("b", {"acc": [1]})
    folder.load()
    answer = reader.list_tags()
    assert [(tag.name, tag.points, tag.series) for tag in answer.tags] == [("acc", 2, 2), ("loss", 3, 1)]
    assert len(answer.runs) == 2


def test_bitmaps_are_made_in_bounded_pieces(folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in range(5):
        folder.write(f"r{place}", {f"t{tag}": [1.0] for tag in range(place + 1)})
    reader = TagReader(Views(folder.load()))
    whole = reader.list_tags()
    monkeypatch.setattr(tags_module, "_CELLS_AT_ONCE", 7)
    assert TagReader(Views(folder.library)).list_tags() == whole


def test_only_so_many_tags_are_listed(folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tags_module, "MAX_TAGS", 3)
    folder.write("a", {f"t{tag}": [1.0] for tag in range(5)})
    answer = TagReader(Views(folder.load())).list_tags()
    assert ([tag.name for tag in answer.tags], answer.total) == (["t0", "t1", "t2"], 5)


def test_a_tag_that_is_no_text_can_be_asked_for_as_it_is_shown(folder: LogFolder) -> None:
    folder.write("a", {"bad\udcff": [1]})
    views = Views(folder.load())
    name = TagReader(views).list_tags().tags[0].name
    assert name == "bad\\xff"
    assert views.view().source(views.view().runs[0].record.id, views.tag_id(name)) is not None


def test_one_name_for_two_kinds_is_two_rows(folder: LogFolder) -> None:
    folder.write("a", {"x": [1, 2]})
    folder.write("b", {}, others={"x": "images"})
    found = [(tag.name, tag.kind, tag.points, tag.series) for tag in TagReader(Views(folder.load())).list_tags().tags]
    assert found == [("x", "scalar", 2, 1), ("x", "image", 1, 1)]
