"""Books of an allocator's snapshot: levels after every event, and who holds what, with blocks that are older than the events."""

from __future__ import annotations

import numpy as np

from analyses.timeline import timeline
from stepscope.analyses.memory.ledger import HELD_BEFORE, Ledger, MatchedBy
from stepscope.analyses.memory.snapshot_ledger import WITHOUT_STACK, signed, snapshot_ledgers
from stepscope.model.memory_snapshot import AllocatorAction as Action
from stepscope.model.memory_snapshot import AllocatorEvents, Blocks, BlockState, MemorySnapshot, Segments
from stepscope.model.profile import NONE

FORWARD = ("train.py:12 forward",)


def long(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def short(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def taken(
    events: list[tuple[Action, int, int]], blocks: list[tuple[int, int, BlockState, int]], segment: int = 1_000
) -> MemorySnapshot:
    """Events are (action, address, bytes), made by the first stack; blocks (address, bytes, state, stack) of one segment."""
    count, none = len(events), [NONE] * len(events)
    return MemorySnapshot(
        segments=Segments(short(0), long(0), long(segment), long(0), np.array([1], np.int8), np.array([0], np.int8), long(0), long(0)),
        blocks=Blocks(
            segment=short(*[0] * len(blocks)),
            address=long(*(block[0] for block in blocks)),
            bytes=long(*(block[1] for block in blocks)),
            count=long(*[1] * len(blocks)),
            requested=long(*[NONE] * len(blocks)),
            state=np.array([block[2] for block in blocks], np.int8),
            stack=short(*(block[3] for block in blocks)),
        ),
        events=AllocatorEvents(
            device=short(*[0] * count),
            time=long(*range(100, 100 + count)),
            action=np.array([event[0] for event in events], np.int8),
            address=long(*(event[1] for event in events)),
            bytes=long(*(event[2] for event in events)),
            stream=long(*[0] * count),
            stack=short(*[0] * count),
            free_bytes=long(*none),
            category=short(*[0] * count),
        ),
        stacks=[FORWARD, ()],
        categories=["optimizer_state"],
        settings={},
        has_times=True,
    )


def ledger(snapshot: MemorySnapshot) -> Ledger:
    (found,) = snapshot_ledgers(timeline("main   11\ngpu 0  K"), snapshot)
    return found


def test_every_event_moves_the_level_and_blocks_without_one_are_older() -> None:
    found = ledger(
        taken(
            [
                (Action.ALLOCATE, 10, 40),
                (Action.ALLOCATE, 50, 60),
                (Action.FREE_REQUESTED, 10, 40),
                (Action.FREE_COMPLETED, 10, 40),
                (Action.OUT_OF_MEMORY, 0, 999),
            ],
            [(50, 60, BlockState.ALLOCATED, 0), (200, 7, BlockState.ALLOCATED, 1), (300, 500, BlockState.FREE, 1)],
        )
    )
    assert found.level.tolist() == [47, 107, 107, 67, 67]
    assert found.time.tolist() == [100, 101, 102, 103, 104]
    lives = zip(found.holdings.bytes.tolist(), found.holdings.first.tolist(), found.holdings.last.tolist(), strict=True)
    assert sorted(lives) == [(7, NONE, 5), (40, 0, 3), (60, 1, 5)]
    assert (found.matched_by, found.lost, found.timed) == (MatchedBy.ADDRESS, 0, True)


def test_holders_have_the_line_of_the_program_and_the_kind_of_memory() -> None:
    found = ledger(taken([(Action.ALLOCATE, 10, 40)], [(10, 40, BlockState.ALLOCATED, 0), (60, 8, BlockState.ALLOCATED, 1)]))
    by_bytes = {bytes_: place for place, bytes_ in enumerate(found.holdings.bytes.tolist())}
    new, old = by_bytes[40], by_bytes[8]
    assert found.texts[found.holdings.kind[new]] == "optimizer state"
    assert "train.py:12" in found.texts[found.holdings.module[new]]
    assert found.texts[found.holdings.op[old]] == WITHOUT_STACK


def test_a_release_whose_allocation_is_older_tells_who_held_it_before() -> None:
    found = ledger(taken([(Action.FREE_COMPLETED, 10, 30)], []))
    assert found.level.tolist() == [0]
    assert (found.holdings.bytes.tolist(), found.holdings.first.tolist()) == ([30], [NONE])
    assert found.texts[found.holdings.op[0]] == HELD_BEFORE


def test_reserved_memory_goes_back_from_the_segments_of_the_snapshot() -> None:
    found = ledger(taken([(Action.SEGMENT_ALLOCATE, 0, 600), (Action.ALLOCATE, 0, 5), (Action.SEGMENT_FREE, 0, 100)], [], segment=900))
    # 900 at the end, 1000 before the release, 400 before the first event.
    assert found.reserved.tolist() == [1_000, 1_000, 900]


def test_without_events_the_blocks_are_one_moment() -> None:
    found = ledger(taken([], [(0, 16, BlockState.ALLOCATED, 0), (16, 4, BlockState.AWAITING_FREE, 0)]))
    assert (found.level.tolist(), found.reserved.tolist(), len(found.time)) == ([20], [1_000], 1)


def test_sizes_have_the_sign_of_the_action() -> None:
    actions = np.array([Action.ALLOCATE, Action.SNAPSHOT, Action.FREE_COMPLETED], np.int64)
    assert signed(actions, long(3, 5, 7), {Action.ALLOCATE: 1, Action.FREE_COMPLETED: -1}).tolist() == [3, 0, -7]
