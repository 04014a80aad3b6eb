"""Requests of a session: latency with its parts at percentiles, the slowest first, and steps where no annotation is a request."""

from __future__ import annotations

import pytest

from analyses.request_profiles import served
from session.drawn_sessions import analysed, drawn
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.inference import EACH_STEP, INFERENCE, MOST_COLUMNS, Inference, InferenceWanted


def answer(session: AnalysedSession, **wanted: object) -> Inference:
    return INFERENCE.make(session, InferenceWanted(**wanted))  # type: ignore[arg-type]


def test_requests_are_found_by_their_annotation() -> None:
    found = answer(analysed(served(20)))
    assert (found.request, found.each_step, found.requests, found.problem) == ("predict", False, 20, "")
    assert {"predict": 20}.items() <= {name.name: name.count for name in found.names}.items()
    assert found.percentiles_ms is not None
    # 1 ms in the queue, 2 of an operation, 1 of a copy, 4 of a kernel, and 2 until the annotation ends.
    median = found.percentiles_ms.p50
    assert (median.latency, median.queue, median.transfer, median.device) == (10, 1, 1, 4)
    assert median.host == pytest.approx(4)
    assert found.at_once == 1


def test_the_slowest_request_leads_to_its_span() -> None:
    session = analysed(served(20))
    found = answer(session, limit=2)
    slowest = found.slowest[0]
    assert (len(found.slowest), slowest.start_ms, slowest.device_ms, slowest.thread) == (2, 600, 60, "main")
    assert slowest.row is not None
    assert session.profiles[0].spans.start[slowest.row] == 600 * 1e6
    assert slowest.latency_ms == pytest.approx(slowest.queue_ms + slowest.host_ms + slowest.transfer_ms + slowest.device_ms)
    assert found.strip[-1].latency == slowest.latency_ms


def test_of_many_requests_a_column_is_the_slowest_of_those_it_stands_for() -> None:
    found = answer(analysed(served(300)))
    assert (found.requests, len(found.strip)) == (300, MOST_COLUMNS)
    latencies = [each.latency for each in found.strip]
    assert latencies == sorted(latencies)
    assert latencies[-1] == found.slowest[0].latency_ms


def test_without_annotations_each_step_is_a_request() -> None:
    found = answer(drawn())
    assert (found.each_step, found.requests, found.tpu, found.serving) == (True, 4, None, None)
    assert found.mean_ms is not None
    assert found.mean_ms.latency == pytest.approx(10)
    assert {row.step for row in found.slowest} == {1, 2, 3, 4}
    assert {row.row for row in found.slowest} == {None}
    assert answer(drawn(), request=EACH_STEP).requests == 4


def test_a_name_that_no_request_has_is_a_problem_and_no_error() -> None:
    found = answer(analysed(served(3)), request="embed")
    assert (found.requests, found.mean_ms, found.slowest, found.strip) == (0, None, [], [])
    assert "embed" in found.problem
