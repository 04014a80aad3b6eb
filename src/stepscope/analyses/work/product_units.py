"""Kernels of products by the units that they run on, and which devices have units made for products."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import Device, Int64, Profile, SpanKind, TrackRole

_FIRST_CAPABILITY = (7, 0)
_WITH_BFLOAT16 = (8, 0)
_WITH_UNITS = re.compile(
    r"V100|T4\b|TITAN V|RTX|A[1-9]0\b|A100|A[2456]000|H[12]00|GH200|L40|L4\b|B[123]00|GB\d00|MI[1-3]\d\d|gfx9[0-9a]", re.IGNORECASE
)
_VOLTA_OR_TURING = re.compile(r"V100|T4\b|TITAN|RTX (?:20|[4568]000)", re.IGNORECASE)
_OF_AMD = re.compile(r"\bAMD\b|Instinct|\bMI[1-3]\d\d|\bgfx\d", re.IGNORECASE)
_PRODUCTS = ("matmul", "convolution", "attention")
_NO_PRODUCT, _ON_MATRIX_UNITS, _ON_ORDINARY_UNITS, _UNKNOWN_NAMING = range(4)
_UNIT = {True: _ON_MATRIX_UNITS, False: _ON_ORDINARY_UNITS, None: _UNKNOWN_NAMING}


@dataclass(frozen=True, slots=True)
class ProductKernels:
    """Rows of kernels that multiply."""

    rows: Int64
    ordinary: Int64  # on ordinary units
    unknown: Int64  # whose names tell nothing about units


def product_kernels(profile: Profile) -> ProductKernels:
    """Names are asked once, not every launch."""
    rules, names = profile.name_rules, profile.spans.name
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[profile.spans.kind[rows] == SpanKind.KERNEL]
    unit = np.full(len(profile.names) + 1, _NO_PRODUCT, np.int8)
    for name in map(int, np.unique(names[rows])):
        if rules.kernel_family(profile.names[name]) in _PRODUCTS:
            unit[name] = _UNIT[rules.uses_matrix_units(profile.names[name])]
    found = unit[names[rows]]
    return ProductKernels(rows[found != _NO_PRODUCT], rows[found == _ON_ORDINARY_UNITS], rows[found == _UNKNOWN_NAMING])


def has_matrix_units(device: Device) -> bool | None:
    """None when the file does not tell what the device is."""
    if device.compute_capability != (0, 0):
        return device.compute_capability >= _FIRST_CAPABILITY
    return bool(_WITH_UNITS.search(device.name)) if device.name else None


def units_name(devices: Sequence[Device]) -> str:
    """What the makers of the devices call these units."""
    amd = [bool(_OF_AMD.search(f"{device.vendor} {device.name}")) for device in devices]
    return "Matrix Cores" if amd and all(amd) else "Tensor Cores or Matrix Cores" if any(amd) or not amd else "Tensor Cores"


def multiplies_only_half(device: Device) -> bool:
    """Volta and Turing multiply halves only: bfloat16 and TF32 came with Ampere."""
    if device.compute_capability != (0, 0):
        return _FIRST_CAPABILITY <= device.compute_capability < _WITH_BFLOAT16
    return bool(_VOLTA_OR_TURING.search(device.name))
