"""What a rule asks to record is an option of the recording's own framework, and none that was on."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline
from rules.cases import BUSY
from rules.pictures import finding, judged, repeated, said_nothing, with_memory
from stepscope.model.profile import Profile, SpanKind
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import Verdict
from stepscope.session.parts.memory_texts import how_to_record

OF_PYTORCH = re.compile(r"ProfilerActivity|with_stack|profile_memory|record_shapes|record_python_gc_info|torch|PyTorch|DataLoader")
OF_XLA = re.compile(r"tracer_level|enable_hlo_proto|tf\.data|TensorFlow|JAX|jax")
LITTLE_KNOWN = "main: ...l......; gpu 0: ....KKKKKK"


def of(framework: str, picture: str = LITTLE_KNOWN, **environment: str) -> Profile:
    return replace(repeated(picture), framework=framework, environment=environment)


@pytest.mark.parametrize("picture", [LITTLE_KNOWN, BUSY, "main: oossssoooo; gpu 0: ..KKKK...K", "main: oooooooo.."])
@pytest.mark.parametrize(("framework", "others"), [("PyTorch", OF_XLA), ("TensorFlow", OF_PYTORCH), ("JAX", OF_PYTORCH)])
def test_no_rule_asks_for_another_frameworks_option(picture: str, framework: str, others: re.Pattern[str]) -> None:
    asked = [each.option for each in judged(of(framework, picture)).of(Verdict.CANNOT_TELL)]
    assert asked
    assert [option for option in asked if others.search(option)] == []


@pytest.mark.parametrize("what", Shows)
@pytest.mark.parametrize(("framework", "others"), [("PyTorch", OF_XLA), ("TensorFlow", OF_PYTORCH), ("JAX", OF_PYTORCH)])
def test_every_option_is_the_frameworks_own(what: Shows, framework: str, others: re.Pattern[str]) -> None:
    assert not others.search(how_to_show(of(framework), what).replace(f"{framework}'s", ""))


def test_an_unknown_framework_is_told_both() -> None:
    said = how_to_show(of(""), Shows.PYTHON)
    assert all(word in said for word in ("with_stack=True", "PyTorch", "python_tracer_level=1", "JAX"))
    assert "TensorFlow" not in said, "there it has no effect"


@pytest.mark.parametrize("what", [Shows.PYTHON, Shows.COLLECTIONS])
@pytest.mark.parametrize("level", ["0", "1"])
def test_tensorflow_is_not_asked_for_an_option_without_effect(what: Shows, level: str) -> None:
    said = how_to_show(of("TensorFlow", python_tracer_level=level), what)
    assert ("tracer_level" in said, "already on" in said) == (False, False)
    assert finding("garbage_collection", of("TensorFlow", python_tracer_level=level)).verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize("what", Shows)
@pytest.mark.parametrize("file_format", ["tfprof", "run_metadata"])
def test_files_of_tensorflow_1_are_not_asked_for_options_of_another_format(what: Shows, file_format: str) -> None:
    assert "tracer_level" not in how_to_show(replace(of("TensorFlow"), format=file_format), what)


@pytest.mark.parametrize(
    ("framework", "what", "name", "value"),
    [
        ("TensorFlow", Shows.HOST, "host_tracer_level", "2"),
        ("JAX", Shows.PYTHON, "python_tracer_level", "1"),
        ("PyTorch", Shows.MEMORY, "profile_memory", "1"),
    ],
)
def test_nothing_is_asked_for_that_was_on(framework: str, what: Shows, name: str, value: str) -> None:
    assert not how_to_show(of(framework, **{name: value}), what).startswith(what.value)
    assert how_to_show(of(framework, **{name: "0"}), what).startswith(what.value)


def test_garbage_that_would_have_been_recorded_was_not_collected() -> None:
    found = finding("garbage_collection", of("JAX", python_tracer_level="1"))
    assert (said_nothing(found), found.option) == (True, "")
    unknown = finding("garbage_collection", of("JAX", python_tracer_level="0"))
    assert (unknown.verdict, "python_tracer_level=1" in unknown.option) == (Verdict.CANNOT_TELL, True)


def test_too_few_steps_alike_are_counted() -> None:
    profile = with_memory(repeated(BUSY, 4), 1 << 20, 4, 10)
    said = finding("memory_growth", profile).option
    assert all(count in said for count in ("5 steps", "4 of 4 steps"))


def test_deltas_of_memory_ask_for_a_snapshot() -> None:
    profile = with_memory(of("PyTorch"), 1 << 20, 6, 10)
    found = finding("near_memory_limit", profile)
    assert found.verdict is Verdict.CANNOT_TELL
    assert "_dump_snapshot()" in found.option


def test_the_memory_page_does_not_ask_tensorflow_for_what_was_on() -> None:
    assert "was on" in how_to_record(of("TensorFlow", host_tracer_level="2"))
    assert "host_tracer_level=2" in how_to_record(of("TensorFlow"))
    assert "was on" not in how_to_record(of("TensorFlow"))


@pytest.mark.parametrize("kind", [SpanKind.OP, SpanKind.ANNOTATION])
@pytest.mark.parametrize("on_device", [True, False])
def test_an_optimizer_is_seen_whatever_its_mark_is_called(kind: SpanKind, on_device: bool) -> None:
    line = Timeline()
    for step in range(5):
        at = step * 200 * MS
        line.span("main", at, at + 200 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + 140 * MS, kind, "Optimizer.step#SGD.step")
        for place in range(60):
            begins = at + 2 * place * MS
            call = line.span("main", begins, begins + MS, SpanKind.RUNTIME if on_device else SpanKind.OP, "launch")
            if on_device:
                line.span("gpu 0/7", begins + MS, begins + 2 * MS, SpanKind.KERNEL, "k", cause=call)
    found = finding("unfused_optimizer", line.build())
    assert found.verdict is not Verdict.CANNOT_TELL
    assert "60 operations" in found.summary
