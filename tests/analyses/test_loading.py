"""Whether loading beside the step is worth it: by how long a batch takes, how long the rest does, and how many workers find a core."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.what_if.loading import HANDOVER_NS, Loading, loading
from stepscope.model.profile import MarkerFamily

STEPS = "main    111111111122222222223333333333\n"
SHORT = f"{STEPS}main    {'iiiioooooo' * 3}"
LONG = f"{STEPS}main    {'iiiiiiiioo' * 3}"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def found(picture: str, cores: int | None, **names: str) -> Loading:
    profile = timeline(picture, MS, MarkerFamily.PROFILER_STEP, **names)
    return loading(profile, break_down(profile), cores)


@pytest.mark.parametrize(
    ("picture", "cores", "workers", "worth"),
    [
        (SHORT, 1, 0, False),
        (SHORT, 2, 1, True),
        (SHORT, 64, 4, True),
        (SHORT, None, 4, True),
        # One worker brings a batch in eight of ten milliseconds, two in four.
        (LONG, 2, 1, False),
        (LONG, 3, 2, True),
        (LONG, 4, 3, True),
        (LONG, None, 4, True),
    ],
)
def test_workers(picture: str, cores: int | None, workers: int, worth: bool) -> None:
    plan = found(picture, cores)
    assert (plan.workers, plan.worth, plan.limit is None) == (workers, worth, worth)


def test_as_many_workers_as_keep_up() -> None:
    assert found(f"{STEPS}main    {'iiiiiiiiio' * 3}", 64).workers == 9
    assert found(f"{STEPS}main    {'iiiiiiiiii' * 3}", 12).workers == 12


def test_workers_that_wait_need_fewer_cores() -> None:
    picture = f"{LONG}\nmain    {'.ppppppp..' * 3}"
    assert found(picture, 2, p="<built-in function sleep>").workers == 4
    assert found(picture, 2, p="data.py(7): __getitem__").workers == 1


def test_why_not() -> None:
    none, few, more = found(SHORT, 1).limit, found(LONG, 2).limit, found(LONG, 2, i=WORKERS).limit
    assert none is not None
    assert none.startswith("No CPU core is free")
    assert few is not None
    assert few.startswith("Only 1 worker fits on the free cores, and it needs 8 ms per batch.")
    assert more is not None
    assert more.startswith("No CPU core is free for more")


def test_a_short_wait_is_not_worth_a_worker_that_hands_batches_over() -> None:
    def plan(unit: int, framework: str) -> Loading:
        profile = replace(timeline(SHORT, unit, MarkerFamily.PROFILER_STEP), framework=framework)
        return loading(profile, break_down(profile), 64)

    assert plan(MS, "PyTorch").worth, "4 ms of 10"
    short = plan(MS // 4, "PyTorch")
    assert (short.worth, short.brief, short.handover_ns) == (False, True, HANDOVER_NS), (
        "1 ms, and a worker's batch takes longer to receive"
    )
    assert short.limit is not None
    assert "hand a batch over" in short.limit
    assert plan(MS // 4, "TensorFlow").worth, "a thread of tf.data hands nothing over"
