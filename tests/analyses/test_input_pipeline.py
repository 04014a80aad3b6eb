"""Stages of a pipeline, its buffers, and the loader's kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from analyses.input_profiles import tf_data, torch_loader
from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input.phases import Phase
from stepscope.analyses.input.pipeline import InputPipeline, Loader, input_pipeline
from stepscope.analyses.input.stages import Remedy, Settings
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind


def found(profile: Profile, attributes: ReadAttributes | None = None) -> InputPipeline:
    return input_pipeline(profile, break_down(profile), attributes)


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
        ("Root", 6, 0),
        ("Prefetch", 6, 0),
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


def test_a_stage_has_time_that_the_step_waited_for_and_time_beside_it() -> None:
    """The step waits 6 ms; of the 2 ms of Map itself, 1 lies in them; the generator's 6 ms begin 1 ms after the wait does."""
    stages = {stage.name: stage for stage in found(tf_data()).stages}
    assert (stages["Map"].exposed_ns, stages["Map"].beside_ns) == (1 * MS, 1 * MS)
    assert (stages["Generator"].exposed_ns, stages["Generator"].beside_ns) == (5 * MS, 1 * MS)
    assert (stages["Generator"].threads, stages["Generator"].at_once) == (1, 1.0)


def test_stages_on_several_threads_run_at_once() -> None:
    line = Timeline()
    line.draw("main    1111111111\nmain    iiii......", i="Iterator::Root")
    line.span("loader 1", 0, 4 * MS, SpanKind.FRAMEWORK, "Iterator::Root::ParallelMap")
    line.span("loader 2", 0, 2 * MS, SpanKind.FRAMEWORK, "Iterator::Root::ParallelMap")
    stage = found(line.build()).stages[1]
    assert (stage.threads, stage.at_once, stage.self_ns, stage.exposed_ns) == (2, 1.5, 6 * MS, 4 * MS)


def told(**settings: object) -> ReadAttributes:
    """Every stage says the same of itself."""
    return lambda _, __: settings


def test_settings_are_what_the_stage_says() -> None:
    pipeline = found(tf_data(), told(parallelism=4, autotune="false", buffer_limit=2, batch_size=32))
    assert pipeline.stages[2].settings == Settings(4, autotune=False, buffer_size=2, batch_size=32)
    assert found(tf_data(), told(parallelism=-1, autotune=7, batch_size="many")).stages[2].settings == Settings()


