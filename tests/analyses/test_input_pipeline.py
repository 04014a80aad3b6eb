"""Stages of a pipeline, its buffers, and the loader's kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input_pipeline import InputPipeline, Loader, ReadAttributes, input_pipeline
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind


def found(profile: Profile, attributes: ReadAttributes | None = None) -> InputPipeline:
    return input_pipeline(profile, break_down(profile), attributes)


def tf_data() -> Profile:
    """Root waits 6 ms for an empty prefetch buffer; upstream Map takes 2 of its 8 ms itself, the generator 6."""
    line = Timeline()
    line.draw("main    1111111111\nmain    iiiiii....\nmain    ......oooo", i="Iterator::Root")
    line.span("loader 1", 0, 6 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch")
    line.span("loader 2", 0, 8 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch::Map")
    line.span("loader 2", 0, 7 * MS, SpanKind.OTHER, "between")
    line.span("loader 2", MS, 7 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch::Map::Generator")
    return line.build()


def buffers(elements: dict[str, int]) -> ReadAttributes:
    """Attributes that tell how full the named stages' buffers are."""

    def read(profile: Profile, row: int) -> Mapping[str, Any]:
        name = profile.names[int(profile.spans.name[row])]
        facts: dict[str, Any] = {"buffered_elements": elements[name]} if name in elements else {}
        return facts | ({"cpu_budget": 2} if name == "Iterator::Root" else {})

    return read


def test_stages_have_time_of_their_own() -> None:
    pipeline = found(tf_data())
    assert pipeline.loader is Loader.TF_DATA
    assert [(stage.name, stage.total_ns // MS, stage.self_ns // MS) for stage in pipeline.stages] == [
        ("Root", 6, 6),
        ("Prefetch", 6, 6),
        ("Map", 8, 2),
        ("Generator", 6, 6),
    ]
    assert (pipeline.calls, pipeline.exposed_ns, pipeline.cores) == (1, 6 * MS, None)


def test_the_slow_stage_is_upstream_of_the_empty_buffer() -> None:
    profile = tf_data()
    pipeline = found(profile, buffers({"Iterator::Root::Prefetch": 0}))
    assert pipeline.slowest is not None
    assert pipeline.slowest.name == "Generator"
    assert (pipeline.stages[1].buffered, pipeline.stages[1].empty, pipeline.cores) == (0.0, 1.0, 2)


def test_a_full_buffer_blames_nobody_upstream_of_it_alone() -> None:
    profile = tf_data()
    pipeline = found(profile, buffers({"Iterator::Root::Prefetch": 2}))
    assert (pipeline.stages[1].empty, pipeline.stages[2].empty) == (0.0, None)


def test_attributes_that_cannot_be_read_leave_the_times() -> None:
    def fails(_: Profile, __: int) -> Mapping[str, Any]:
        raise BadInput("The file is gone.", "gone")

    pipeline = found(tf_data(), fails)
    assert [stage.buffered for stage in pipeline.stages] == [None] * 4
    assert pipeline.slowest is not None


@pytest.mark.parametrize(
    ("name", "loader"),
    [
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", Loader.TORCH_SINGLE),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", Loader.TORCH_WORKERS),
        ("fetch", Loader.OTHER),
    ],
)
def test_the_kind_of_loader_is_in_the_name(name: str, loader: Loader) -> None:
    pipeline = found(timeline("main  1111\nmain  iio.", i=name))
    assert pipeline.loader is loader
    assert (pipeline.stages, pipeline.slowest) == ((), None)


def test_no_fetch_is_no_loader() -> None:
    pipeline = found(timeline("main  1111\nmain  oooo"))
    assert (pipeline.loader, pipeline.calls, pipeline.longest_row) == (Loader.NONE, 0, -1)
