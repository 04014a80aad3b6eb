"""A typical step of TPUs: infeed, outfeed, idle and its other parts, and how busy the matrix unit is."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.analyses.tpu import TpuStep
from stepscope.session.report.columns import TpuPart, TpuTime

_MS = 1e6
_PARTS = (
    ("compute", "Compute"),
    ("infeed", "Infeed"),
    ("outfeed", "Outfeed"),
    ("communication", "Communication"),
    ("copy", "Copies"),
    ("idle", "Idle"),
)


def tpu_time(found: Sequence[TpuStep | None]) -> TpuTime | None:
    """The mean over workers with TPUs; None where no worker has one."""
    steps = [each for each in found if each is not None]
    if not steps:
        return None
    step_ns = _mean([each.step_ns for each in steps])
    parts = [(part, title, _mean([float(getattr(each, f"{part}_ns")) for each in steps])) for part, title in _PARTS]
    return TpuTime(
        devices=sum(each.devices for each in steps),
        step_ms=step_ns / _MS,
        parts=[TpuPart(part=part, title=title, ms=ns / _MS, share=ns / step_ns if step_ns else 0.0) for part, title, ns in parts],
        matrix_use=_known([each.matrix_use for each in steps]),
        step_matrix_use=_known([each.step_matrix_use for each in steps]),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _known(values: Sequence[float | None]) -> float | None:
    """The mean, None where any is unknown: half of it would be another number."""
    known = [value for value in values if value is not None]
    return _mean(known) if len(known) == len(values) else None
