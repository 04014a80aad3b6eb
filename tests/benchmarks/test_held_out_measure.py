"""How a run over the held-out trainings goes on after a stop, and when it does not begin."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from truth.held_out import measure, page
from truth.held_out.measure import MOST_LOAD, kept_folder, measured_before, refuse_when_busy


def test_a_stopped_run_goes_on_and_tries_again_what_failed() -> None:
    rows = [
        {"name": "a", "not_counted": ""},
        {"name": "b", "not_counted": "failed", "error": "took longer than 240 s"},
        {"name": "c", "not_counted": "too noisy"},
    ]
    assert set(measured_before("\n".join(map(json.dumps, rows)) + "\n")) == {"a", "c"}


def test_a_busy_machine_is_refused() -> None:
    refuse_when_busy(2 * MOST_LOAD, 2)
    with pytest.raises(SystemExit, match="busy"):
        refuse_when_busy(2 * MOST_LOAD + 0.1, 2)


def test_recordings_are_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    with kept_folder(None, "a") as folder:
        gone = Path(folder)
        assert gone.is_dir()
    assert not gone.exists()
    with kept_folder(tmp_path, "a") as folder:
        (Path(folder) / "profile").write_text("old")
    with kept_folder(tmp_path, "a") as folder:
        assert list(Path(folder).iterdir()) == [], "a case that is measured again has one recording"
    assert (tmp_path / "a").is_dir()


def results(seed: int) -> dict[str, object]:
    return {"seed": seed, "counts": {}, "cases": [1, 2]}


def test_counts_of_a_former_seed_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("RESULTS", "EARLIER"):
        for module in (measure, page):
            monkeypatch.setattr(module, name, tmp_path / name, raising=False)
    monkeypatch.setattr(measure.page, "write", lambda: None)
    for seed in (1, 1, 2, 3):
        measure.publish(results(seed))
    assert json.loads((tmp_path / "RESULTS").read_text()) == results(3)
    assert json.loads((tmp_path / "EARLIER").read_text()) == [page.without_cases(results(seed)) for seed in (1, 2)]
