"""Two real torch processes know which of them logs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.peers
def test_torch_tells_the_rank_once_its_processes_have_met(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    script, meeting = Path(__file__).parent / "torch_ranks.py", tmp_path / "meeting"
    with ThreadPoolExecutor(2) as both:
        found = list(both.map(lambda number: run_in_peers(script, meeting, str(number), timeout=100), range(2)))
    assert found == [[0, 0, True], [0, 1, False]]
