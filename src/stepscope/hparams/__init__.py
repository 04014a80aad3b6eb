"""Hyperparameters of an experiment and of its trials, with the names and arguments of tensorboard.plugins.hparams.api."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.hparams.definitions import Discrete, Domain, HParam, IntInterval, Metric, RealInterval
from stepscope.hparams.trials import hparams, hparams_config

if TYPE_CHECKING:
    from stepscope.hparams.keras_callback import KerasCallback

__all__ = ["Discrete", "Domain", "HParam", "IntInterval", "KerasCallback", "Metric", "RealInterval", "hparams", "hparams_config"]


def __getattr__(name: str) -> object:
    """The callback is one of Keras's own, so that Keras is loaded with it and not before."""
    if name == "KerasCallback":
        from stepscope.hparams.keras_callback import KerasCallback

        return KerasCallback
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
