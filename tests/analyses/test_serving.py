"""Prefill and decode as vLLM and SGLang annotate them: what each batch is, and what a token takes."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.serving import Phase, Serving, serving
from stepscope.model.profile import SpanKind


def served(*batches: tuple[str, int, int]) -> Serving | None:
    """Annotations one after another: name, length of the call, and of the device work that it launches, in milliseconds."""
    line, at = Timeline(), 0
    for name, call, work in batches:
        line.span("main", at, at + call * MS, SpanKind.ANNOTATION, name)
        launch = line.span("main", at, at + 1, SpanKind.RUNTIME, "cudaGraphLaunch")
        line.span("gpu 0", at + 1, at + work * MS, SpanKind.KERNEL, "k", cause=launch)
        at += max(call, work) * MS
    return serving(line.build())


@pytest.mark.parametrize(
    ("prefill", "decode", "prompt"),
    [
        ("step[EXTEND bs=2 toks=600]", "step[DECODE bs=2]", 600),
        ("execute_context_2(600_90000)_generation_0(0)", "execute_context_0(0)_generation_2(2)", 600),
        ("execute_new_2_cached_0", "execute_new_0_cached_2", None),
    ],
)
def test_phases_and_tokens(prefill: str, decode: str, prompt: int | None) -> None:
    found = served((prefill, 20, 30), *[(decode, 2, 10)] * 7)
    assert found is not None
    assert found.prefill is not None
    assert found.decode is not None
    assert (found.prefill.batches, found.prefill.requests, found.prefill.median_ns) == (1, 2, 30 * MS)
    assert (found.decode.batches, found.decode.requests, found.decode.median_ns) == (7, 2, 10 * MS)
    assert (found.first_token_ns, found.output_token_ns, found.mixed) == (30 * MS, 10 * MS, None)
    assert found.output_tokens_per_second == pytest.approx(14 / 0.1)
    assert found.prompt_tokens_per_second == (None if prompt is None else pytest.approx(prompt / 0.1))


def test_a_batch_that_does_both_is_neither() -> None:
    found = served(*[("execute_context_1(64)_generation_3(3)", 5, 5)] * 4)
    assert found is not None
    assert (found.prefill, found.decode, found.first_token_ns) == (None, None, None)
    assert found.mixed is not None
    assert (found.mixed.batches, found.mixed.requests, found.output_token_ns) == (4, 4, 5 * MS)


def test_nothing_is_told_where_no_batch_is_annotated() -> None:
    assert served(("train_step 3", 5, 5), ("predict", 5, 5)) is None
    assert [phase.value for phase in Phase] == ["prefill", "decode", "mixed"]
