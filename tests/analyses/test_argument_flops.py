"""Arithmetic from recorded arguments, of one call at a time: strides, masks, causality, and what is not understood."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pytest

from analyses.timeline import Timeline
from stepscope.analyses.work.argument_flops import work_of_calls
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind

IMAGES, FILTERS = [8, 3, 32, 32], [16, 3, 3, 3]


def called(name: str, shapes: list[list[int]], *arguments: object) -> list[tuple[float, int]]:
    """FLOPs and number of kernels of calls whose arguments are these, one list for each."""
    line = Timeline()
    text = json.dumps(shapes)
    line.span("other", 0, 1, SpanKind.OTHER, text)
    spans = [line.span("main", 10 * place, 10 * place + 5, SpanKind.OP, name) for place in range(len(arguments))]
    profile = line.build()
    rows = np.array([span.row for span in spans], np.int64)
    profile.spans.shape[rows] = profile.names.index(text)
    told = dict(zip(rows.tolist(), arguments, strict=True))

    def read(_: Profile, row: int) -> Mapping[str, object]:
        if told[row] is None:
            raise BadInput("The file was moved.", "moved")
        return {"Concrete Inputs": json.dumps(told[row])}

    found = work_of_calls(profile, rows, json.loads, read)
    return [(found[row].work[0], found[row].kernels) for row in rows.tolist() if row in found]


def convolved(stride: str, padding: str, dilation: str = "[1, 1]", transposed: str = "False") -> list[str]:
    return ["", "", "", stride, padding, dilation, transposed, "[0, 0]", "1"]


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        (convolved("[1, 1]", "[1, 1]"), 32),
        (convolved("[2, 2]", "[1, 1]"), 16),
        (convolved("[2]", "[0]"), 15),
        (convolved("[1, 1]", "[0, 0]", "[2, 2]"), 28),
    ],
    ids=["same", "strided", "one number for all axes", "dilated"],
)
def test_a_convolution_has_the_result_that_its_arguments_make(arguments: list[str], size: int) -> None:
    assert called("aten::convolution", [IMAGES, FILTERS, []], arguments) == [(2 * 8 * 16 * size * size * 3 * 9, 1)]


def test_a_transposed_convolution_multiplies_every_input_with_the_filter() -> None:
    found = called("aten::convolution", [[8, 3, 32, 32], [3, 16, 2, 2], []], convolved("[2, 2]", "[0, 0]", transposed="True"))
    assert found == [(2 * 8 * 3 * 32 * 32 * 16 * 4, 1)]


@pytest.mark.parametrize(("mask", "times"), [("[True, True, True]", 2), ("[False, True, False]", 1), ("[False, False, True]", 0)])
def test_gradients_count_as_the_mask_says(mask: str, times: int) -> None:
    shapes = [[8, 16, 32, 32], IMAGES, FILTERS]
    one = 2 * 8 * 16 * 32 * 32 * 3 * 9
    found = called(
        "aten::convolution_backward", shapes, ["", "", "", "[16]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", mask]
    )
    assert found == ([(times * one, times)] if times else [])


@pytest.mark.parametrize(("causal", "pairs"), [("False", 10 * 10), ("True", 10 * 11 // 2), ("", None)])
def test_attention_counts_pairs(causal: str, pairs: int | None) -> None:
    heads = [[2, 4, 10, 64]] * 3
    found = called("aten::_scaled_dot_product_flash_attention", heads, ["", "", "", "0.", causal])
    assert found == ([] if pairs is None else [(2 * 2 * 4 * pairs * (64 + 64), 1)])


def test_calls_of_one_shape_that_differ_tell_nothing() -> None:
    same, strided = convolved("[1, 1]", "[1, 1]"), convolved("[2, 2]", "[1, 1]")
    assert len(called("aten::convolution", [IMAGES, FILTERS, []], same, same)) == 2
    assert called("aten::convolution", [IMAGES, FILTERS, []], same, strided) == []


@pytest.mark.parametrize(
    "arguments",
    [None, [], "text", convolved("same", "[1, 1]"), convolved("[0, 0]", "[1, 1]"), convolved("[-1, 1]", "[1, 1]")],
    ids=["moved file", "none", "no list", "a word", "no stride", "below zero"],
)
def test_what_is_not_understood_is_unknown(arguments: object) -> None:
    assert called("aten::convolution", [IMAGES, FILTERS, []], arguments) == []
    assert called("aten::linear", [IMAGES, FILTERS, []], convolved("[1, 1]", "[1, 1]")) == []
