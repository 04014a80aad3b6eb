"""StepscopeCallback for the Trainer of Hugging Face's transformers, and those built on it, as TRL's."""

from __future__ import annotations

import functools
import os
import socket
import time
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat

from stepscope.capture import SystemMonitor
from stepscope.capture.marked_steps import MarkedSteps
from stepscope.integrations.framework import attribute_error, derived, load
from stepscope.integrations.hyperparameters import log_hyperparameters
from stepscope.writer import SummaryWriter

_FOLDER_VARIABLE = "TENSORBOARD_LOGGING_DIR"


class Arguments(Protocol):
    """The part of TrainingArguments that is used."""

    output_dir: str | None

    def to_json_string(self) -> str:
        """All of them."""
        ...

    def to_sanitized_dict(self) -> dict[str, Any]:
        """Those that are numbers, truth values and texts, and the others as texts."""
        ...


class State(Protocol):
    """The part of TrainerState that is used."""

    is_world_process_zero: bool
    is_hyper_param_search: bool
    global_step: int
    epoch: float | None
    trial_name: str | None


class _Callback:
    """Logs a training as the Trainer's own TensorBoard callback does, and its arguments as hyperparameters.

    The folder is log_dir, or what the variable TENSORBOARD_LOGGING_DIR says, or one in output_dir/runs. With system_every,
    the use of the machine is logged every so many seconds. Only the first of several processes logs.
    """

    def __init__(
        self, log_dir: str | os.PathLike[str] | None = None, *, writer: SummaryWriter | None = None, system_every: float | None = None
    ) -> None:
        """Opens a writer when training begins, or takes the one that is given and leaves it open."""
        super().__init__()
        self._log_dir = None if log_dir is None else os.fspath(log_dir)
        self._given = writer
        self._writer = writer
        self._system_every = system_every
        self._monitor: SystemMonitor | None = None
        self._before = (0, time.monotonic())
        self._steps: MarkedSteps | None = None

    def on_train_begin(self, args: Arguments, state: State, control: object, **kwargs: object) -> None:
        """Logs the arguments and the model's configuration; starts a capture that the environment asks for."""
        del control
        if not state.is_world_process_zero:
            self._steps = MarkedSteps.from_environment(self._folder(args), "torch")
            return
        if state.is_hyper_param_search and state.trial_name and self._given is None:
            self._writer = SummaryWriter(os.path.join(self._folder(args), state.trial_name))
        writer = self._opened(args)
        self._steps = MarkedSteps.from_environment(writer.log_dir, "torch")
        writer.add_text("args", args.to_json_string())
        config = getattr(kwargs.get("model"), "config", None)
        if config is not None:
            writer.add_text("model_config", config.to_json_string())
        log_hyperparameters(writer, args.to_sanitized_dict())
        self._before = (state.global_step, time.monotonic())
        if self._monitor is not None:  # of a training that was interrupted, or whose writer was given
            self._monitor.close()
        if self._system_every is not None:
            steps, epochs = (lambda: state.global_step), (lambda: state.epoch or 0.0)
            self._monitor = SystemMonitor(writer, self._system_every, step=steps, epoch=epochs)

    def on_step_begin(self, args: Arguments, state: State, control: object, **kwargs: object) -> None:
        """Marks the step by the number that it is logged with."""
        del args, control, kwargs
        if self._steps is not None:
            self._steps.begin(state.global_step + 1)

    def on_step_end(self, args: Arguments, state: State, control: object, **kwargs: object) -> None:
        """Ends the step's mark."""
        del args, state, control, kwargs
        if self._steps is not None:
            self._steps.end()

    def on_log(self, args: Arguments, state: State, control: object, logs: Mapping[str, Any] | None = None, **kwargs: object) -> None:
        """Logs what the Trainer reports, and how many steps a second were done since it last did."""
        del control, kwargs
        if not state.is_world_process_zero:
            return
        writer = self._opened(args)
        for name, value in (logs or {}).items():
            if isinstance(value, str):
                writer.add_text(_tag_of(name), value, state.global_step)
            elif isinstance(value, SupportsFloat):
                writer.add_scalar(_tag_of(name), float(value), state.global_step)
        (steps, then), now = self._before, time.monotonic()
        if state.global_step > steps:
            self._before = (state.global_step, now)
            writer.add_scalar("train/steps_per_second", (state.global_step - steps) / max(now - then, 1e-9), state.global_step)

    def on_train_end(self, args: Arguments, state: State, control: object, **kwargs: object) -> None:
        """Writes all that was logged."""
        del args, state, control, kwargs
        if self._steps is not None:
            self._steps.close()
            self._steps = None
        if self._monitor is not None:
            self._monitor.close()
        if self._writer is not None and self._given is None:
            self._writer.close()

    def _opened(self, args: Arguments) -> SummaryWriter:
        if self._writer is None:
            self._writer = SummaryWriter(self._folder(args))
        return self._writer

    def _folder(self, args: Arguments) -> str:
        chosen = self._log_dir or os.environ.get(_FOLDER_VARIABLE)
        if chosen:
            return os.path.expanduser(chosen)
        started = datetime.now().astimezone().strftime("%b%d_%H-%M-%S")
        return os.path.join(args.output_dir or "", "runs", f"{started}_{socket.gethostname()}")


def _tag_of(name: str) -> str:
    """As the Trainer's own integrations sort names into groups."""
    for group in ("eval", "test"):
        if name.startswith(f"{group}_"):
            return f"{group}/{name[len(group) + 1 :]}"
    return f"train/{name}"


@functools.cache
def _callback_class() -> type[_Callback]:
    return derived(_Callback, load("transformers", "transformers").TrainerCallback, "StepscopeCallback")


if TYPE_CHECKING:
    StepscopeCallback = _Callback


def __getattr__(name: str) -> object:
    if name == "StepscopeCallback":
        return _callback_class()
    raise attribute_error(__name__, name)
