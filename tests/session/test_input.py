"""The input pipelines of a session, one for each worker, in microseconds of a typical step."""

from __future__ import annotations

import pytest

from analyses.input_profiles import tf_data, torch_loader
from session.drawn_sessions import analysed, drawn
from stepscope.session.parts.input import INPUT, InputOfWorker, InputWanted


def test_a_step_waits_for_what_the_picture_shows() -> None:
    (found,) = INPUT.make(drawn(), InputWanted()).inputs
    assert (found.worker, found.fetches, found.step_us) == ("worker0", 4, 10_000)
    assert (found.waited_us, found.hidden_us) == (pytest.approx(3_000), pytest.approx(0))
    assert (found.in_processes, found.slowest, found.stages) == (False, "", [])


def test_stages_of_tf_data_know_their_distance_and_the_slowest() -> None:
    (found,) = INPUT.make(analysed(tf_data()), InputWanted()).inputs
    stages = {stage.name: stage for stage in found.stages}
    assert {name: stage.depth for name, stage in stages.items()} == {"Root": 0, "Prefetch": 1, "Map": 2, "Generator": 3}
    assert (stages["Map"].total_us, stages["Map"].self_us) == (8_000, pytest.approx(2_000))
    assert found.slowest.endswith("Generator")
    assert (found.loader, found.waited_us) == ("tf.data", pytest.approx(6_000))


def test_phases_sum_to_the_wait() -> None:
    (found,) = INPUT.make(analysed(torch_loader()), InputWanted()).inputs
    waited = {phase.phase: phase.waited_us for phase in found.phases}
    assert (waited["read"], waited["decode"], waited["collate"]) == (2_000, 1_000, 2_000)
    assert sum(waited.values()) == pytest.approx(found.waited_us)
    assert all(phase.title for phase in found.phases)


def test_one_worker_or_all() -> None:
    session = drawn(ranks=3)

    def named(worker: str) -> list[tuple[str, int | None]]:
        found: list[InputOfWorker] = INPUT.make(session, InputWanted(worker=worker)).inputs
        return [(each.worker, each.rank) for each in found]

    assert named("") == [("worker0", 0), ("worker1", 1), ("worker2", 2)]
    assert named("worker1") == [("worker1", 1)]
