"""Watching a model from inside: the norms and distributions of its weights and gradients, and where numbers first go wrong."""

from stepscope.watching.keras_gradients import gradients_of
from stepscope.watching.norms import log_gradients, log_weights
from stepscope.watching.numerics import Finding, NumericsWatch, watch_numerics

__all__ = ["Finding", "NumericsWatch", "gradients_of", "log_gradients", "log_weights", "watch_numerics"]
