"""Two real torch ranks capture the same steps: one session, each rank named, and both read together."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.peers
@pytest.mark.slow
def test_ranks_share_a_session(tmp_path: Path, run_in_peers: Callable[..., Any], verbs: Run) -> None:
    script, meeting = Path(__file__).parent / "profile_of_rank.py", tmp_path / "meeting"
    with ThreadPoolExecutor(2) as both:
        found = list(both.map(lambda rank: run_in_peers(script, meeting, str(rank), tmp_path / "run"), range(2)))
    (session,) = {folder for sessions in found for folder in sessions}
    names = sorted(path.name.rpartition("_")[2] for path in Path(session).iterdir())
    assert names == [f"rank{rank}.pt.trace.json.gz" for rank in (0, 1)]
    steps = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)["steps"]
    assert {(step["rank"], step["step"]) for step in steps} == {(rank, step) for rank in (0, 1) for step in (2, 3, 4)}
