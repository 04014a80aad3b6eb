"""The text that users write for a range of a profile, and what it counts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum

from stepscope.model.errors import BadInput

LONGEST_RANGE = 100
HOW = "write 3:10 for steps 3 to 9, 5 for one, 1.2s:3s, epochs=1:2, typical or skip-warmup"

_UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
_STEPS = re.compile(r"(?P<low>[0-9]{1,18})?(?P<to>:(?P<high>[0-9]{1,18})?)?", re.ASCII)
_NUMBER = r"[0-9]{0,18}(?:\.[0-9]{0,18})?(?:e-?[0-9]{1,2})?"
_TIME = re.compile(
    rf"(?:(?P<low>{_NUMBER})(?P<low_unit>ns|us|µs|ms|s))?:(?:(?P<high>{_NUMBER})(?P<high_unit>ns|us|µs|ms|s))?", re.ASCII
)
LAST = (1 << 63) - 1
"""The end of a range that has none."""


class RangeKind(Enum):
    """What a range counts."""

    STEPS = "steps"
    TIME = "time"
    EPOCHS = "epochs"
    TYPICAL = "typical"
    SKIP_WARMUP = "skip-warmup"


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` up to but not with `high`: numbers of steps or epochs, or nanoseconds since the recording's start."""

    kind: RangeKind
    low: int = 0
    high: int = LAST


def parse_range(text: str) -> Range:
    """`3:10`, `5`, `3:`, `1.2s:3s`, `epochs=1:2`, `typical` or `skip-warmup`. Raises BadInput."""
    asked = text.strip()
    if len(asked) > LONGEST_RANGE:
        raise BadInput(f"The range is too long; {HOW}.", "bad_range")
    if asked in (RangeKind.TYPICAL.value, RangeKind.SKIP_WARMUP.value):
        return Range(RangeKind(asked))
    kind = RangeKind.EPOCHS if asked.startswith("epochs=") else RangeKind.STEPS
    found = _STEPS.fullmatch(asked.removeprefix("epochs="))
    if found is not None and (found["low"] or found["high"]):
        low = int(found["low"] or 0)
        return _filled(kind, low, low + 1 if found["to"] is None else int(found["high"] or LAST), asked)
    timed = _TIME.fullmatch(asked)
    if timed is not None and (timed["low_unit"] or timed["high_unit"]):
        return _filled(RangeKind.TIME, _time(timed["low"], timed["low_unit"], 0), _time(timed["high"], timed["high_unit"], LAST), asked)
    raise BadInput(f"{asked!r} is not a range; {HOW}.", "bad_range")


def _filled(kind: RangeKind, low: int, high: int, asked: str) -> Range:
    if high <= low:
        raise BadInput(f"The range {asked!r} is empty; {HOW}.", "empty_range")
    return Range(kind, low, high)


def _time(number: str | None, unit: str | None, otherwise: int) -> int:
    if unit is None:
        return otherwise
    try:
        nanoseconds = float(number or "") * _UNITS[unit]
    except ValueError as error:
        raise BadInput(f"{number}{unit} is not a time; {HOW}.", "bad_range") from error
    return round(nanoseconds) if math.isfinite(nanoseconds) and nanoseconds < LAST else LAST
