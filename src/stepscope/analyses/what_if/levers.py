"""Changes that can be asked about: which time each takes away or moves, down to which floor, and whether it was ever measured."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.dispatch import DISPATCHED, SHORT_CALL_NS, Dispatch, dispatch_runs
from stepscope.analyses.host.saving import saving_stretches
from stepscope.analyses.intervals import Intervals, lengths_inside
from stepscope.analyses.rows import rows_of, rows_of_role
from stepscope.analyses.time_classes import HIDDEN, TimeClass
from stepscope.analyses.what_if.calibration import calibration
from stepscope.analyses.what_if.serial_model import idle_around
from stepscope.model.errors import BadInput
from stepscope.model.profile import Float64, Int64, Profile, SpanKind, TrackRole

FLOOR_OF_A_LAUNCH_NS = 2_000
"""What a launch on a device still costs when many are merged into one."""
_FASTEST_SHARE = 10
_BUFFERED_SHARE = 0.05
_MOST_SPEED = 1e6
MOST_WORKERS = 4096


class LeverKind(Enum):
    """How a change is predicted."""

    REMOVES = "removes"  # work is gone
    MOVES = "moves"  # work is done by somebody else meanwhile, who needs cores
    AT_BEST = "at_best"  # no before and after was ever measured in such a recording, or cores are unknown: one bound


@dataclass(frozen=True, slots=True)
class LeverFacts:
    """One row of the table of levers."""

    classes: tuple[TimeClass, ...]
    kind: LeverKind
    text: str
    cores: int = 0  # that moved work needs; for workers as many as there are
    value: float = 0.0  # what the lever means without one


_COPIES = (TimeClass.H2D, TimeClass.D2H, TimeClass.D2D)
_REMOVES = LeverKind.REMOVES

LEVERS: dict[str, LeverFacts] = {
    "input": LeverFacts((TimeClass.INPUT,), _REMOVES, "waiting for input"),
    "python": LeverFacts((TimeClass.PYTHON,), _REMOVES, "Python between operations"),
    "straggler": LeverFacts((), _REMOVES, "own work of the slowest rank, reduced to that of the others"),
    "workers": LeverFacts((TimeClass.INPUT,), LeverKind.MOVES, "input, loaded in this number of processes", cores=1, value=1),
    "prefetch": LeverFacts((TimeClass.INPUT,), LeverKind.MOVES, "input, prefetched by a thread", cores=1),
    "async_copy": LeverFacts((TimeClass.H2D,), LeverKind.MOVES, "copies to the device, overlapped with compute"),
    "checkpoint": LeverFacts((TimeClass.IO,), LeverKind.MOVES, "checkpoints and summaries, written by a thread", cores=1),
    "kernels": LeverFacts((TimeClass.COMPUTE,), _REMOVES, "compute on the device", value=0.5),
    "communication": LeverFacts((TimeClass.COMM,), _REMOVES, "collectives"),
    "copies": LeverFacts(_COPIES, _REMOVES, "copies between memories"),
    "launches": LeverFacts(DISPATCHED, _REMOVES, "host work around launches, down to 2 µs each"),
    "sync": LeverFacts((TimeClass.SYNC,), _REMOVES, "calls that wait for the device"),
    "alloc": LeverFacts((TimeClass.ALLOC,), _REMOVES, "device and pinned allocation"),
    "op": LeverFacts((TimeClass.OP,), _REMOVES, "operations on the host"),
    "framework": LeverFacts((TimeClass.FRAMEWORK,), _REMOVES, "framework calls"),
    "compile": LeverFacts((TimeClass.COMPILE,), _REMOVES, "compilation and tracing"),
    "gc": LeverFacts((TimeClass.GC,), _REMOVES, "garbage collection"),
    "io": LeverFacts((TimeClass.IO,), _REMOVES, "checkpoints and summaries"),
}
"""All levers by name. Beside them `kernel:TEXT` and `op:TEXT` name spans whose name holds the text."""

_WITH_SURROUNDINGS = ("io", "checkpoint", "compile", "messages")

ALIASES = {"comm": "communication", "compute": "kernels", "copy": "copies", "launch": "launches"}
"""Names that the breakdown uses for the same."""
_NAMED = LeverFacts((), _REMOVES, "the named spans")
_LEVER = re.compile(r"(?P<name>(?:kernel|op):.+?|[a-z_]+?)(?:=(?P<number>[0-9.]+(?:e-?[0-9]+)?)(?P<unit>[x%]?))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lever:
    """A change of time: `factor` is what is left of it. `rows` (per profile) limits it to some spans."""

    name: str
    factor: float = 0.0
    workers: int = 1  # processes or threads that moved work goes to
    rows: tuple[Int64, ...] | None = None

    @property
    def facts(self) -> LeverFacts:
        """Its row of the table."""
        return LEVERS.get(self.name, _NAMED)

    def proven(self, *, serial: bool) -> bool:
        """Whether such a change was ever measured before and after, in a recording without a device or with one."""
        return calibration(serial=serial).proves(self.name)

    @property
    def blurred(self) -> bool:
        """Whether what lies around its work goes along, so that more may go than spans of its classes tell."""
        return self.name == "launches" or self.name in _WITH_SURROUNDINGS

    @property
    def cores(self) -> int:
        """Cores that the moved work needs."""
        return self.facts.cores * self.workers

    @property
    def text(self) -> str:
        """As it is typed: `input=0`, `kernels=2x`, `workers=4`."""
        if self.facts.kind is LeverKind.MOVES:
            return f"{self.name}={self.workers}" if self.name == "workers" else self.name
        if 0 < self.factor < 1 and math.isclose(1 / self.factor, round(1 / self.factor, 2)):
            return f"{self.name}={1 / self.factor:.4g}x"
        return f"{self.name}={self.factor:.4g}"


def parse_lever(text: str, profiles: Sequence[Profile]) -> Lever:
    """`NAME=0` takes the time away, `NAME=0.5` and `NAME=50%` leave half, `NAME=2x` is twice as fast. Raises BadInput."""
    match = _LEVER.fullmatch(text.strip())
    name = match["name"] if match else ""
    name = ALIASES.get(name, name)
    named = name.partition(":")[0] in ("kernel", "op") and ":" in name
    if match is None or not (name in LEVERS or named):
        raise BadInput(
            f"{text!r} is not a change; write NAME=0, NAME=0.5 or NAME=2x with one of: {', '.join(LEVERS)}.", "no_such_lever"
        )
    try:
        number = float(match["number"]) if match["number"] else None
    except ValueError:
        raise BadInput(f"{text!r} has no number after the equals sign; write 0, 0.5 or 2x.", "bad_lever") from None
    facts = LEVERS.get(name, _NAMED)
    if facts.kind is LeverKind.MOVES:
        return Lever(name, workers=_workers(text, facts.value if number is None else number))
    factor = facts.value if number is None else _factor(text, number, match["unit"])
    return Lever(name, factor, rows=tuple(_rows_named(profile, name) for profile in profiles) if named else None)


def _workers(text: str, number: float) -> int:
    if number != int(number) or not 0 <= number <= MOST_WORKERS:
        raise BadInput(f"{text!r} needs a whole number of workers up to {MOST_WORKERS}.", "bad_lever")
    return max(1, int(number))


def _factor(text: str, number: float, unit: str) -> float:
    factor = 1 / number if unit == "x" and number > 0 else number / 100 if unit == "%" else number
    if (unit == "x" and not 1 / _MOST_SPEED <= number <= _MOST_SPEED) or not 0 <= factor <= _MOST_SPEED:
        raise BadInput(f"{text!r} is out of range; write the remaining share of the time (0 to 1) or the speedup (2x).", "bad_lever")
    return factor


def _rows_named(profile: Profile, name: str) -> Int64:
    """Device spans that hold the text, or operations that do with everything inside them and what they launched."""
    what, _, text = name.partition(":")
    spans = profile.spans
    holds = np.array([text in each for each in profile.names] or [False])[spans.name]
    on_stream = np.zeros(len(spans), bool)
    on_stream[rows_of_role(profile, TrackRole.STREAM)] = True
    if what == "kernel":
        chosen = holds & on_stream
    else:
        chosen = holds & (spans.kind == SpanKind.OP)
        open_ = np.flatnonzero(spans.parent >= 0)
        while len(open_):
            new = open_[chosen[spans.parent[open_]] & ~chosen[open_]]
            chosen[new] = True
            open_ = open_ if len(new) else new
        linked = np.flatnonzero(spans.cause >= 0)
        chosen[linked[chosen[spans.cause[linked]]]] = True
    if not chosen.any():
        raise BadInput(f"No {what} name contains {text!r}; `stepscope profile {what}s` lists them.", "no_such_rows")
    return np.flatnonzero(chosen)


def factors_of(lever: Lever, place: int, profile: Profile, breakdown: Breakdown, *, floor: bool = True) -> Float64:
    """What the lever leaves of every span of one profile, 1 where it does not reach; input has a floor that no change goes below.

    Merged calls have one too, unless `floor` is off: of a loop that becomes one operation nothing is left.
    """
    label = breakdown.classified.label
    left = np.ones(len(profile.spans))
    if lever.rows is not None:
        left[lever.rows[place]] = lever.factor
        return left
    reached = np.zeros(HIDDEN + 2, bool)  # what counts as nothing is -1, the last place
    reached[list(lever.facts.classes)] = True
    rows = np.flatnonzero(reached[label])
    left[rows] = lever.factor
    if TimeClass.IO in lever.facts.classes and breakdown.classified.cpu_only:
        left[_of_saving(profile, breakdown)] = lever.factor
    if TimeClass.INPUT in lever.facts.classes:
        length = (profile.spans.end[rows] - profile.spans.start[rows]).astype(np.float64)
        fastest = _fastest_fetch(length, float(np.median(breakdown.steps.length)))
        left[rows] = _not_below(fastest, length, lever.factor)
    if lever.name == "launches" and breakdown.classified.cpu_only:
        _limit_to_runs(lever, profile, breakdown, rows, left, floor)
    return left


def _of_saving(profile: Profile, breakdown: Breakdown) -> Int64:
    """Operations on control threads with which a checkpoint collects what it writes."""
    rows = rows_of(profile.tracks[track] for track in breakdown.classified.control)
    rows = rows[np.isin(breakdown.classified.label[rows], [TimeClass.OP, TimeClass.COMPUTE])]
    inside = lengths_inside(saving_stretches(profile, breakdown), profile.spans.start[rows], profile.spans.end[rows])
    return rows[inside == profile.spans.end[rows] - profile.spans.start[rows]]


def _limit_to_runs(lever: Lever, profile: Profile, breakdown: Breakdown, rows: Int64, left: Float64, floor: bool) -> None:
    """Without a device a framework call may be waiting for work elsewhere: only runs of short calls are merged."""
    found = dispatch_runs(profile, breakdown)
    if not floor:
        rows = np.union1d(rows, _short_compute(profile, breakdown, found))
    left[rows] = 1.0
    length = float((profile.spans.end[found.calls] - profile.spans.start[found.calls]).sum())
    left[found.inside(profile, rows)] = max(lever.factor, found.floor_ns / length if floor and length else 0.0)


def _short_compute(profile: Profile, breakdown: Breakdown, found: Dispatch) -> Int64:
    """Operations in loops that are long enough to count as compute, and so short that most of it may be their call."""
    spans = profile.spans
    rows = np.flatnonzero((breakdown.classified.label == TimeClass.COMPUTE) & (spans.end - spans.start < SHORT_CALL_NS))
    rows = rows[np.isin(spans.track[rows], breakdown.classified.control)]
    return rows[lengths_inside(found.loops, spans.start[rows], spans.end[rows]) > 0]


def around(lever: Lever, place: int, profile: Profile, breakdown: Breakdown) -> Intervals | None:
    """Without a device: where Python and untraced time may be there only because of the work that the lever takes away."""
    if lever.name == "launches":
        return dispatch_runs(profile, breakdown).around(profile, lever.rows[place] if lever.rows is not None else None)
    return idle_around(profile, breakdown, lever.facts.classes) if lever.name in _WITH_SURROUNDINGS else None


def _not_below(floor: float, length: Float64, factor: float) -> Float64:
    """The factor, or as much as leaves each span the floor."""
    return np.maximum(factor, np.minimum(1.0, floor / np.maximum(length, 1.0)))


def _fastest_fetch(length: Float64, step: float) -> float:
    """The fastest tenth of fetches, when those came from a buffer: a fetch that takes its share of the step did the work itself."""
    fastest = float(np.percentile(length, _FASTEST_SHARE)) if len(length) else 0.0
    return fastest if fastest <= _BUFFERED_SHARE * step else 0.0


def launch_floor(total_ns: float, launched: int) -> float:
    """The least factor of host work around so many launches."""
    return min(1.0, FLOOR_OF_A_LAUNCH_NS * launched / total_ns) if total_ns > 0 else 1.0
