"""For PyTorch Lightning: StepscopeLogger, with the folders and the tags of its TensorBoardLogger, and StepscopeProfiling."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, cast

from stepscope.capture import SystemMonitor
from stepscope.capture.environment import VARIABLE
from stepscope.capture.marked_steps import MarkedSteps
from stepscope.capture.profile import Capture, profile
from stepscope.integrations.framework import attribute_error, derived, load
from stepscope.integrations.hyperparameters import log_hyperparameters, settings_of
from stepscope.writer import SummaryWriter

HPARAMS_FILE = "hparams.yaml"


class _Module(Protocol):
    """The part of a LightningModule that is used."""

    example_input_array: object

    def _on_before_batch_transfer(self, batch: object) -> object: ...
    def _apply_batch_transfer_handler(self, batch: object) -> object: ...


class _Logger:
    """Logs a training to <save_dir>/<name>/version_<n>, with the arguments of Lightning's TensorBoardLogger.

    With system_every, the use of the machine is logged every so many seconds. Further arguments are SummaryWriter's. Only
    the first of several processes logs.
    """

    experiment: SummaryWriter

    def __init__(
        self,
        save_dir: str | os.PathLike[str],
        name: str | None = "lightning_logs",
        version: int | str | None = None,
        log_graph: bool = False,
        default_hp_metric: bool = True,
        prefix: str = "",
        sub_dir: str | os.PathLike[str] | None = None,
        *,
        system_every: float | None = None,
        **writer_arguments: object,
    ) -> None:
        """Takes what TensorBoardLogger takes, in the same order. Nothing is written before the first value."""
        super().__init__()
        self._save_dir = os.fspath(save_dir)
        self._name = name or ""
        self._version = version
        self._sub_dir = None if sub_dir is None else os.fspath(sub_dir)
        self._with_graph = log_graph
        self._default_hp_metric = default_hp_metric
        self._prefix = prefix
        self._system_every = system_every
        self._writer_arguments = writer_arguments
        self._writer: SummaryWriter | None = None
        self.hparams: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The folder of all versions."""
        return self._name

    @property
    def version(self) -> int | str:
        """The one that was asked for, or the next that is free."""
        if self._version is None:
            self._version = _next_version(self.root_dir)
        return self._version

    @property
    def save_dir(self) -> str:
        """Where checkpoints go, too."""
        return self._save_dir

    @property
    def root_dir(self) -> str:
        """The folder of all versions, with where it is."""
        return os.path.join(self._save_dir, self._name)

    @property
    def sub_dir(self) -> str | None:
        """A folder inside that of the version."""
        return self._sub_dir

    @property
    def log_dir(self) -> str:
        """Where the event files are."""
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        folder = os.path.join(self.root_dir, version, *([] if self._sub_dir is None else [self._sub_dir]))
        return os.path.expanduser(os.path.expandvars(folder))

    def _opened(self) -> SummaryWriter:
        """The writer, for all that it can log beside metrics."""
        if self._writer is None:
            self._writer = SummaryWriter(self.log_dir, **cast("dict[str, Any]", self._writer_arguments))
            if self._system_every is not None:
                SystemMonitor(self._writer, self._system_every)
        return self._writer

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Logs numbers; a dictionary makes one chart of several lines."""
        if not _is_first():
            return
        for name, value in metrics.items():
            tag = f"{self._prefix}-{name}" if self._prefix else name
            if isinstance(value, dict):
                self._opened().add_scalars(tag, cast("dict[str, SupportsFloat]", value), step)
            else:
                self._opened().add_scalar(tag, value, step)

    def log_hyperparams(self, params: object, metrics: object = None, step: int | None = None) -> None:
        """Logs what the run was started with, and the metrics to compare it by."""
        if not _is_first():
            return
        settings = settings_of(params)
        self.hparams.update(settings)
        if metrics is None:
            metrics = {"hp_metric": -1} if self._default_hp_metric else {}
        elif not isinstance(metrics, dict):
            metrics = {"hp_metric": metrics}
        chosen = cast("dict[str, SupportsFloat]", metrics)
        if chosen:
            self.log_metrics(chosen, step)
            log_hyperparameters(self._opened(), settings, chosen, step)

    def log_graph(self, model: _Module, input_array: object = None) -> None:
        """Logs the model's graph when log_graph was asked for and there is an example of its input."""
        example = model.example_input_array if input_array is None else input_array
        if not (self._with_graph and _is_first()) or example is None:
            return
        moved = model._apply_batch_transfer_handler(model._on_before_batch_transfer(example))  # pyright: ignore[reportPrivateUsage]
        self._opened().add_graph(model, moved)

    def save(self) -> None:
        """Writes what was logged so far, and the hyperparameters as hparams.yaml."""
        if not _is_first():
            return
        self._opened().flush()
        path = os.path.join(self.log_dir, HPARAMS_FILE)
        if os.path.isdir(self.log_dir) and not os.path.isfile(path):
            load(f"{_package()}.core.saving", "lightning").save_hparams_to_yaml(path, self.hparams)

    def finalize(self, status: str) -> None:
        """Writes all that was logged; a training that failed is not marked as finished."""
        if not _is_first() or self._writer is None:
            return
        if status == "success":
            self.save()
            self._writer.close()
        else:
            error = RuntimeError(status)
            self._writer.__exit__(RuntimeError, error, None)

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process opens a writer of its own."""
        return {**self.__dict__, "_writer": None}


class _Training(Protocol):
    """The part of a Trainer that is used."""

    global_step: int
    current_epoch: int
    log_dir: str | None
    default_root_dir: str


class _Profiling:
    """Captures steps of a training: those of the arguments, which are stepscope.profile's, or else those of STEPSCOPE_PROFILE.

    Steps have the numbers that Lightning logs with, from 0. The profile is in the folder of the first logger, or in the trainer's.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 (those of stepscope.profile)
        """Touches nothing before training begins."""
        super().__init__()
        self._options = options
        self._steps: MarkedSteps | None = None

    def on_train_start(self, trainer: _Training, pl_module: object) -> None:
        """Starts the capture."""
        del pl_module
        folder = trainer.log_dir or trainer.default_root_dir
        if self._options:
            self._steps = MarkedSteps(self._capture(folder))
        else:
            self._steps = MarkedSteps.from_environment(folder, "torch")

    def _capture(self, folder: str) -> Capture:
        options: dict[str, Any] = {"framework": "torch", **self._options}
        return profile(folder, **options)

    def on_train_epoch_start(self, trainer: _Training, pl_module: object) -> None:
        """Epochs can be chosen, too."""
        del pl_module
        if self._steps is not None:
            self._steps.begin_epoch(trainer.current_epoch)

    def on_train_batch_start(self, trainer: _Training, pl_module: object, batch: object, batch_idx: int) -> None:
        """Begins a step."""
        del pl_module, batch, batch_idx
        if self._steps is not None:
            self._steps.begin(trainer.global_step)

    def on_train_batch_end(self, trainer: _Training, pl_module: object, outputs: object, batch: object, batch_idx: int) -> None:
        """Ends it."""
        del trainer, pl_module, outputs, batch, batch_idx
        if self._steps is not None:
            self._steps.end()

    def on_train_end(self, trainer: _Training, pl_module: object) -> None:
        """Saves the profile."""
        del trainer, pl_module
        self._close()

    def on_exception(self, trainer: _Training, pl_module: object, exception: BaseException) -> None:
        """Saves what there is."""
        del trainer, pl_module, exception
        self._close()

    def _close(self) -> None:
        if self._steps is not None:
            self._steps.close()
            self._steps = None