@pytest.mark.parametrize(
    ("slow", "settings", "remedies"),
    [
        ("Prefetch::Generator", {}, (Remedy.NO_GENERATOR,)),
        ("Prefetch::TFRecord", {}, (Remedy.PARALLEL_READ,)),
        ("Prefetch::Map", {}, (Remedy.PARALLEL_MAP, Remedy.CACHE)),
        ("Prefetch::ParallelMap", {"parallelism": 2, "autotune": "true"}, (Remedy.CACHE,)),
        ("Map", {}, (Remedy.PREFETCH, Remedy.PARALLEL_MAP, Remedy.CACHE)),
        ("Prefetch::Shuffle", {}, ()),
    ],
)
def test_what_helps_depends_on_the_slow_stage(slow: str, settings: dict[str, object], remedies: tuple[Remedy, ...]) -> None:
    line = Timeline()
    line.draw("main    1111111111\nmain    iiii......", i="Iterator::Root")
    line.span("loader 1", 0, 4 * MS, SpanKind.FRAMEWORK, f"Iterator::Root::{slow}")
    if slow.startswith("Prefetch::"):
        line.span("loader 2", 0, MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch")
    assert found(line.build(), told(**settings)).remedies == remedies


def test_the_phases_of_a_batch() -> None:
    phases = {each.phase: each.exposed_ns / MS for each in found(torch_loader()).phases}
    assert phases == {Phase.READ: 2, Phase.DECODE: 1, Phase.SHUFFLE: 1, Phase.COLLATE: 2, Phase.OWN_CODE: 2, Phase.UNKNOWN: 2}


def test_what_a_queue_reads_is_handing_over() -> None:
    line = Timeline()
    line.draw("main    111111\nmain    iiii..", i="enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")
    line.span("main", MS, 3 * MS, SpanKind.PYTHON, "multiprocessing/connection.py(208): recv_bytes")
    line.span("main", MS, 2 * MS, SpanKind.PYTHON, "<built-in function read>")
    phases = {each.phase: each.exposed_ns / MS for each in found(line.build()).phases}
    assert phases == {Phase.HAND_OVER: 2, Phase.UPSTREAM: 2}


def test_phases_beside_the_step_are_told_apart_and_waiting_there_costs_nothing() -> None:
    pipeline = found(tf_data())
    phases = {each.phase: (each.exposed_ns / MS, each.beside_ns / MS) for each in pipeline.phases}
    assert phases == {Phase.TRANSFORM: (1, 1), Phase.OWN_CODE: (5, 1)}


def test_waiting_of_several_threads_is_the_wait_of_the_step_once() -> None:
    """The step polls 5 of 6 ms for a worker's batch while the thread that hands out indices waits all 10, but for 1 ms of pickling."""
    line = Timeline()
    line.draw("main    1111111111\nmain    iiiiiioooo", i="enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")
    line.span("main", 0, 5 * MS, SpanKind.PYTHON, "selectors.py(402): select")
    line.span("main", 5 * MS, 6 * MS, SpanKind.PYTHON, "<built-in function loads>")
    line.span("loader 1", 0, 10 * MS, SpanKind.PYTHON, "multiprocessing/queues.py(230): _feed")
    line.span("loader 1", 0, 2 * MS, SpanKind.PYTHON, "threading.py(300): wait")
    line.span("loader 1", 3 * MS, 10 * MS, SpanKind.PYTHON, "threading.py(300): wait")
    pipeline = found(line.build())
    phases = {each.phase: (each.exposed_ns / MS, each.beside_ns / MS) for each in pipeline.phases}
    assert phases == {Phase.HAND_OVER: (2, 0), Phase.UPSTREAM: (4, 0)}
    assert sum(each.exposed_ns for each in pipeline.phases) == pipeline.exposed_ns == 6 * MS


def parallel_stage() -> Profile:
    """MapAndBatch is asked for 7 ms; for 4 of them, and 2 more beside the step, a generator works for it on another thread."""
    line = Timeline()
    line.draw("main    1111111111\nmain    iiiiiii...\nmain    .......ooo", i="Iterator::Root")
    line.span("main", 0, 7 * MS, SpanKind.FRAMEWORK, "Iterator::Root::MapAndBatch")
    line.span("loader 1", 0, 4 * MS, SpanKind.FRAMEWORK, "Iterator::Root::MapAndBatch::FlatMap[0]::Generator")
    line.span("loader 1", 8 * MS, 10 * MS, SpanKind.FRAMEWORK, "Iterator::Root::MapAndBatch::FlatMap[0]::Generator")
    return line.build()


def test_a_stage_has_no_time_of_its_own_while_it_waits_for_one_on_another_thread() -> None:
    pipeline = found(parallel_stage())
    assert [(stage.name, stage.total_ns // MS, stage.self_ns // MS) for stage in pipeline.stages] == [
        ("Root", 7, 0),
        ("MapAndBatch", 7, 3),
        ("Generator", 6, 6),
    ]
    assert [(stage.exposed_ns / MS, stage.beside_ns / MS) for stage in pipeline.stages] == [(0, 0), (3, 0), (4, 2)]
    assert {each.phase: each.exposed_ns / MS for each in pipeline.phases} == {Phase.TRANSFORM: 3, Phase.OWN_CODE: 4}
    assert pipeline.slowest is not None
    assert pipeline.slowest.name == "Generator"


def test_copies_of_a_stage_that_call_the_one_before_it_do_not_wait_for_each_other() -> None:
    """Two threads run Map over a generator each; what one's generator does takes nothing from the other's Map."""
    line = Timeline()
    line.draw("main    11111111\nmain    iiii....", i="Iterator::Root")
    for number, since in ((1, 0), (2, 2 * MS)):
        line.span(f"loader {number}", 0, 4 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Map")
        line.span(f"loader {number}", since, since + 2 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Map::Generator")
    stages = {stage.name: stage for stage in found(line.build()).stages}
    assert (stages["Map"].self_ns, stages["Generator"].self_ns) == (4 * MS, 4 * MS)
    assert (stages["Map"].exposed_ns, stages["Generator"].exposed_ns) == (0, 4 * MS)


def test_the_size_of_a_batch_is_what_tf_data_says() -> None:
    profile = timeline("main  1111\nmain  iio.", i="IteratorGetNextOp::DoCompute")
    assert found(profile, told(element_size=4096)).batch_bytes == 4096.0
    assert found(profile, told(element_size="big")).batch_bytes is None
    assert found(profile).batch_bytes is None


def test_a_fetch_that_holds_another_counts_once() -> None:
    line = Timeline()
    line.draw("main    1111111111\nmain    iiii.ii.i.", i="IteratorGetNextOp::DoCompute")
    line.draw("main    .iii..i...", i="Iterator::Root")
    assert found(line.build()).calls == 3


def test_a_breakdown_is_asked_for_its_input_once() -> None:
    profile = tf_data()
    breakdown, attributes = break_down(profile), buffers({"Iterator::Root::Prefetch": 0})
    first = input_pipeline(profile, breakdown, attributes)
    assert input_pipeline(profile, breakdown, attributes) is first
    assert input_pipeline(profile, breakdown).cores is None, "what is found without attributes is something else"
    assert input_pipeline(profile, break_down(profile), attributes) is not first


def test_a_recorded_function_of_the_loader_is_named_and_never_unknown() -> None:
    line = Timeline()
    line.draw("main    11111111111111\nmain    iiiiiiiiii....\n", i="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    line.span("main", 0, 10 * MS, SpanKind.PYTHON, "torch/utils/data/_utils/fetch.py(50): fetch")
    line.span("main", MS, 9 * MS, SpanKind.PYTHON, "augment.py(12): load_volume")
    line.span("main", 2 * MS, 7 * MS, SpanKind.PYTHON, "scipy/ndimage/_interpolation.py(680): zoom")
    line.span("main", 7 * MS, 8 * MS, SpanKind.PYTHON, "augment.py(30): normalize")
    profile = line.build()
    phases = {each.phase: each for each in found(profile).phases}
    assert {phase: each.exposed_ns / MS for phase, each in phases.items()} == {Phase.OWN_CODE: 8, Phase.UNKNOWN: 2}
    assert profile.names[profile.spans.name[phases[Phase.OWN_CODE].row]] == "scipy/ndimage/_interpolation.py(680): zoom"
