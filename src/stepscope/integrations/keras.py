"""StepscopeCallback for Keras 3 on TensorFlow, JAX and torch: what keras.callbacks.TensorBoard logs, and more."""

from __future__ import annotations

import functools
import logging
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from stepscope.capture import SystemMonitor
from stepscope.capture.marked_steps import MarkedSteps
from stepscope.integrations.framework import attribute_error, derived, load
from stepscope.integrations.keras_batches import BatchSummaries
from stepscope.integrations.keras_profiling import Batches, batch_profile, checked_batches
from stepscope.integrations.keras_weights import Layer, Model, as_pictures, check_metadata, metadata_rows, named_weights
from stepscope.integrations.ranks import is_first
from stepscope.writer import SummaryWriter
from stepscope.writer.message import Message, utf8
from stepscope.writer.summary import Deferred, moment_of, string_tensor, value_of

_log = logging.getLogger("stepscope.integrations")

Logs = Mapping[str, Any] | None
_JSON_MODELS = ("Functional", "Sequential")


class _Callback:
    """Logs a training to <log_dir>/train and <log_dir>/validation, with the arguments and the tags of Keras's own callback.

    Beside those it logs, for each epoch, the learning rate, seconds, steps per second and examples per second, and, with
    system_every, the use of the machine every so many seconds. Of several processes only the first logs.
    """

    model: Model

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Literal["batch", "epoch"] | int = "epoch",
        profile_batch: Batches = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: str | Mapping[str, str] | None = None,
        *,
        system_every: float | None = None,
    ) -> None:
        """Takes what keras.callbacks.TensorBoard takes, in the same order."""
        super().__init__()
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = _checked_frequency(update_freq)
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self.system_every = system_every
        self._keras = load("keras", "keras")
        self._profiled = checked_batches(profile_batch)
        self._profile: MarkedSteps | None = None
        self._writers: dict[str, SummaryWriter] = {}
        self._monitor: SystemMonitor | None = None
        self._summaries: dict[str, BatchSummaries] = {}
        self._open: list[BatchSummaries] = []
        self._batch = 0
        self._test_batch = 0
        self._epoch = 0
        self._batch_began = self._epoch_began = self._trained_until = time.monotonic()
        self._steps_before = 0
        self._examples: float | None = None

    def set_model(self, model: Model) -> None:
        """Writes the architecture, and checks what names layers of it."""
        cast("Any", super()).set_model(model)
        if self.embeddings_freq:
            check_metadata(self.embeddings_metadata, [layer.name for layer in self._embedding_layers()])
        if self.write_graph and is_first():
            self._write_architecture()

    def on_train_begin(self, logs: Logs = None) -> None:
        """Counts batches from the start again, as Keras does."""
        del logs
        self._batch = 0
        self._close_summaries(0)
        self._open_summaries("train", lambda: self._batch)
        self._end_profile()
        self._profile = batch_profile(os.path.join(self.log_dir, "train"), self._profiled, self._keras.backend.backend())
        if self._monitor is not None:  # of a training that was interrupted
            self._monitor.close()
        if is_first() and self.system_every is not None:
            writer = self._writer("train")
            self._monitor = SystemMonitor(writer, self.system_every, step=lambda: self._batch, epoch=lambda: self._epoch)

    def on_train_end(self, logs: Logs = None) -> None:
        """Writes all that was logged."""
        del logs
        self._close_summaries(0)
        self._end_profile()
        for writer in self._writers.values():
            writer.close()

    def on_train_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """Starts the profiler when it is time."""
        del batch, logs
        self._batch += 1
        if self._open:
            self._open[-1].begin_batch()
        self._batch_began = time.monotonic()
        if self._profile is not None:
            self._profile.begin(self._batch)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Logs the batch's values, as often as update_freq says."""
        del batch
        self._trained_until = time.monotonic()
        if self._profile is not None:
            self._profile.end()
        if not is_first():
            return
        if self.update_freq == 0 or self._batch % self.update_freq:
            return
        if self.write_steps_per_second:
            seconds = max(self._trained_until - self._batch_began, 1e-9)
            self._writer("train").add_scalar("batch_steps_per_second", 1 / seconds, self._batch)
        for name, value in (logs or {}).items():
            self._writer("train").add_scalar(f"batch_{name}", value, self._batch)

    def on_test_begin(self, logs: Logs = None) -> None:
        """Validation sets the metrics back, so training's examples are counted before it."""
        del logs
        self._examples = self._examples_seen()
        self._open_summaries("validation", lambda: self._test_batch)

    def on_test_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """Counts the batches of all evaluations on, as Keras does."""
        del batch, logs
        self._test_batch += 1
        if self._open:
            self._open[-1].begin_batch()

    def on_test_end(self, logs: Logs = None) -> None:
        """Logs what an evaluation gave against the optimizer's steps."""
        self._close_summaries(len(self._open) - 1)
        steps = self._iterations()
        if not is_first() or steps is None:
            return
        for name, value in (logs or {}).items():
            self._writer("validation").add_scalar(f"evaluation_{name}_vs_iterations", value, steps)

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Remembers when the epoch began."""
        del logs
        self._epoch = epoch
        if self._profile is not None:
            self._profile.begin_epoch(epoch)
        self._examples = None
        self._steps_before = self._iterations() or 0
        self._epoch_began = self._trained_until = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Logs the epoch's metrics and rates, and weights and embeddings when it is their turn."""
        if not is_first():
            return
        train = {name: value for name, value in (logs or {}).items() if not name.startswith("val_")}
        for name, value in {**train, **self._learning_rates(), **self._rates()}.items():
            self._writer("train").add_scalar(f"epoch_{name}", value, epoch)
        self._writer("train").add_scalar("epoch", epoch, self._batch)
        for name, value in (logs or {}).items():
            if name.startswith("val_"):
                self._writer("validation").add_scalar(f"epoch_{name[4:]}", value, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._log_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._log_embeddings(epoch)

    def _end_profile(self) -> None:
        profile, self._profile = self._profile, None
        if profile is not None:
            profile.close()

    def _writer(self, name: str) -> SummaryWriter:
        if name not in self._writers:
            self._writers[name] = SummaryWriter(os.path.join(self.log_dir, name))
        return self._writers[name]

    def _open_summaries(self, name: str, batch: Callable[[], int]) -> None:
        """With update_freq by batches, what the model itself logs with stepscope.summary is part of the training's log."""
        if self.update_freq and is_first():
            if name not in self._summaries:
                self._summaries[name] = BatchSummaries(self._writer(name), self.update_freq, batch, self._keras.backend.backend())
            self._summaries[name].open()
            self._open.append(self._summaries[name])

    def _close_summaries(self, left: int) -> None:
        while len(self._open) > max(left, 0):
            self._open.pop().close()

    def _iterations(self) -> int | None:
        """The optimizer's steps so far, or None without an optimizer."""
        variable = getattr(self.model.optimizer, "iterations", None)
        return None if variable is None else int(self._keras.ops.convert_to_numpy(variable))

    def _examples_seen(self) -> float | None:
        """Keras weighs the loss by the batch's size, so what has been weighed are the examples since the last reset."""
        count = getattr(getattr(self.model, "_loss_tracker", None), "count", None)
        return None if count is None else float(self._keras.ops.convert_to_numpy(count))

    def _learning_rates(self) -> dict[str, float]:
        optimizer = getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
        several = getattr(optimizer, "optimizers", None)
        named = {"learning_rate": optimizer} if several is None else {f"learning_rate_{each.name}": each for each in several}
        found = {name: getattr(each, "learning_rate", None) for name, each in named.items()}
        return {name: float(self._keras.ops.convert_to_numpy(rate)) for name, rate in found.items() if rate is not None}

    def _rates(self) -> dict[str, float]:
        """Steps per second count validation's time too, as Keras's do; examples per second only that of training."""
        seconds = max(time.monotonic() - self._epoch_began, 1e-9)
        training = max(self._trained_until - self._epoch_began, 1e-9)
        examples = self._examples_seen() if self._examples is None else self._examples
        steps = (self._iterations() or 0) - self._steps_before
        rates = {"seconds": seconds, "steps_per_second": steps / seconds}
        return rates | ({"examples_per_second": examples / training} if examples else {})

    def _write_architecture(self) -> None:
        """As the graph of layers, which TensorBoard draws from Keras's JSON."""
        if type(self.model).__name__ not in _JSON_MODELS:
            return
        try:
            text = self.model.to_json()
        except Exception as error:  # noqa: BLE001 (any layer may have any get_config)
            _log.warning("The model's architecture is left out of the log: %s: %s", type(error).__name__, error)
            return
        moment = moment_of(0, None)
        data = Message("PluginData").text("plugin_name", "graph_keras_model").data("content", b"1")
        value = value_of("keras").message("metadata", Message("SummaryMetadata").message("plugin_data", data))
        event = moment.event(value.message("tensor", string_tensor([utf8(text)], [])))
        self._writer("train").put_event(Deferred(lambda: event, len(event)))

    def _log_weights(self, epoch: int) -> None:
        writer = self._writer("train")
        for name, weight in named_weights(self.model):
            values = self._keras.ops.convert_to_numpy(weight)
            writer.add_histogram(f"{name}/histogram", values, epoch)
            if self.write_images:
                pictures = as_pictures(values, self._keras.config.image_data_format() == "channels_last")
                if pictures is not None:
                    writer.add_images(f"{name}/image", pictures, epoch, dataformats="NHWC")

    def _embedding_layers(self) -> list[Layer]:
        return [layer for layer in self.model.layers if isinstance(layer, self._keras.layers.Embedding)]

    def _log_embeddings(self, epoch: int) -> None:
        for layer in self._embedding_layers():
            vectors = self._keras.ops.convert_to_numpy(cast("Any", layer).embeddings)
            chosen = self.embeddings_metadata
            file = chosen if isinstance(chosen, str) or chosen is None else chosen.get(layer.name)
            rows, header = metadata_rows(self.log_dir, file, len(vectors))
            self._writer("train").add_embedding(vectors, rows, None, epoch, layer.name, header)


def _checked_frequency(update_freq: str | int) -> int:
    """Batches between two points; 0 is none, as by epoch."""
    if update_freq in ("batch", "epoch"):
        return 1 if update_freq == "batch" else 0
    if not isinstance(update_freq, int) or update_freq < 1:
        raise ValueError(f'Give update_freq as "batch", "epoch" or a number of batches, not as {update_freq!r}.')
    return update_freq


@functools.cache
def _callback_class() -> type[_Callback]:
    return derived(_Callback, load("keras", "keras").callbacks.Callback, "StepscopeCallback")


if TYPE_CHECKING:
    StepscopeCallback = _Callback


def __getattr__(name: str) -> object:
    if name == "StepscopeCallback":
        return _callback_class()
    raise attribute_error(__name__, name)
