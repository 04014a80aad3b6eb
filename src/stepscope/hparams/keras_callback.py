"""The Keras callback that writes a trial's hyperparameters when training begins, and its end when it ends."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any, Protocol, cast

from stepscope.hparams.trials import Hparams, trial_start, work_at
from stepscope.writer.hparams import SUCCESS, session_end
from stepscope.writer.summary import Deferred, moment_of
from stepscope.writer.summary_writer import SummaryWriter


class TakesEvents(Protocol):
    """A writer: SummaryWriter, or one of stepscope.summary."""

    def put_event(self, work: Deferred) -> None:
        """Logs an event."""
        ...


def _callback_class() -> type[Any]:
    try:
        return import_module("keras.callbacks").Callback
    except ImportError as error:
        raise ImportError("KerasCallback needs Keras, which is not installed: `pip install keras`.") from error


class KerasCallback(_callback_class()):
    """Logs hyperparameters along with one call of model.fit."""

    def __init__(self, writer: str | TakesEvents, hparams: Hparams, trial_id: str | None = None) -> None:
        """`writer` is a folder, a SummaryWriter or a writer of stepscope.summary; trial_id is that of hparams()."""
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._hparams = dict(hparams)
        self._trial_id = trial_id
        trial_start(self._hparams, trial_id, None)  # What is wrong with them is better heard now than after the data is loaded.
        self._own: SummaryWriter | None = None
        if isinstance(writer, str):
            self._own = SummaryWriter(writer)
        elif not callable(getattr(cast("object", writer), "put_event", None)):
            raise TypeError(f"Give writer as a folder or a writer of Stepscope, not as {type(cast('object', writer)).__name__}.")
        self._writer: TakesEvents | None = self._own or cast("TakesEvents", writer)

    def on_train_begin(self, logs: object = None) -> None:
        """Writes the hyperparameters."""
        del logs
        start = trial_start(self._hparams, self._trial_id, None)
        self._writer_of_session().put_event(work_at("session_start_info", start, moment_of(0, None)))

    def on_train_end(self, logs: object = None) -> None:
        """Writes that the trial has come to its end."""
        del logs
        end = session_end(SUCCESS, time.time())
        self._writer_of_session().put_event(work_at("session_end_info", end, moment_of(0, None)))
        self._writer = None
        if self._own is not None:
            self._own.close()

    def _writer_of_session(self) -> TakesEvents:
        if self._writer is None:
            raise RuntimeError("Create a new KerasCallback for each call of fit; this one has already been used.")
        return self._writer
