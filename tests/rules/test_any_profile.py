"""Whatever a recording looks like, every rule comes to a verdict, and no gain is more than the step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyses.timeline import ON_STREAMS, ON_THREADS, Timeline
from rules.pictures import with_levels
from stepscope.analyses.summary import summarise
from stepscope.model.profile import Device, Profile, SpanKind
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.judge import judge
from stepscope.rules.rule import Verdict

HOST = st.text("".join(ON_THREADS) + "...", min_size=24, max_size=24)
DEVICE = st.text("".join(ON_STREAMS) + "...", min_size=24, max_size=24)
NAMES = st.fixed_dictionaries(
    {},
    optional={
        "f": st.sampled_from(["EagerKernelExecute", "PjitFunction(add)", "Iterator::Root::Map", "Iterator::Root::Shuffle"]),
        "n": st.sampled_from(["Optimizer.step#SGD.step", "DataParallel.forward", "queue_wait", "ProcessBatch"]),
        "a": st.sampled_from(["cudaFree", "cudaMalloc"]),
        "o": st.sampled_from(["aten::copy_", "CheckpointFunctionBackward", "aten::_foreach_add_", "Broadcast"]),
        "p": st.sampled_from(["torch/utils/checkpoint.py(12): unpack_hook", "torch/nn/parallel/replicate.py(3): replicate"]),
        "i": st.sampled_from(["Iterator::Root", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"]),
        "K": st.sampled_from(["nchwToNhwcKernel", "volta_sgemm_128x64_nn", "bfloat16_copy_kernel_cuda", "fusion_3"]),
        "L": st.sampled_from(["nhwcToNchwKernel", "direct_copy_kernel_cuda", "multi_tensor_apply_kernel"]),
    },
)
FRAMEWORKS = st.sampled_from(["", "PyTorch", "TensorFlow", "JAX"])
LEVELS = st.none() | st.tuples(*[st.integers(0, 1 << 40)] * 3)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={"parallelism": st.integers(-1, 4) | st.text(max_size=3), "autotune": st.text(max_size=5), "buffer_size": st.integers(-1)},
)


def drawn(steps: int, host: str, pool: str, first: str, second: str, names: Mapping[str, str]) -> Profile:
    width = 24 // steps
    markers = "".join(str(step + 1) * width for step in range(steps)).ljust(24, str(steps))
    lines = {"main": markers, "main ": host, "pool 1": pool, "gpu 0/7": first, "gpu 1/8": second}
    picture = [f"{name.strip():10}{letters}" for name, letters in lines.items() if letters.strip(".")]
    line = Timeline().draw("\n".join(picture), **names)
    remat = line.op("dot.remat", "MatMul", scope="jit(f)/rematted_computation", flops=1e9, bytes=1e6)
    for place, span in enumerate(line.spans):
        span.op = remat if place % 5 == 0 and span.kind in (SpanKind.KERNEL, SpanKind.OP) else span.op
        span.collective = ("world", 2, place) if span.kind == SpanKind.COLLECTIVE else None
    profile = line.build()
    sizes = np.arange(len(profile.collectives.row), dtype=np.int64) * 300_000 - 1
    return replace(profile, collectives=replace(profile.collectives, in_bytes=sizes))


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 8), HOST, HOST, DEVICE, DEVICE, NAMES, FRAMEWORKS, LEVELS, ATTRIBUTES)
def test_every_rule_comes_to_a_verdict(
    steps: int,
    host: str,
    pool: str,
    first: str,
    second: str,
    names: dict[str, str],
    framework: str,
    levels: tuple[int, int, int] | None,
    attributes: dict[str, object],
) -> None:
    profile = replace(drawn(steps, host, pool, first, second, names), framework=framework)
    if levels is not None:
        profile = with_levels(replace(profile, devices=[Device("Tesla V100", "GPU", 0) for _ in profile.devices]), *levels)
    found = judge(summarise([profile]), lambda _profile, _row: attributes)
    assert len(found.findings) == len(ALL_RULES)
    for each in found.findings:
        assert each.summary
        assert each.gain is None or 0 <= each.gain.low <= each.gain.high <= 1
        assert (each.verdict is Verdict.CANNOT_TELL) == bool(each.option)
        assert (each.verdict is Verdict.FIRES) <= bool(each.evidence)


def test_a_recording_of_nothing_is_quiet_or_unknown() -> None:
    line = Timeline()
    line.span("main", 0, 0, SpanKind.OTHER, "nothing")
    found = judge(summarise([line.build()]))
    assert {each.verdict for each in found.findings} <= {Verdict.QUIET, Verdict.CANNOT_TELL}


@pytest.mark.parametrize("name", ["\x1b[2J" * 40, "<script>" * 30, "a" * 5000])
@pytest.mark.parametrize("letter", "iopafngcw")
def test_long_and_hostile_names_fit_a_sentence(name: str, letter: str) -> None:
    line = Timeline().draw(
        f"main      111122223333\nmain      {letter}{letter}oo{letter}{letter}oo{letter}{letter}oo", **{letter: name}
    )
    found = judge(summarise([line.build()]))
    assert all(len(line.text) < 250 for each in found.findings for line in each.evidence)
    assert all(len(each.summary) < 300 for each in found.findings)
