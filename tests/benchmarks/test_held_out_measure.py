"""How a run over the held-out trainings goes on after a stop, and when it does not begin."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from truth.held_out.measure import MOST_LOAD, measured_before, refuse_when_busy


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
