"""One file with the traces of several ranks: its labels divide it, and what they do not name stays one profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.formats.open_profile import read_file, read_ranks
from stepscope.model.profile import NONE, Profile, SpanKind

RANKS, STEPS = 3, 4
Event = dict[str, Any]


def work(number: int, pid: int | str, tid: int | str, **arguments: object) -> list[Event]:
    """Kernels of one rank and the calls that launch them; every rank uses the same correlations."""
    events: list[Event] = []
    for step in range(STEPS):
        at = 1000.0 * step + 10 * number
        common = {"ph": "X", "pid": pid, "args": {"correlation": step + 1, **arguments}}
        events.append({**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": tid, "ts": at, "dur": 5})
        events.append({**common, "cat": "kernel", "name": f"kernel_of_{number}", "tid": f"{tid} stream", "ts": at + 6, "dur": 100})
    return events


def named(what: str, pid: int | str, text: str, tid: int | str = 0) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"labels" if what == "process_labels" else "name": text}}


def of_process_names(spelled: str) -> list[Event]:
    events = [named("process_name", 100 + rank, spelled.format(rank)) for rank in range(RANKS)]
    return [*events, *(one for rank in range(RANKS) for one in work(rank, 100 + rank, 7))]


def of_thread_names() -> list[Event]:
    labels = [named("thread_name", 0, f"Rank {rank}", f"{rank}{lane}") for rank in range(RANKS) for lane in ("", " stream")]
    return [*(one for rank in range(RANKS) for one in work(rank, 0, str(rank))), *labels]


@pytest.fixture
def ranks_of(tmp_path: Path) -> Callable[..., list[Profile]]:
    def read(events: list[Event], **beside: object) -> list[Profile]:
        path = tmp_path / "all.json"
        path.write_text(json.dumps({**beside, "traceEvents": events}))
        return read_ranks(read_file(str(path)))

    return read


@pytest.mark.parametrize(
    "events",
    [
        of_process_names("rank {}"),
        of_process_names("Rank {} (node-7)"),
        of_process_names("RANK {} - GPU"),
        of_process_names("[rank{}]"),
        of_process_names("DP rank [{}]"),
        of_process_names("[TP0{}-PP00] 1234"),
        of_thread_names(),
        [one for rank in range(RANKS) for one in work(rank, f"[TP0{rank}] 1234", 7)],
        [one for rank in range(RANKS) for one in work(rank, 100 + rank, 7, rank=rank)],
    ],
    ids=["name", "host", "upper", "bracket", "group", "tags", "threads", "text", "arguments"],
)
def test_labels_divide_a_file(ranks_of: Callable[..., list[Profile]], events: list[Event]) -> None:
    found = ranks_of(events)
    assert [profile.rank for profile in found] == list(range(RANKS))
    assert {profile.world_size for profile in found} == {RANKS}
    for rank, profile in enumerate(found):
        spans = profile.spans
        kernels = [row for row, kind in enumerate(spans.kind) if kind == SpanKind.KERNEL]
        assert [profile.names[spans.name[row]] for row in kernels] == [f"kernel_of_{rank}"] * STEPS
        launched = [int(spans.start[row] - spans.start[spans.cause[row]]) for row in kernels]
        assert launched == [6000] * STEPS, "each kernel is tied to the call of its own rank"
        assert profile.window[0] == 10_000 * rank, "one file has one clock"
        assert not profile.several_ranks


def test_processes_that_have_the_numbers_of_listed_ranks_are_these(ranks_of: Callable[..., list[Profile]]) -> None:
    events = [one for rank in range(RANKS) for one in work(rank, rank, 7)]
    listed = [{"rank": rank, "world_size": 8} for rank in range(RANKS)]
    assert [profile.rank for profile in ranks_of(events, distributedInfo=listed)] == [0, 1, 2]
    assert [profile.rank for profile in ranks_of(events)] == [NONE], "without the list a number says nothing"


def test_places_in_groups_are_counted_by_stage_first(ranks_of: Callable[..., list[Profile]]) -> None:
    events: list[Event] = []
    for chain in range(2):
        events.append(named("process_name", chain, f"DP rank [{chain}]"))
        for stage in range(2):
            place = 2 * stage + chain
            events += [named("thread_name", chain, f"PP rank {stage}, TP rank 0{lane}", f"{place}{lane}") for lane in ("", " stream")]
            events += work(place, chain, str(place))
    found = ranks_of(events)
    assert [profile.rank for profile in found] == [0, 1, 2, 3]
    assert [profile.environment["pipeline_parallel_rank"] for profile in found] == ["0", "0", "1", "1"]
    assert [{profile.names[name] for name in profile.spans.name} & {f"kernel_of_{rank}"} for rank, profile in enumerate(found)] == [
        {f"kernel_of_{rank}"} for rank in range(4)
    ]


@pytest.mark.parametrize(
    "events",
    [
        [named("process_name", 100, "rank 3"), *work(3, 100, 7)],
        [named("process_name", 100, "local rank 0"), named("process_name", 101, "local rank 1"), *work(0, 100, 7), *work(1, 101, 7)],
        [named("process_name", 100, "ranking 1"), named("process_name", 101, "franky 2"), *work(0, 100, 7), *work(1, 101, 7)],
        # Most events have no label, or one thread says two ranks.
        [named("process_name", 100, "rank 0"), named("process_name", 101, "rank 1"), *work(0, 100, 7), *work(1, 102, 7)],
        [*work(0, 100, 7, rank=0), *work(1, 100, 7, rank=1)],
    ],
    ids=["one", "local", "words", "few", "mixed"],
)
def test_what_labels_do_not_divide_stays_whole(ranks_of: Callable[..., list[Profile]], events: list[Event]) -> None:
    (found,) = ranks_of(events)
    assert int((found.spans.kind == SpanKind.KERNEL).sum()) == sum(event.get("cat") == "kernel" for event in events)


def test_the_rank_that_is_sent_to_is_that_of_the_job(ranks_of: Callable[..., list[Profile]]) -> None:
    event = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0, "tid": 7, "dur": 5}
    told = {"Collective name": "send", "Process Group Name": "1", "Group size": 3, "Process Group Ranks": "[4, 6, 8]", "Dst Rank": 2}
    (found,) = ranks_of(
        [
            {**event, "ts": 0, "args": told},
            {**event, "ts": 10, "args": {**told, "Collective name": "recv", "Dst Rank": None, "Src Rank": 1}},
            {**event, "ts": 20, "args": {"Collective name": "send", "Process Group Name": "1", "Dst Rank": 2}},
            {**event, "ts": 30, "args": {"Collective name": "allreduce", "Process Group Name": "1"}},
        ]
    )
    assert found.collectives.peer.tolist() == [8, 6, 2, NONE]
