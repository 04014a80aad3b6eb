"""What a step would lose without a part of its critical path: the path says how much at most, a replay how much really."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.critical_path import REPLAYED, CriticalPath
from stepscope.analyses.what_if.levers import DISPATCHED, parse_lever
from stepscope.analyses.what_if.prediction import Context, predict

WHY_LESS = "The saving is less than the time on the path where parallel work is equally long: that work then becomes the critical path."
_WORTH = 0.01
_LEVERS: dict[str, tuple[TimeClass, ...]] = {
    "kernels": (TimeClass.COMPUTE,),
    "communication": (TimeClass.COMM,),
    "copies": (TimeClass.H2D, TimeClass.D2H, TimeClass.D2D),
    "input": (TimeClass.INPUT,),
    "launches": DISPATCHED,
    "python": (TimeClass.PYTHON,),
    "sync": (TimeClass.SYNC,),
    "alloc": (TimeClass.ALLOC,),
    "compile": (TimeClass.COMPILE,),
    "gc": (TimeClass.GC,),
    "io": (TimeClass.IO,),
}


@dataclass(frozen=True, slots=True)
class PathSaving:
    """Parts of the path that one lever takes away; fractions of a step."""

    lever: str
    parts: tuple[str, ...]
    path: float
    saves: float  # what the replay of the change says, at best; never more than `path`


def path_savings(context: Context, path: CriticalPath) -> tuple[PathSaving, ...]:
    """For every lever whose parts have something on the path, longest first; nothing where nothing can be replayed."""
    if path.model != REPLAYED or context.refused is not None:
        return ()
    whole, on_path = path.step_ns or 1.0, dict(path.parts)
    found: list[PathSaving] = []
    for lever, classes in _LEVERS.items():
        parts = tuple(each.key for each in classes if on_path.get(each.key, 0.0) > 0)
        share = sum(on_path[part] for part in parts) / whole
        if share < _WORTH:
            continue
        change = predict(context, [parse_lever(f"{lever}=0", context.profiles)])
        if change.low_ms is not None:
            # The range of a change that was not proven is wide, but what is gone cannot save more than it had on the path.
            saves = min(share, 1 - change.low_ms / (change.baseline_ms or 1.0))
            found.append(PathSaving(lever, parts, share, max(0.0, saves)))
    return tuple(sorted(found, key=lambda one: -one.path))
