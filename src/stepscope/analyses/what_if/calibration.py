"""How far predictions were from what was measured after the change, and which changes were measured; benchmarks/truth writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("calibration.json")
WIDE = 0.25
"""Of changes that were measured once: what one pair needed differs by as much from day to day. No bound is beaten by more."""
OFTEN = 2
_CARRIES_OVER = ("python", "straggler")
"""Levers on time that is the host's own: with a device it is played again as it is without one, so pairs without one count."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One kind of recording."""

    band: float  # of what goes: by so much less of it may go than the model says
    more: float  # by so much more, of what goes or of what is left, whichever is less
    around: float  # the same where surroundings go along
    pairs: int  # recordings behind the two: several measurements after one recording count once
    levers: dict[str, int]  # recordings of each
    carried: tuple[str, ...] = ()  # levers among them that were measured without a device only

    def proves(self, lever: str) -> bool:
        """Whether the lever was measured before and after."""
        return self.levers.get(lever, 0) > 0


@cache
def _calibrations() -> dict[str, Calibration]:
    told: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return {kind: Calibration(**each) for kind, each in told.items()}


def calibration(*, serial: bool) -> Calibration:
    """For recordings without a device, or with one."""
    found = _calibrations()
    if serial:
        return found["cpu"]
    measured = found["gpu"].levers
    carried = {lever: found["cpu"].levers.get(lever, 0) for lever in _CARRIES_OVER if not measured.get(lever)}
    return replace(found["gpu"], levers=carried | measured, carried=tuple(carried))


def calibration_of(levers: Iterable[str], *, serial: bool) -> Calibration:
    """For a change by these levers: wide where one was measured once, and of no recording where one is unproven on the device."""
    known, names = calibration(serial=serial), set(levers)
    if not serial and not set(known.carried) & names:
        return known
    elsewhere = calibration(serial=True)
    if any(elsewhere.levers.get(name, 0) < OFTEN for name in names):
        elsewhere = replace(elsewhere, band=max(elsewhere.band, WIDE))
    if serial:
        return elsewhere
    widest = {key: max(getattr(known, key), getattr(elsewhere, key)) for key in ("band", "more", "around")}
    return replace(known, **widest, pairs=0)
