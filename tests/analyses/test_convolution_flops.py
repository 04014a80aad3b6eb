"""FLOPs of convolutions and attention: from shapes of gradients, from recorded arguments, and those of a whole ResNet-50 by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.roofline.roofline import roofline
from stepscope.analyses.work.convolution_flops import multiplications
from stepscope.analyses.work.product_flops import flops_of_rows
from stepscope.analyses.work.shape_work import shape_work
from stepscope.formats.span_attributes import span_attributes
from stepscope.model.profile import Profile, SpanKind

IMAGES, FILTERS, RESULT = [32, 3, 224, 224], [64, 3, 7, 7], [32, 64, 112, 112]
FIRST_LAYER = 2 * 32 * 64 * 112 * 112 * 3 * 7 * 7


@pytest.mark.parametrize(
    ("inputs", "weight", "result", "count"),
    [
        (IMAGES, FILTERS, RESULT, FIRST_LAYER // 2),
        ([8, 16, 10], [16, 1, 3], [8, 16, 5], 8 * 16 * 5 * 3),
        ([8, 32, 7, 7], [64, 32, 1, 1], [8, 64, 7, 7], 8 * 64 * 49 * 32),
        ([8, 32, 7, 7], [32, 16, 2, 2], [8, 16, 14, 14], 8 * 32 * 49 * 16 * 4),
        ([8, 32, 7, 7], [32, 32, 3, 3], [8, 32, 7, 7], 8 * 32 * 49 * 32 * 9),
    ],
    ids=["strided", "depthwise", "pointwise", "transposed", "either way the same"],
)
def test_multiplications(inputs: list[int], weight: list[int], result: list[int], count: int) -> None:
    assert multiplications(inputs, weight, result) == count


@pytest.mark.parametrize(
    ("inputs", "weight", "result"),
    [
        ([8, 32, 7, 7], [32, 32, 2, 2], [8, 32, 14, 14]),
        ([8, 3, 7, 7], [32, 5, 2, 2], [8, 32, 14, 14]),
        ([8, 3, 7], [32, 3, 2, 2], [8, 32, 14, 14]),
        ([], [], []),
        ([8, 3, 7, 7], [32, 0, 2, 2], [8, 32, 14, 14]),
        ([1 << 39] * 200, [1 << 39] * 200, [1 << 39] * 200),
    ],
    ids=["plain or transposed", "sizes that do not fit", "other axes", "nothing", "an empty weight", "too many axes"],
)
def test_sizes_that_do_not_tell_are_unknown(inputs: list[int], weight: list[int], result: list[int]) -> None:
    assert math.isnan(multiplications(inputs, weight, result))


def calls(*called: tuple[str, list[list[int]], int]) -> Profile:
    """One operation after the other on the host, each with so many kernels, the first of which is the longest."""
    builder = Timeline().draw("main   1234")
    texts = [json.dumps(shapes) for _, shapes, _ in called]
    for text in texts:
        builder.span("other", 0, 1, SpanKind.OTHER, text)
    drawn = []
    for place, (name, _, kernels) in enumerate(called):
        at = place * MS // 4
        drawn.append(builder.span("main", at, at + 50_000, SpanKind.OP, name, op=builder.op(name)))
        for kernel in range(kernels):
            since = at + 1_000 * kernel
            launch = builder.span("main", since, since + 500, SpanKind.RUNTIME, "launch")
            builder.span("gpu 0", at + 60_000 + 30_000 * kernel, at + 80_000 + 29_000 * kernel, SpanKind.KERNEL, "k", cause=launch)
    profile = builder.build()
    for span, text in zip(drawn, texts, strict=True):
        profile.spans.shape[span.row] = np.int32(profile.names.index(text))
    return profile


def told(**arguments: list[str]) -> Any:
    """Attributes with the concrete inputs of the operations of these names."""

    def read(profile: Profile, row: int) -> Mapping[str, object]:
        name = profile.names[int(profile.spans.name[row])].removeprefix("aten::")
        return {"Concrete Inputs": json.dumps(arguments[name])} if name in arguments else {}

    return read


def known(profile: Profile, attributes: Any = None) -> list[float]:
    """FLOPs of the kernels, in time order."""
    rows = np.flatnonzero(profile.spans.kind == SpanKind.KERNEL)
    flops = shape_work(profile, rows, profile.spans.end[rows] - profile.spans.start[rows], attributes)[0]
    return [-1.0 if math.isnan(each) else float(each) for each in flops]


FORWARD = ("aten::cudnn_convolution", [IMAGES, FILTERS, [], [], [], []], 1)


def test_a_gradient_tells_the_size_of_the_result() -> None:
    profile = calls(FORWARD, ("aten::cudnn_convolution_backward", [IMAGES, RESULT, FILTERS, []], 0))
    assert known(profile) == [FIRST_LAYER]
    assert np.nansum(flops_of_rows(profile)) == FIRST_LAYER


def test_without_strides_or_a_gradient_nothing_is_known() -> None:
    assert known(calls(FORWARD)) == [-1]


def test_gradients_of_several_sizes_tell_nothing() -> None:
    name = "aten::cudnn_convolution_backward"
    profile = calls(FORWARD, (name, [IMAGES, RESULT, FILTERS, []], 0), (name, [IMAGES, [32, 64, 56, 56], FILTERS, []], 0))
    assert known(profile) == [-1]


def test_recorded_strides_tell_the_size_of_the_result() -> None:
    read = told(cudnn_convolution=["", "", "[3, 3]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"])
    assert known(calls(FORWARD), read) == [FIRST_LAYER]


@pytest.mark.parametrize(("mask", "flops"), [("[True, True, False]", 2), ("[False, True, True]", 1)])
def test_gradients_that_the_mask_asks_for_are_shared_by_the_longest_kernels(mask: str, flops: int) -> None:
    profile = calls(("aten::convolution_backward", [RESULT, IMAGES, FILTERS], 3))
    read = told(convolution_backward=["", "", "", "[64]", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1", mask])
    assert known(profile, read) == [FIRST_LAYER, FIRST_LAYER if flops == 2 else -1, -1]
    assert known(profile) == [-1, -1, -1]


ATTENTION = [[16, 559, 16, 64]] * 3 + [[]] * 8


@pytest.mark.parametrize(
    ("causal", "window", "pairs"), [("False", "", 559 * 559), ("True", "", 559 * 560 // 2), ("True", "128", None), ("maybe", "", None)]
)
def test_attention_counts_the_pairs_that_see_each_other(causal: str, window: str, pairs: int | None) -> None:
    arguments = ["", "", "", "", "", "559", "559", "0.", causal, "False", "0.125", window, window]
    profile = calls(("aten::_flash_attention_forward", ATTENTION, 1))
    assert known(profile, told(_flash_attention_forward=arguments)) == [-1 if pairs is None else 16 * 16 * pairs * 2 * (64 + 64)]


@pytest.mark.parametrize("arguments", [[], ["", ""], ["", "", "same", "[2, 2]", "[1, 1]"], ["", "", "[3, 3]", "[0, 0]", "[1, 1]"]])
def test_arguments_that_are_not_understood_leave_it_unknown(arguments: list[str]) -> None:
    assert known(calls(FORWARD), told(cudnn_convolution=arguments)) == [-1]


def resnet50(batch: int) -> int:
    """FLOPs of a training step, by the layers of the paper: forward, gradients of weights, and of inputs but for the images."""
    first = batch * 64 * 112 * 112 * 3 * 49
    layers, channels, size = 0, 64, 56
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            out = size // stride if block == 0 else size
            layers += size * size * width * channels  # 1 x 1
            layers += out * out * width * width * 9  # 3 x 3, which has the stride
            layers += out * out * 4 * width * width  # 1 x 1
            if block == 0:
                layers += out * out * 4 * width * channels
            channels, size = 4 * width, out
    linear = 1000 * channels
    return 2 * (2 * first + 3 * batch * (layers + linear))


@needs_samples
def test_a_resnet_50_does_what_its_layers_say() -> None:
    (profile,) = open_profile(str(SAMPLES / "kineto" / "resnet50_workers0"))
    found = roofline(profile, break_down(profile), (), span_attributes)
    assert found.use is not None
    assert found.use.flops == pytest.approx(resnet50(32), rel=1e-6)
    assert found.use.mfu == pytest.approx(0.279, abs=0.001)
