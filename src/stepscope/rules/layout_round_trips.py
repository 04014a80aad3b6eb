"""Tensors are brought into another layout or number format, and back, again and again."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.work.conversions import conversions
from stepscope.model.number_text import three_digits
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_OFTEN = 2
"""There and back are two conversions a step."""
_UNKNOWN = 0.2
_ONE_FORMAT = Code(
    tensorflow='tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")  # everywhere',
    pytorch="# No .float() or .half() between layers; norms that compute in\n# single precision inside:\nnorm = torch.nn.RMSNorm(size)",
    jax="x = layer(params, x, dtype=jnp.bfloat16)  # the same in every layer",
)
_IN_LAYERS = 0.04
"""On a CPU: copies inside of PyTorch's own attention take 3 % of a step, and nobody can avoid them."""
_NO_TRANSPOSE = Code(
    tensorflow='y = tf.einsum("bsd,hd->bsh", x, w)  # no tf.transpose before it',
    pytorch='y = torch.einsum("bsd,hd->bsh", x, w)  # no .contiguous() before it',
    jax='y = jnp.einsum("bsd,hd->bsh", x, w)  # no transpose before it',
)


def look(facts: Facts) -> Seen:
    """Conversions with time of their own; of channels first and last, both directions."""
    found = conversions(facts.profile, facts.breakdown, facts.rank_spans)
    if found.compute_ns <= 0:
        return CannotTell("Operations are not recorded in this profile.", how_to_show(facts.profile, Shows.OPERATIONS))
    rows, lost = found.rows, facts.exposed_ns(found.rows)
    if lost <= 0:
        hidden = found.nameless_ns / found.compute_ns
        if hidden > _UNKNOWN:
            return CannotTell(
                f"{percent(hidden)} of compute runs in fused kernels; their names do not show whether they convert data.",
                "Inspect the fused kernels with `stepscope profile hlo`.",
            )
        return Quiet("No layout or dtype conversions run.")
    if found.one_way:
        return Quiet("Layouts change in one direction only; no tensor is converted back.")
    often = found.count / max(1, len(facts.breakdown.typical))
    if often < _OFTEN:
        return Quiet(f"{three_digits(often)} conversions per step are not a round trip.")
    cast = facts.exposed_ns(found.casts) > lost / 2
    return Pattern(
        title="Keep one dtype" if cast else "Keep one layout",
        summary=f"{'Dtype' if cast else 'Layout'} conversions cost {percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=(
            Evidence(
                f"{often:,.0f} conversions per step, {percent(lost * len(facts.breakdown.typical) / found.compute_ns)} of all compute."
            ),
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="Avoiding conversions",
        lever=Lever(Action.KERNELS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
        least=_IN_LAYERS if facts.cpu_only else 0.0,
        code=_ONE_FORMAT if cast else None if found.convolutions(facts.rank_spans) else _NO_TRANSPOSE,
    )


RULE = Rule(
    id="layout_round_trips",
    title="Layout and dtype conversions",
    look=look,
    code=Code(
        tensorflow='tf.keras.backend.set_image_data_format("channels_last")',
        pytorch="model = model.to(memory_format=torch.channels_last)\nbatch = batch.to(memory_format=torch.channels_last)",
        jax='channels = ("NHWC", "HWIO", "NHWC")  # in every layer\ny = conv(x, w, dimension_numbers=channels)',
    ),
    wrong_when="When the conversions allow matrix products to use tensor cores: without them the products may get slower.",
)
