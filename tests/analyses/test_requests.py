"""Requests in place of steps: latency and its parts on timelines where both are known, and on the real torch."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.request_profiles import serve
from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.requests import Requests, requests
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind


def of(profile: Profile, name: str | None = "predict") -> Requests:
    return requests(profile, break_down(profile), name)


def test_the_parts_of_a_request_sum_to_its_latency() -> None:
    builder = Timeline()
    for place in range(3):
        serve(builder, 20 * place, waits=1, kernel=4)
    found = of(builder.build())
    assert (found.count, found.at_once, found.shared, found.name) == (3, 1, False, "predict")
    times = found.mean
    assert (times.latency, times.queue, times.transfer, times.device) == (10 * MS, 1 * MS, 1 * MS, 4 * MS)
    assert times.host == pytest.approx(4 * MS), "the operation, and what comes after the kernel"
    assert found.per_second == pytest.approx(3 / 0.050)
    assert found.parts.sum(axis=1) == pytest.approx(found.latency)


def test_a_request_lasts_until_its_work_on_the_device_has_ended() -> None:
    builder = Timeline()
    serve(builder, 0, waits=0, kernel=40)
    assert of(builder.build()).mean.latency == 43 * MS


def test_percentiles_are_requests_that_there_were() -> None:
    builder = Timeline()
    for place in range(100):
        serve(builder, 100 * place, waits=0, kernel=60 if place == 7 else 20 if place % 10 == 3 else 5)
    found = of(builder.build())
    p50, p95, p99 = found.percentiles
    assert (p50.latency, p95.latency, p99.latency) == (10 * MS, 23 * MS, 23 * MS)
    assert found.latency.max() == 63 * MS
    assert p95.device == 20 * MS


def test_requests_at_once_keep_to_their_threads() -> None:
    builder = Timeline()
    serve(builder, 0, thread="main", stream="gpu 0/7", waits=1)
    serve(builder, 2, thread="pool 2", stream="gpu 0/8", waits=3, kernel=2)
    found = of(builder.build())
    assert (found.at_once, found.shared) == (2, True)
    assert sorted(found.parts[:, 0].tolist()) == [1 * MS, 3 * MS]
    assert sorted(found.parts[:, 3].tolist()) == [2 * MS, 5 * MS]


def test_a_number_may_follow_the_name_and_an_inner_one_is_part_of_it() -> None:
    builder = Timeline()
    builder.span("main", 0, 10 * MS, SpanKind.ANNOTATION, "predict #12")
    builder.span("main", 1 * MS, 9 * MS, SpanKind.ANNOTATION, "predict #13")
    builder.span("main", 20 * MS, 25 * MS, SpanKind.ANNOTATION, "predict #14")
    builder.span("main", 30 * MS, 31 * MS, SpanKind.ANNOTATION, "prediction")
    assert of(builder.build()).latency.tolist() == [10 * MS, 5 * MS]


def test_without_a_name_steps_are_requests() -> None:
    builder = Timeline().draw("main   11112222\nmain   oooooooo")
    found = of(builder.build(), None)
    assert (found.count, found.name, found.row.tolist()) == (2, "ProfilerStep#", [-1, -1])
    assert found.latency.tolist() == [4 * MS, 4 * MS]


def test_on_a_cpu_operations_are_the_device() -> None:
    builder = Timeline()
    builder.span("main", 0, 10 * MS, SpanKind.ANNOTATION, "predict")
    builder.span("main", 3 * MS, 9 * MS, SpanKind.OP, "matmul")
    times = of(builder.build()).mean
    assert (times.queue, times.host, times.device) == (3 * MS, 1 * MS, 6 * MS)


def test_a_name_that_is_not_there() -> None:
    builder = Timeline()
    builder.span("main", 0, 10 * MS, SpanKind.ANNOTATION, "serve")
    with pytest.raises(BadInput, match=r"predict.*serve\."):
        of(builder.build())


def test_the_parts_are_never_negative() -> None:
    random = np.random.default_rng(5)
    builder = Timeline()
    for place in range(20):
        serve(builder, 12 * place, waits=int(random.integers(0, 9)), kernel=int(random.integers(1, 30)))
    found = of(builder.build())
    assert (found.parts >= 0).all()
    assert found.parts.sum(axis=1) == pytest.approx(found.latency)
