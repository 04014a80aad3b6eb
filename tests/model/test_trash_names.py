"""Trash folders are recognised wherever they are met."""

from __future__ import annotations

import pytest

from stepscope.model.trash_names import is_trash


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("logs.stepscope-trash", True),
        ("/data/logs.stepscope-trash/20260328T101112-0123456789ab/folder", True),
        (r"C:\data\logs.stepscope-trash\x", True),
        ("/data/logs", False),
        ("/data/logs.stepscope-trash-2/run", False),
        ("", False),
    ],
)
def test_trash_folders_are_recognised(path: str, found: bool) -> None:
    assert is_trash(path) is found
