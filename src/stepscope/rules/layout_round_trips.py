"""Tensors are brought into another layout or number format, and back, again and again."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64, SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_OFTEN = 2
"""There and back are two conversions a step."""
_UNKNOWN = 0.2

_CONVERSIONS = re.compile(
    r"nchw_?to_?nhwc|nhwc_?to_?nchw|batched_transpose|tensor_?reformat|convert_?tensor|transpose_fusion|wrapped_(?:transpose|convert)"
    r"|transpose_kernel|convert_element_type|:(?:Cast|Transpose)$|direct_copy_kernel|float16_copy|_to_copy|castkernel",
    re.IGNORECASE,
)
"""Names of kernels and operations that only change layout or number format: cuDNN's, MIOpen's, XLA's, TensorFlow's and PyTorch's."""
_TO_CHANNELS_LAST = re.compile(r"nchw_?to_?nhwc", re.IGNORECASE)
_TO_CHANNELS_FIRST = re.compile(r"nhwc_?to_?nchw", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"^(?:%?(?:loop_|input_)?fusion[._\d]*|fused_computation[._\d]*|kernel[_\d]*)$")
_COPY = re.compile(r"^aten::copy_$")
_CALLS_FOR_IT = re.compile(r"^aten::(?:_to_copy|clone|contiguous)$")


def look(facts: Facts) -> Seen:
    """Conversions with time of their own; of channels first and last, both directions."""
    computing = facts.labelled(TimeClass.COMPUTE)
    compute = float(facts.breakdown.exposed[computing].sum())
    if compute <= 0:
        return CannotTell("No operation was recorded.", "Record operations: host_tracer_level=2 in TensorFlow and JAX.")
    rows = _conversions(facts, computing)
    lost = facts.exposed_ns(rows)
    if lost <= 0:
        hidden = float(facts.breakdown.exposed[facts.named(computing, _SAYS_NOTHING)].sum()) / compute
        if hidden > _UNKNOWN:
            return CannotTell(
                f"{percent(hidden)} of compute runs in fused kernels whose names do not tell whether they convert anything.",
                "Look into the fused kernels with `stepscope profile hlo`.",
            )
        return Quiet("Nothing is converted from one layout or number format to another.")
    last, first = facts.named(rows, _TO_CHANNELS_LAST), facts.named(rows, _TO_CHANNELS_FIRST)
    if len(rows) == len(last) + len(first) and not (len(last) and len(first)):
        return Quiet("Layouts change in one direction only: nothing is converted back.")
    often = len(rows) / max(1, len(facts.breakdown.typical))
    if often < _OFTEN:
        return Quiet(f"{often:.2g} conversions a step are no round trip.")
    return Pattern(
        title="Keep one layout and one number format",
        summary=f"{percent(lost / facts.step_ns)} of a step, {milliseconds(lost)}, tensors change their layout or number format.",
        evidence=(
            Evidence(f"{often:,.0f} conversions a step, {percent(lost * len(facts.breakdown.typical) / compute)} of all compute."),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="A step without conversions",
        lever=Lever(Action.KERNELS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _conversions(facts: Facts, computing: Int64) -> Int64:
    """By their own names, and on the CPU copies that a conversion has called for."""
    rows = facts.named(computing, _CONVERSIONS)
    if not facts.cpu_only:
        return rows
    parent = facts.profile.spans.parent
    copies = facts.named(computing[facts.profile.spans.kind[computing] == SpanKind.OP], _COPY)
    above = parent[copies]
    callers = np.unique(above[above != NONE]).astype(np.int64)
    called = np.isin(above, facts.named(callers, _CALLS_FOR_IT))
    return np.union1d(rows, copies[called])


RULE = Rule(
    id="layout_round_trips",
    title="Layouts and number formats that change back and forth",
    look=look,
    code=Code(
        tensorflow='tf.keras.backend.set_image_data_format("channels_last")\ntf.keras.mixed_precision.set_global_policy("mixed_bfloat16")',
        pytorch=(
            "model = model.to(memory_format=torch.channels_last)\nbatch = batch.to(memory_format=torch.channels_last)\n"
            "# and no .float() or .half() between layers"
        ),
        jax='channels = ("NHWC", "HWIO", "NHWC")  # in every layer\ny = conv(x, w, dimension_numbers=channels)',
    ),
    wrong_when="When the conversions let products run on matrix units: without them the products may take longer than is won.",
)
