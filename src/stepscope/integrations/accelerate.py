"""StepscopeTracker for Hugging Face's Accelerate: given to Accelerator itself, or by its name once it is registered."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, SupportsFloat, cast

from stepscope.capture import SystemMonitor
from stepscope.integrations.framework import attribute_error, derived, load
from stepscope.integrations.hyperparameters import log_hyperparameters
from stepscope.integrations.optimizer_steps import OptimizerSteps
from stepscope.writer import SummaryWriter

NAME = "stepscope"


class _Tracker:
    """Logs to <logging_dir>/<run_name>, as Accelerate's own TensorBoard tracker does.

    With system_every, the use of the machine is logged every so many seconds. Further arguments are SummaryWriter's. Only
    the main process logs.
    """

    name = NAME
    requires_logging_directory = True
    main_process_only = True

    def __init__(
        self,
        run_name: str,
        logging_dir: str | os.PathLike[str] = ".",
        *,
        system_every: float | None = None,
        **writer_arguments: object,
    ) -> None:
        """Opens nothing yet: which process is the main one is known only once Accelerate starts the tracker."""
        super().__init__()
        self.run_name = run_name
        self.logging_dir = os.path.join(logging_dir, run_name)
        self._system_every = system_every
        self._writer_arguments = writer_arguments
        self._writer: SummaryWriter | None = None
        self._steps: OptimizerSteps | None = None

    @property
    def tracker(self) -> SummaryWriter | None:
        """The writer; None in other processes than the main one."""
        return self._writer

    def start(self) -> None:
        """Opens the writer; starts a capture that the environment asks for, also in processes that log nothing."""
        if self._steps is None:
            self._steps = OptimizerSteps.from_environment(self.logging_dir)
        if self._writer is not None or not load("accelerate", "accelerate").PartialState().is_main_process:
            return
        self._writer = SummaryWriter(self.logging_dir, **cast("dict[str, Any]", self._writer_arguments))
        if self._system_every is not None:
            SystemMonitor(self._writer, self._system_every)

    def store_init_configuration(self, values: Mapping[str, object]) -> None:
        """Logs the run's hyperparameters."""
        if self._writer is not None:
            log_hyperparameters(self._writer, values)

    def log(self, values: Mapping[str, Any], step: int | None = None, **kwargs: Any) -> None:  # noqa: ANN401 (the writer's own)
        """Logs numbers, texts, and dictionaries of numbers for one chart; further arguments go to the writer."""
        writer = self._writer
        if writer is None:
            return
        for name, value in values.items():
            if isinstance(value, str):
                writer.add_text(name, value, step, **kwargs)
            elif isinstance(value, dict):
                writer.add_scalars(name, cast("dict[str, SupportsFloat]", value), step, **kwargs)
            else:
                writer.add_scalar(name, value, step, **kwargs)

    def log_images(self, values: Mapping[str, object], step: int | None = None, **kwargs: Any) -> None:  # noqa: ANN401
        """Logs several pictures under each name; dataformats says what each dimension is."""
        if self._writer is not None:
            for name, images in values.items():
                self._writer.add_images(name, images, step, **kwargs)

    def finish(self) -> None:
        """Writes all that was logged, and captured."""
        if self._steps is not None:
            self._steps.close()
            self._steps = None
        if self._writer is not None:
            self._writer.close()


def register() -> None:
    """Makes the tracker known by its name: Accelerator(log_with="stepscope", project_dir=…)."""
    load("accelerate.tracking", "accelerate").register_tracker_class(_tracker_class())


@functools.cache
def _tracker_class() -> type[_Tracker]:
    return derived(_Tracker, load("accelerate.tracking", "accelerate").GeneralTracker, "StepscopeTracker")


if TYPE_CHECKING:
    StepscopeTracker = _Tracker


def __getattr__(name: str) -> object:
    if name == "StepscopeTracker":
        return _tracker_class()
    raise attribute_error(__name__, name)
