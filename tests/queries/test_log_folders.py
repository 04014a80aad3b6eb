"""A log folder that is missing is told from one that is empty."""

from __future__ import annotations

from pathlib import Path

from stepscope.queries.log_folders import folder_exists


def test_only_a_folder_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert folder_exists(str(tmp_path))
    assert not folder_exists(str(tmp_path / "file"))
    assert not folder_exists(str(tmp_path / "later"))
