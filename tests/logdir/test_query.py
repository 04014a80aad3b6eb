"""stepscope.open(...).query: rows for scripts, in the packages that people use."""

from __future__ import annotations

from pathlib import Path

import pytest

import stepscope
from event_bytes import scalar, write
from stepscope.model.errors import NotThere


@pytest.mark.slow
def test_rows_in_every_package(tmp_path: Path) -> None:
    write(tmp_path / "a/events.out.tfevents.1.x", *(scalar(b"loss", step, 100.0, step / 2) for step in range(3)))
    folder = stepscope.open(tmp_path)
    found = folder.query("SELECT step, value FROM points ORDER BY step DESC")
    assert found.rows() == [{"step": 2, "value": 1.0}, {"step": 1, "value": 0.5}, {"step": 0, "value": 0.0}]
    assert (len(found), found.columns, found.units) == (3, ("step", "value"), {"step": "step", "value": "as logged"})
    assert found.to_pandas().to_dict("list") == found.to_polars().to_dict(as_series=False) == found.to_arrow().to_pydict()
    assert [row["name"] for row in folder.table("runs").rows()] == ["a"]
    write(tmp_path / "a/events.out.tfevents.2.x", scalar(b"loss", 3, 200.0, 9.0))
    folder.reload()
    highest = folder.query("SELECT max(value) AS top FROM points", tags=["lo*"])
    assert highest.rows() == [{"top": 9.0}]
    with pytest.raises(NotThere):
        folder.table('runs"; DROP TABLE runs; --')
