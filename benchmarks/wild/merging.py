"""Merges traces of several ranks into one, in the ways of the tools that do so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Content = dict[str, Any]
Merge = Callable[[Mapping[int, Content]], Content]
_STRIDE = 1 << 24


def _merged(ranks: Mapping[int, Content], change: Callable[[int, Content], Content], beside: Content | None = None) -> Content:
    """The first rank's file with the events of all; correlations and flow ids stay as they are and occur in every rank."""
    events = [change(rank, event) for rank, content in ranks.items() for event in content["traceEvents"]]
    return {**next(iter(ranks.values())), **(beside or {}), "traceEvents": events}


def named_processes(ranks: Mapping[int, Content]) -> Content:
    """Every process has a number of its own and is called by its rank."""

    def moved(rank: int, event: Content) -> Content:
        pid = event.get("pid", 0)
        return {**event, "pid": pid + rank * _STRIDE if isinstance(pid, int) else f"{pid} of {rank}"}

    whole = _merged(ranks, moved)
    owners = {(event["pid"], rank) for rank, content in ranks.items() for event in (moved(rank, one) for one in content["traceEvents"])}
    labels = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": f"Rank {rank}"}} for pid, rank in owners]
    kept = [event for event in whole["traceEvents"] if event.get("name") != "process_name"]
    return {**whole, "traceEvents": [*kept, *sorted(labels, key=lambda event: str(event["pid"]))]}


def tagged_processes(ranks: Mapping[int, Content]) -> Content:
    """The number of every process is a text that begins with the place among the tensor-parallel ranks, as servers merge."""
    return _merged(ranks, lambda rank, event: {**event, "pid": f"[TP{rank:02d}] {event.get('pid', 0)}"})


def told_by_arguments(ranks: Mapping[int, Content]) -> Content:
    """Every event says its rank among the arguments, and processes have numbers of their own."""

    def told(rank: int, event: Content) -> Content:
        pid = event.get("pid", 0)
        moved = pid + rank * _STRIDE if isinstance(pid, int) else f"{pid} of {rank}"
        return {**event, "pid": moved, "args": {**(event.get("args") or {}), "rank": rank}}

    return _merged(ranks, told)


MERGES: tuple[Merge, ...] = (named_processes, tagged_processes, told_by_arguments)
