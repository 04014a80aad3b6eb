"""A framework's settings, nested as they may be, as the hyperparameters of the run that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, SupportsFloat, cast

from stepscope.writer import SummaryWriter
from stepscope.writer.hparams import hparams_works
from stepscope.writer.summary import Step, moment_of

_DEEPEST = 16


def log_hyperparameters(
    writer: SummaryWriter, settings: Mapping[str, object], metrics: Mapping[str, SupportsFloat] | None = None, step: Step = None
) -> None:
    """Logs them to the writer's own run, and not, as add_hparams does, to one below it."""
    plain = dict(_flat("", settings, 0))
    for work in hparams_works(plain, dict(metrics or {}), None, moment_of(step, None)):
        writer.put_event(work)


def settings_of(params: object) -> dict[str, Any]:
    """The dictionary that was given, or that a namespace or nothing stands for."""
    if params is None:
        return {}
    if isinstance(params, Mapping):
        return dict(cast("Mapping[str, Any]", params))
    return dict(vars(params))


def _flat(prefix: str, settings: Mapping[str, object], depth: int) -> Iterator[tuple[str, str | float]]:
    """Names joined by slashes; what is neither number nor truth value is written as text."""
    for name, value in settings.items():
        path = f"{prefix}{name}"
        inside = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
        if inside and depth < _DEEPEST:
            yield from _flat(f"{path}/", inside, depth + 1)
        else:
            yield path, value if isinstance(value, int | float) else str(cast("object", value))
