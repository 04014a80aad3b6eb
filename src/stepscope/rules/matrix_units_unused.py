"""Products run on ordinary units although the device has units made for them."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.kernel_names import family_of, uses_matrix_units
from stepscope.model.profile import Device, Int8, Int64, Profile, SpanKind, TrackRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_SHARE = 0.10
_UNKNOWN = 0.20
_LEAST_GAIN = 0.05
_FASTER = 0.5
_FIRST_CAPABILITY = (7, 0)
_WITH_UNITS = re.compile(
    r"V100|T4\b|TITAN V|RTX|A[1-9]0\b|A100|A[2456]000|H[12]00|GH200|L40|L4\b|B[123]00|GB\d00|MI[1-3]\d\d|gfx9[0-9a]", re.IGNORECASE
)
_WITH_BFLOAT16 = (8, 0)
_VOLTA_OR_TURING = re.compile(r"V100|T4\b|TITAN|RTX (?:20|[4568]000)", re.IGNORECASE)
_HALF = Code(
    tensorflow='tf.keras.mixed_precision.set_global_policy("mixed_float16")',
    pytorch=(
        'scaler = torch.amp.GradScaler("cuda")\n'
        'with torch.autocast("cuda", dtype=torch.float16):\n    loss = model(batch)\nscaler.scale(loss).backward()'
    ),
    jax="model = Model(dtype=jnp.float16)  # and scale the loss",
)
_NO_PRODUCT, _ON_MATRIX_UNITS, _ON_ORDINARY_UNITS, _UNKNOWN_NAMING = range(4)
_UNIT = {True: _ON_MATRIX_UNITS, False: _ON_ORDINARY_UNITS, None: _UNKNOWN_NAMING}
_PRODUCTS = ("matmul", "convolution", "attention")


def look(facts: Facts) -> Seen:
    """Kernels of products by whether their names tell of matrix units; what cannot be recognised forbids a verdict."""
    if facts.cpu_only:
        return Quiet("There is no device with matrix units.")
    devices = [facts.profile.devices[place] for place in facts.breakdown.classified.devices if place >= 0]
    has = [_has_units(device) for device in devices]
    if not devices or any(known is None for known in has):
        return CannotTell("The recording does not name the device.", "Record device properties; every current profiler does.")
    if not all(has):
        return Quiet("The device has no matrix units.")
    rows, verdict = _products(facts.profile)
    time = facts.breakdown.exposed[rows]
    products, steps = float(time.sum()), max(1, len(facts.breakdown.typical))
    if products <= 0:
        return Quiet("No products run on the device.")
    unknown = float(time[verdict == _UNKNOWN_NAMING].sum())
    if unknown > _UNKNOWN * products:
        return CannotTell(
            f"{percent(unknown / products)} of products run in kernels whose names tell nothing about matrix units.",
            "Compare with a recording in bfloat16 or TF32.",
        )
    unused = rows[verdict == _ON_ORDINARY_UNITS]
    lost = float(facts.breakdown.exposed[unused].sum()) / steps
    share = lost / max(1.0, float(facts.parts[TimeClass.COMPUTE]))
    if share < _SHARE:
        return Quiet(f"{percent(1 - share)} of compute is on matrix units, or is no product.")
    return Pattern(
        title="Let products use the matrix units",
        summary=f"{percent(share)} of compute, {milliseconds(lost)} a step, are products on ordinary units.",
        evidence=facts.evidence_of(unused, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        subject="Products on the matrix units",
        lever=Lever(
            Action.KERNELS, {TimeClass.COMPUTE: lost * (1 - _FASTER)}, rank=facts.rank, rows=facts.only_here(unused), factor=_FASTER
        ),
        holds_in=1.0,
        least=_LEAST_GAIN,
        must_replay=True,
        code=_HALF if any(_only_half(device) for device in devices) else None,
    )


def _has_units(device: Device) -> bool | None:
    if device.compute_capability != (0, 0):
        return device.compute_capability >= _FIRST_CAPABILITY
    return bool(_WITH_UNITS.search(device.name)) if device.name else None


def _only_half(device: Device) -> bool:
    """Volta and Turing multiply halves only: bfloat16 and TF32 came with Ampere."""
    if device.compute_capability != (0, 0):
        return _FIRST_CAPABILITY <= device.compute_capability < _WITH_BFLOAT16
    return bool(_VOLTA_OR_TURING.search(device.name))


def _products(profile: Profile) -> tuple[Int64, Int8]:
    """Kernels of products, and for each on which units it runs; names are asked once, not every launch."""
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[profile.spans.kind[rows] == SpanKind.KERNEL]
    unit = np.full(len(profile.names) + 1, _NO_PRODUCT, np.int8)
    for name in map(int, np.unique(profile.spans.name[rows])):
        if family_of(profile.names[name]) in _PRODUCTS:
            unit[name] = _UNIT[uses_matrix_units(profile.names[name])]
    found = unit[profile.spans.name[rows]]
    return rows[found != _NO_PRODUCT], found[found != _NO_PRODUCT]


RULE = Rule(
    id="matrix_units_unused",
    title="Matrix units that are not used",
    look=look,
    code=Code(
        tensorflow='tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")',
        pytorch=(
            'torch.set_float32_matmul_precision("high")  # TF32\n'
            'with torch.autocast("cuda", dtype=torch.bfloat16):\n    loss = model(batch)'
        ),
        jax='jax.config.update("jax_default_matmul_precision", "bfloat16")',
    ),
    wrong_when="When the products need full precision, or their sizes are too small or too odd for matrix units.",
)
