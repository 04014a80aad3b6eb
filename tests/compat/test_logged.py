"""Series as TensorBoard's plugins see them: of runs as on disk, by plugin, and none whose version nobody knows."""

from __future__ import annotations

import os

import pytest

import event_bytes as eb
from log_folder import LogFolder
from stepscope.compat.logged import found_one, listed, plugins_with_data
from stepscope.compat.served import Served, location_of
from stepscope.dashboards.context import Project
from stepscope.model.errors import NotThere
from stepscope.server.tensorboard_routes import served_by
from stepscope.session.reads import Reads


def served(folder: LogFolder) -> Served:
    folder.load()
    return served_by(Project(Reads(folder.library), folder.loader, None, ()))  # pyright: ignore[reportArgumentType]


def test_runs_are_as_on_disk(folder: LogFolder) -> None:
    folder.write("a", {"x": [1.0]})
    folder.write("a/both_one", {"both": [1.0]})
    (folder.path / "empty").mkdir()
    assert {run: list(tags) for run, tags in listed(served(folder), "scalars").items()} == {"a": ["x"], "a/both_one": ["both"]}


def test_series_of_another_plugin_are_not_listed(folder: LogFolder) -> None:
    folder.write("a", {"x": [1.0]}, others={"y": "text", "z": "someone_elses"})
    found = served(folder)
    assert list(listed(found, "scalars")["a"]) == ["x"]
    assert list(listed(found, "text")["a"]) == ["y"]
    assert plugins_with_data(found) == {"scalars", "text", "someone_elses"}
    for plugin, tag in (("text", "x"), ("text", "z"), ("images", "y"), ("scalars", "none")):
        with pytest.raises(NotThere):
            found_one(found, plugin, "a", tag)


@pytest.mark.parametrize(("content", "is_listed"), [(b"", True), (b"\x08\x00", True), (b"\x08\x01", False), (b"\xff", True)])
def test_a_version_that_nobody_knows_hides_the_series(folder: LogFolder, content: bytes, is_listed: bool) -> None:
    about = eb.message(9, eb.message(1, eb.message(1, b"text"), eb.message(2, content)))
    value = eb.value(b"words", eb.message(8, eb.integer(1, 7), eb.message(8, b"hello")), about)
    eb.write(folder.path / "a" / "events.out.tfevents.1", eb.record(eb.event(0, 1.0, eb.summary(value))))
    assert bool(listed(served(folder), "text")) == is_listed


def test_the_first_file_with_a_tag_says_what_it_is_called(folder: LogFolder) -> None:
    about = eb.message(9, eb.metadata(b"scalars", display=b"X", description=b"of a", data_class=1))
    tensor = eb.message(8, eb.tensor(eb.FLOAT, eb.single(5, 1.0)))
    for run, parts in (("old", [eb.single(2, 1.0)]), ("new", [tensor, about])):
        for file in (1, 2):
            value = eb.summary(eb.value(b"x", *parts))
            eb.write(folder.path / run / f"events.out.tfevents.{file}", eb.record(eb.event(file, 1.0 + file, value)))
    found = listed(served(folder), "scalars")
    texts = {run: (tags["x"].display_name, tags["x"].description, tags["x"].content) for run, tags in found.items()}
    assert texts == {"old": ("x", "", b""), "new": ("X", "of a", b"")}


def test_log_folders_are_named_as_on_the_command_line() -> None:
    here = os.path.abspath("logs")
    assert location_of([("", "logs")]) == here
    assert location_of([("a", "logs"), ("b", "/x")]) == f"a:{here},b:/x"
