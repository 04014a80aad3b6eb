"""How near two runs are by their names, and what a file of a run changes with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stepscope.model.run_file import RunFile
from stepscope.model.run_names import FAR, distance


@pytest.mark.parametrize(
    ("home", "other", "expected"),
    [
        ("a", "a", 0),
        (".", ".", 0),
        ("a", "a/train", 1),
        (".", "anything/at/all", 1),
        ("a/train", "a", 2),
        ("a", ".", 2),
        ("a/train", "a/validation", 3),
        ("a", "b", FAR),
        ("a/train", "b/train", FAR),
        ("a", "ab", FAR),
        ("a/b", "a/b2/c", FAR),
    ],
)
def test_distances(home: str, other: str, expected: int) -> None:
    assert distance(home, other) == expected


def test_a_file_is_another_one_when_anything_about_it_changes() -> None:
    file = RunFile("/logs/a/config.yaml", 10, 5.0, 7, "config")
    assert replace(file, format="other").stamp == file.stamp
    changed = [replace(file, path="/logs/b"), replace(file, size=11), replace(file, modified=6.0), replace(file, inode=8)]
    assert all(each.stamp != file.stamp for each in changed)
