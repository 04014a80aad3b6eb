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
    (session,) = {folder for each in found for folder in each["sessions"]}
    assert (found[0]["ahead_ns"], found[0]["error_ns"]) == (0, 0), "the first rank's clock is that of all"
    assert 0 < found[1]["error_ns"] < 10**9
    assert abs(found[1]["ahead_ns"]) <= found[1]["error_ns"] + 10**6, "both are on this machine"
    names = sorted(path.name.rpartition("_")[2] for path in Path(session).iterdir())
    assert names == [f"rank{rank}.pt.trace.json.gz" for rank in (0, 1)]
    steps = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)["steps"]
    assert {(step["rank"], step["step"]) for step in steps} == {(rank, step) for rank in (0, 1) for step in (2, 3, 4)}
    (Path(session) / names_of_rank(session, 1)).unlink()
    report = json.loads(verbs("profile", "report", session, "--json", "--no-cache").stdout)
    assert report["data_quality"]["missing_ranks"] == [1]


def names_of_rank(session: str, rank: int) -> str:
    """The file of one rank."""
    return next(path.name for path in Path(session).iterdir() if f"_rank{rank}." in path.name)
