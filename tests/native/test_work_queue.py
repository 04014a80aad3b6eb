"""WorkQueue: works in order, bounded by the bytes that they hold until they are finished."""

from __future__ import annotations

from stepscope._native import WorkQueue


def test_works_are_bounded_by_what_they_hold() -> None:
    queue = WorkQueue(100)
    assert [queue.put(name, 40) for name in "abc"] == [True, True, False]
    queue.put_marker("marker")
    assert (queue.held, queue.unfinished, len(queue)) == (80, 2, 3)
    assert [queue.take() for _ in range(4)] == ["a", "b", "marker", None]
    queue.resize(40, 90)
    assert (queue.held, queue.put("d", 1)) == (130, False)
    queue.finish(90)
    queue.finish(40)
    assert (queue.held, queue.unfinished) == (0, 0)
    assert queue.put("larger than the bound", 1000), "goes alone"
