"""FLOPs of products from recorded shapes, once per execution."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.work.operations import operations
from stepscope.analyses.work.product_flops import product_flops, product_work
from stepscope.model.profile import Profile, SpanKind


@pytest.mark.parametrize(
    ("name", "shapes", "multiplications"),
    [
        ("aten::mm", "[[2048, 32], [32, 96]]", 2048 * 32 * 96),
        ("aten::addmm", "[[32], [2048, 32], [32, 16], [], []]", 2048 * 32 * 16),
        ("aten::bmm", "[[128, 64, 8], [128, 8, 32]]", 128 * 64 * 8 * 32),
        ("aten::baddbmm", "[[1], [128, 64, 8], [128, 8, 32]]", 128 * 64 * 8 * 32),
        ("aten::matmul", "[[64, 32, 32], [32, 96]]", 64 * 32 * 32 * 96),
        ("aten::matmul", "[[32], [32]]", 32),
        ("aten::matmul", "[[4, 1, 8, 16], [4, 3, 16, 2]]", 4 * 3 * 8 * 16 * 2),
        ("aten::linear", "[[64, 32, 32], [96, 32], [96]]", 64 * 32 * 32 * 96),
    ],
)
def test_products(name: str, shapes: str, multiplications: int) -> None:
    assert product_flops(name, shapes) == 2 * multiplications


@pytest.mark.parametrize(
    ("name", "shapes", "moved"),
    [
        ("aten::mm", "[[2048, 32], [32, 96]]", 2048 * 32 + 32 * 96 + 2048 * 96),
        ("aten::addmm", "[[32], [2048, 32], [32, 16], [], []]", 2048 * 32 + 32 * 16 + 2048 * 16),
        ("aten::bmm", "[[128, 64, 8], [128, 8, 32]]", 128 * (64 * 8 + 8 * 32 + 64 * 32)),
        ("aten::matmul", "[[4, 1, 8, 16], [4, 3, 16, 2]]", 4 * 8 * 16 + 4 * 3 * 16 * 2 + 4 * 3 * 8 * 2),
        ("aten::linear", "[[64, 32, 32], [96, 32], [96]]", 64 * 32 * 32 + 96 * 32 + 64 * 32 * 96),
        ("aten::mm", "[[4, 0], [0, 4]]", 0),
    ],
)
def test_numbers_that_a_product_moves_once(name: str, shapes: str, moved: int) -> None:
    assert product_work(name, shapes)[1] == moved


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("aten::add", "[[8, 8], [8, 8]]"), ("aten::mm", ""), ("aten::mm", "[[8, 8]]"), ("aten::mm", "[[8, 8], [9, 8]]"),
        ("aten::mm", "{}"), ("aten::mm", "[[8, -8], [8, 8]]"), ("aten::mm", "[[[8, 8]], [8, 8]]"), ("aten::mm", "[" * 3000),
        ("aten::mm", "[[8], [8]]"), ("aten::mm", f"[[{10**30}, 8], [8, 8]]"),
        ("aten::linear", f"[[{'1099511627775,' * 100} 8], [4, 8]]"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_unknown(name: str, shapes: str) -> None:
    assert all(math.isnan(each) for each in product_work(name, shapes))


def recorded() -> Profile:
    """Three products, each of two kernels."""
    builder = Timeline()
    builder.span("other", 0, 1, SpanKind.OTHER, "[[8, 4], [4, 2]]")
    op = builder.op("aten::mm")
    for run in range(3):
        builder.span("main", run * 100, run * 100 + 50, SpanKind.OP, "aten::mm", op=op)
        launches = [builder.span("main", run * 100 + at, run * 100 + at + 5, SpanKind.RUNTIME, "launch") for at in (10, 20)]
        for place, launch in enumerate(launches):
            at = run * 100 + 30 + 10 * place
            builder.span("gpu 0", at, at + 8, SpanKind.KERNEL, f"k{place}", op=op, cause=launch)
    profile = builder.build()
    shape = profile.names.index("[[8, 4], [4, 2]]")
    profile.spans.shape[profile.spans.name == profile.names.index("aten::mm")] = np.int32(shape)
    return profile


def test_host_and_device_do_the_arithmetic_once() -> None:
    profile = recorded()
    rows = {row.device: row for row in operations(profile, break_down(profile)) if row.name == "aten::mm"}
    assert (rows["host"].flops, rows["GPU 0"].flops) == (3 * 2 * 8 * 4 * 2, 3 * 2 * 8 * 4 * 2)
    assert (rows["GPU 0"].count, rows["GPU 0"].spans) == (3, 6)
