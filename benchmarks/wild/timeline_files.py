"""Drawn timelines of whole jobs, as tools make them from a cluster's own records: one file, threads labelled by parallel groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STEPS, CHAINS, STAGES = 6, 4, 2
_LANES = ("compute", "pp-comm", "tp-comm", "dp-comm", "misc")


def _timeline(compute: dict[tuple[int, int], float]) -> list[dict[str, Any]]:
    """Two pipeline stages of four data-parallel ranks; `compute` has the milliseconds of each (stage, chain)."""
    events: list[dict[str, Any]] = []
    forward = [[compute[stage, chain] / 3 for chain in range(CHAINS)] for stage in range(STAGES)]
    backward = [[2 * one for one in stage] for stage in forward]
    at = 1_000.0
    for step in range(STEPS):
        ends: list[list[float]] = [[], []]
        for chain in range(CHAINS):
            first = at + forward[0][chain]
            second = first + 0.5 + forward[1][chain]
            third = second + backward[1][chain]
            last = third + 0.5 + backward[0][chain]
            ends[0].append(last)
            ends[1].append(third)
            for stage, lane, name, begin, until in (
                (0, 0, "forward-compute", at, first),
                (0, 1, "forward-send", first, first + 0.5),
                (1, 1, "forward-recv", first, first + 0.5),
                (1, 0, "forward-compute", first + 0.5, second),
                (1, 0, "backward-compute", second, third),
                (1, 1, "backward-send", third, third + 0.5),
                (0, 1, "backward-recv", third, third + 0.5),
                (0, 0, "backward-compute", third + 0.5, last),
            ):
                events.append(_span(name, stage, chain, lane, begin, until, step))
        for stage in range(STAGES):
            for chain in range(CHAINS):
                events.append(_span("grads-reduce-scatter", stage, chain, 3, ends[stage][chain], max(ends[stage]) + 1, step))
        at = max(max(one) for one in ends) + 2
    return [*events, *_labels()]


def _span(name: str, stage: int, chain: int, lane: int, begin: float, until: float, step: int) -> dict[str, Any]:
    tid = (stage * CHAINS + chain) * len(_LANES) + lane
    times = {"ts": round(begin * 1e3, 3), "dur": round((until - begin) * 1e3, 3)}
    return {"name": name, "cat": name, "ph": "X", "pid": chain, "tid": tid, **times, "args": {"step": step, "mb_id": 0}}


def _labels() -> list[dict[str, Any]]:
    threads = [
        {
            "name": "thread_name",
            "ph": "M",
            "pid": chain,
            "tid": (stage * CHAINS + chain) * len(_LANES) + place,
            "args": {"name": f"PP rank {stage}, TP rank 0, {lane}"},
        }
        for stage in range(STAGES)
        for chain in range(CHAINS)
        for place, lane in enumerate(_LANES)
    ]
    processes = [{"name": "process_name", "ph": "M", "pid": chain, "args": {"name": f"DP rank [{chain}]"}} for chain in range(CHAINS)]
    return [*threads, *processes]


def _written(folder: Path, slow: dict[tuple[int, int], float]) -> Path:
    even = {(stage, chain): 12.0 for stage in range(STAGES) for chain in range(CHAINS)}
    path = folder / "timeline.json"
    path.write_text(json.dumps(_timeline(even | slow)))
    return path


def timeline_slow_rank(folder: Path) -> Path:
    """One timeline of eight ranks, two pipeline stages of four, by labels of threads and processes: the first rank of the first stage
    computes 24 ms of each step and all others 12."""
    return _written(folder, {(0, 0): 24.0})


def timeline_slow_stage(folder: Path) -> Path:
    """One timeline of eight ranks, two pipeline stages of four: all ranks of the last stage compute 24 ms a step, the others 12."""
    return _written(folder, {(1, chain): 24.0 for chain in range(CHAINS)})
