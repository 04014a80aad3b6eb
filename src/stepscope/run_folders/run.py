"""One run: its folder, a writer each for training and validation, and what was recorded when it began."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from types import TracebackType
from typing import Any, Self, cast

from stepscope.run_folders.naming import make_folder, run_name
from stepscope.run_folders.provenance import provenance
from stepscope.writer.complaints import warn
from stepscope.writer.config import flat, settings_of
from stepscope.writer.folders import checked_folder
from stepscope.writer.hparams import FAILURE, SUCCESS, hparams_event, session_end, work_of
from stepscope.writer.summary import Deferred, moment_of
from stepscope.writer.summary_writer import SummaryWriter
from stepscope.writer.text import text_work

_PROVENANCE_BYTES = 1 << 14


def new_run(log_dir: str | os.PathLike[str] = "runs", /, config: object = None, **parameters: object) -> Run:
    """Starts a run in a new folder of log_dir, such as 2026-03-28_resnet50_lr0.001 for model="resnet50", lr=1e-3.

    The parameters name the folder; they and `config`, which may be nested, are logged as the run's configuration. Once per
    run: call it in one process only.
    """
    settings = {**({} if config is None else settings_of(config)), **parameters}
    flat(settings)  # What cannot be logged leaves no folder behind.
    started = datetime.now().astimezone()
    folder = make_folder(checked_folder(log_dir), run_name(started.date(), parameters))
    return Run(folder, settings, started)


class Run:
    """A run's folder with its writers. Closing it closes them and says how the run ended."""

    def __init__(self, log_dir: str, config: Mapping[str, Any], started: datetime) -> None:
        """Records what runs, and logs the configuration."""
        self.log_dir = log_dir
        self.name = os.path.basename(log_dir)
        self._writer = SummaryWriter(log_dir)
        self._config = dict(config)
        self._closed = False
        self._writer.put_event(_provenance_work(started))
        if self._config:
            self._writer.log_config(self._config)

    @cached_property
    def train(self) -> SummaryWriter:
        """The writer of what is measured in training."""
        return SummaryWriter(os.path.join(self.log_dir, "train"))

    @cached_property
    def validation(self) -> SummaryWriter:
        """The writer of what is measured on data that training does not see."""
        return SummaryWriter(os.path.join(self.log_dir, "validation"))

    def log_config(self, config: object) -> None:
        """Adds to the configuration and logs it again. TensorBoard's HParams shows what was logged first."""
        self._config.update(settings_of(config))
        self._writer.log_config(self._config)

    def flush(self) -> None:
        """Returns when all that was logged is in the files."""
        for writer in self._writers():
            writer.flush()

    def close(self) -> None:
        """Writes all that was logged, and marks the run as finished."""
        self._close(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes; a run that ended in an exception is marked as failed."""
        self._close(error)

    def __repr__(self) -> str:
        return f"Run({self.log_dir!r})"

    def _writers(self) -> list[SummaryWriter]:
        """Those that are in use; the folder's own last."""
        made = (cast("SummaryWriter | None", self.__dict__.get(name)) for name in ("train", "validation"))
        return [*(writer for writer in made if writer is not None), self._writer]

    def _close(self, error: BaseException | None) -> None:
        if self._closed:
            return
        self._closed = True
        if self._config:
            end = session_end(SUCCESS if error is None else FAILURE, time.time())
            self._writer.put_event(work_of(hparams_event("session_end_info", end, moment_of(0, None))))
        for writer in self._writers():
            writer.__exit__(type(error) if error else None, error, None)


def _provenance_work(started: datetime) -> Deferred:
    """What ran, found out by a thread of the writer: git and the packages' files are asked, which may take long."""
    folder, moment = _current_folder(), moment_of(0, None)
    return Deferred(lambda: text_work("run", _provenance(started, folder), moment).make(), _PROVENANCE_BYTES)


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # It is gone.
        return ""


def _provenance(started: datetime, folder: str) -> str:
    """No machine is so odd that its description may end a training."""
    try:
        return provenance(started, folder)
    except Exception as error:  # noqa: BLE001 (see above)
        warn("Could not record the command, host and git commit: %s", error)
        return f"Started {started.isoformat(timespec='seconds')}"
