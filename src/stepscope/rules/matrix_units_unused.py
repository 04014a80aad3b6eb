"""Products run on ordinary units although the device has units made for them."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.product_units import has_matrix_units, multiplies_only_half, product_kernels, units_name
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_SHARE = 0.10
_UNKNOWN = 0.20
_LEAST_GAIN = 0.05
_FASTER = 0.5
_HALF = Code(
    tensorflow='tf.keras.mixed_precision.set_global_policy("mixed_float16")',
    pytorch=(
        'scaler = torch.amp.GradScaler("cuda")\n'
        'with torch.autocast("cuda", dtype=torch.float16):\n    loss = model(batch)\nscaler.scale(loss).backward()'
    ),
    jax="model = Model(dtype=jnp.float16)  # and scale the loss",
)


def look(facts: Facts) -> Seen:
    """Kernels of products by whether their names tell of Tensor Cores or Matrix Cores; what cannot be recognised forbids a verdict."""
    if facts.cpu_only:
        return Quiet("There is no device with Tensor Cores or Matrix Cores.")
    devices = [facts.profile.devices[place] for place in facts.breakdown.classified.devices if place >= 0]
    has = [has_matrix_units(device) for device in devices]
    if not devices or any(known is None for known in has):
        return CannotTell(
            "The device name is not recorded in this profile.", "Capture with a current profiler: it records device properties."
        )
    if not all(has):
        return Quiet("The device has neither Tensor Cores nor Matrix Cores.")
    units = units_name(devices)
    found = product_kernels(facts.profile)
    products = facts.exposed_ns(found.rows)
    if products <= 0:
        return Quiet("No matrix products run on the device.")
    unknown = facts.exposed_ns(found.unknown)
    if unknown > _UNKNOWN * products:
        return CannotTell(
            f"{percent(unknown / products)} of matrix products run in kernels with names that do not show whether they use {units}.",
            "Compare with a profile in bfloat16 or TF32.",
        )
    unused, lost = found.ordinary, facts.exposed_ns(found.ordinary)
    share = lost / max(1.0, float(facts.parts[TimeClass.COMPUTE]))
    if share < _SHARE:
        return Quiet(f"{percent(1 - share)} of compute uses {units} or is not a matrix product.")
    return Pattern(
        title=f"Use {units} for matrix products",
        summary=f"Matrix products without {units} are {percent(share)} of compute ({milliseconds(lost)} per step).",
        evidence=facts.evidence_of(unused, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        subject=f"Using {units}",
        lever=Lever(
            Action.KERNELS, {TimeClass.COMPUTE: lost * (1 - _FASTER)}, rank=facts.rank, rows=facts.only_here(unused), factor=_FASTER
        ),
        holds_in=1.0,
        least=_LEAST_GAIN,
        must_replay=True,
        code=_HALF if any(multiplies_only_half(device) for device in devices) else None,
    )


RULE = Rule(
    id="matrix_units_unused",
    title="Tensor Cores or Matrix Cores not used",
    look=look,
    code=Code(
        tensorflow='tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")',
        pytorch=(
            'torch.set_float32_matmul_precision("high")  # TF32\n'
            'with torch.autocast("cuda", dtype=torch.bfloat16):\n    loss = model(batch)'
        ),
        jax='jax.config.update("jax_default_matmul_precision", "bfloat16")',
    ),
    wrong_when="When the products need full precision, or when their sizes are too small or not aligned for these cores.",
)
