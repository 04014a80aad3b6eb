"""Tensors are brought into another layout or number format, and back, again and again."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.model.profile import NONE, Int64, SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_OFTEN = 2
"""There and back are two conversions a step."""
_UNKNOWN = 0.2

_TRANSPOSES = re.compile(
    r"nchw_?to_?nhwc|nhwc_?to_?nchw|batched_transpose|tensor_?reformat|transpose_fusion|wrapped_transpose|transpose_kernel|:Transpose$",
    re.IGNORECASE,
)
"""Kernels and operations that only change a layout: cuDNN's, MIOpen's, XLA's and TensorFlow's."""
_TO_CHANNELS_LAST = re.compile(r"nchw_?to_?nhwc", re.IGNORECASE)
_TO_CHANNELS_FIRST = re.compile(r"nhwc_?to_?nchw", re.IGNORECASE)
_NARROWS = re.compile(r"b?float16_copy_kernel|f32_to_b?f16", re.IGNORECASE)
_WIDENS = re.compile(r"direct_copy_kernel|b?f16_to_f32", re.IGNORECASE)
"""PyTorch's copies to half precision have kernels of their own; copies to single precision are plain ones, called by a cast."""
_CASTS = re.compile(r"^aten::_to_copy$")
_OF_IMAGES = re.compile(r"nchw|nhwc|batched_transpose", re.IGNORECASE)
_CONVOLUTIONS = re.compile(r"conv(?!ert)|winograd|igemm|implicit_gemm", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"^(?:%?(?:loop_|input_)?fusion[._\d]*|fused_computation[._\d]*|kernel[_\d]*)$")
_ONE_FORMAT = Code(
    tensorflow='tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")  # everywhere',
    pytorch="# No .float() or .half() between layers; norms that compute in\n# single precision inside:\nnorm = torch.nn.RMSNorm(size)",
    jax="x = layer(params, x, dtype=jnp.bfloat16)  # the same in every layer",
)
_NO_TRANSPOSE = Code(
    tensorflow='y = tf.einsum("bsd,hd->bsh", x, w)  # no tf.transpose before it',
    pytorch='y = torch.einsum("bsd,hd->bsh", x, w)  # no .contiguous() before it',
    jax='y = jnp.einsum("bsd,hd->bsh", x, w)  # no transpose before it',
)


def look(facts: Facts) -> Seen:
    """Conversions with time of their own; of channels first and last, both directions."""
    computing = facts.labelled(TimeClass.COMPUTE)
    compute = float(facts.breakdown.exposed[computing].sum())
    if compute <= 0:
        return CannotTell("No operation was recorded.", how_to_show(facts.profile, Shows.OPERATIONS))
    casts = _casts(facts, computing)
    rows = np.union1d(facts.named(computing, _TRANSPOSES), casts)
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
    cast = facts.exposed_ns(casts) > lost / 2
    return Pattern(
        title="Keep one number format" if cast else "Keep one layout",
        summary=f"{percent(lost / facts.step_ns)} of a step, {milliseconds(lost)}, tensors change their "
        f"{'number format' if cast else 'layout'} again and again.",
        evidence=(
            Evidence(f"{often:,.0f} conversions a step, {percent(lost * len(facts.breakdown.typical) / compute)} of all compute."),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="A step without conversions",
        lever=Lever(Action.KERNELS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
        code=_ONE_FORMAT if cast else None if _convolves(facts, rows) else _NO_TRANSPOSE,
    )


def _convolves(facts: Facts, rows: Int64) -> bool:
    """Whether there are convolutions, for which libraries have a layout that they like; conversions of images are a sign of them."""
    kinds = (SpanKind.KERNEL, SpanKind.OP, SpanKind.RUNTIME)
    return bool(len(facts.named(rows, _OF_IMAGES)) or len(facts.find(_CONVOLUTIONS, *kinds)))


def _casts(facts: Facts, computing: Int64) -> Int64:
    """Casts to a narrower format and back, where there are both; one way alone is what mixed precision is made of."""
    narrow, plain = facts.named(computing, _NARROWS), facts.named(computing, _WIDENS)
    caller = host_operation_of(facts.profile, plain)
    above = np.where(caller >= 0, facts.profile.spans.parent[np.maximum(caller, 0)], NONE)
    cast = facts.named(np.unique(above[above >= 0]).astype(np.int64), _CASTS)
    wide = plain[np.isin(above, cast)]
    return np.union1d(narrow, wide) if len(narrow) and len(wide) else narrow[:0]


RULE = Rule(
    id="layout_round_trips",
    title="Layouts and number formats that change back and forth",
    look=look,
    code=Code(
        tensorflow='tf.keras.backend.set_image_data_format("channels_last")',
        pytorch="model = model.to(memory_format=torch.channels_last)\nbatch = batch.to(memory_format=torch.channels_last)",
        jax='channels = ("NHWC", "HWIO", "NHWC")  # in every layer\ny = conv(x, w, dimension_numbers=channels)',
    ),
    wrong_when="When the conversions let products run on matrix units: without them the products may take longer than is won.",
)