def callbacks_from_environment() -> list[object]:
    """What Lightning adds to every Trainer, by an entry point of this package: profiling, where STEPSCOPE_PROFILE asks for it."""
    return [_profiling_class()()] if os.environ.get(VARIABLE, "").strip() else []


def _next_version(folder: str) -> int:
    try:
        found = [re.fullmatch(r"version_(\d+)", entry.name) for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return 0
    return max((int(match[1]) for match in found if match), default=-1) + 1


def _package() -> str:
    """Lightning comes under two names, whose classes do not know each other: the one in use counts."""
    return "pytorch_lightning" if "pytorch_lightning" in sys.modules else "lightning.pytorch"


def _is_first() -> bool:
    """Lightning knows which process this is before torch does."""
    return load(f"{_package()}.utilities.rank_zero", "lightning").rank_zero_only.rank == 0


@functools.cache
def _logger_class() -> type[_Logger]:
    loggers = load(f"{_package()}.loggers.logger", "lightning")
    experiment = property(loggers.rank_zero_experiment(_Logger._opened))  # pyright: ignore[reportPrivateUsage]
    return derived(_Logger, loggers.Logger, "StepscopeLogger", experiment=experiment)


@functools.cache
def _profiling_class() -> type[_Profiling]:
    return derived(_Profiling, load(f"{_package()}.callbacks", "lightning").Callback, "StepscopeProfiling")


if TYPE_CHECKING:
    StepscopeLogger = _Logger
    StepscopeProfiling = _Profiling


def __getattr__(name: str) -> object:
    if name == "StepscopeLogger":
        return _logger_class()
    if name == "StepscopeProfiling":
        return _profiling_class()
    raise attribute_error(__name__, name)
