"""StepscopeCallback for Keras 3 on TensorFlow, JAX and torch: what keras.callbacks.TensorBoard logs, and more."""

from __future__ import annotations

import functools
import logging
import os
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from stepscope.capture import SystemMonitor
from stepscope.integrations.framework import attribute_error, derived, load
from stepscope.integrations.keras_profiling import Batches, BatchProfile
from stepscope.integrations.ranks import is_first
from stepscope.writer import SummaryWriter
from stepscope.writer.message import Message, utf8
from stepscope.writer.summary import Deferred, moment_of, string_tensor, value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_log = logging.getLogger("stepscope.integrations")

Logs = Mapping[str, Any] | None
_JSON_MODELS = ("Functional", "Sequential")
_MOST_METADATA_BYTES = 64 << 20


class Variable(Protocol):
    """A variable of Keras's."""

    path: str


class Layer(Protocol):
    """A layer of Keras's."""

    name: str
    weights: list[Variable]


class Model(Protocol):
    """The part of a Keras model that is used."""

    layers: list[Layer]
    optimizer: Any

    def to_json(self) -> str:
        """The architecture."""
        ...


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
        self._profile = BatchProfile(profile_batch, self._keras.backend.backend)
        self._writers: dict[str, SummaryWriter] = {}
        self._monitor: SystemMonitor | None = None
        self._batch = 0
        self._epoch = 0
        self._batch_began = self._epoch_began = self._trained_until = time.monotonic()
        self._steps_before = 0
        self._examples: float | None = None

    def set_model(self, model: Model) -> None:
        """Writes the architecture, and checks what names layers of it."""
        cast("Any", super()).set_model(model)
        if self.embeddings_freq:
            _check_metadata(self.embeddings_metadata, [layer.name for layer in self._embedding_layers()])
        if self.write_graph and is_first():
            self._write_architecture()

    def on_train_begin(self, logs: Logs = None) -> None:
        """Counts batches from the start again, as Keras does."""
        del logs
        self._batch = 0
        if self._monitor is not None:  # of a training that was interrupted
            self._monitor.close()
        if is_first() and self.system_every is not None:
            writer = self._writer("train")
            self._monitor = SystemMonitor(writer, self.system_every, step=lambda: self._batch, epoch=lambda: self._epoch)

    def on_train_end(self, logs: Logs = None) -> None:
        """Writes all that was logged."""
        del logs
        self._profile.close()
        for writer in self._writers.values():
            writer.close()

    def on_train_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """Starts the profiler when it is time."""
        del batch, logs
        self._batch += 1
        self._batch_began = time.monotonic()
        self._profile.begin_batch(self._batch, os.path.join(self.log_dir, "train"))

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Logs the batch's values, as often as update_freq says."""
        del batch
        self._trained_until = time.monotonic()
        self._profile.end_batch(self._batch)
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

    def on_test_end(self, logs: Logs = None) -> None:
        """Logs what an evaluation gave against the optimizer's steps."""
        steps = self._iterations()
        if not is_first() or steps is None:
            return
        for name, value in (logs or {}).items():
            self._writer("validation").add_scalar(f"evaluation_{name}_vs_iterations", value, steps)

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Remembers when the epoch began."""
        del logs
        self._epoch = epoch
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

    def _writer(self, name: str) -> SummaryWriter:
        if name not in self._writers:
            self._writers[name] = SummaryWriter(os.path.join(self.log_dir, name))
        return self._writers[name]

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
        for name, weight in _named_weights(self.model):
            values = self._keras.ops.convert_to_numpy(weight)
            writer.add_histogram(f"{name}/histogram", values, epoch)
            if self.write_images:
                pictures = _as_pictures(values, self._keras.config.image_data_format() == "channels_last")
                if pictures is not None:
                    writer.add_images(f"{name}/image", pictures, epoch, dataformats="NHWC")

    def _embedding_layers(self) -> list[Layer]:
        return [layer for layer in self.model.layers if isinstance(layer, self._keras.layers.Embedding)]

    def _log_embeddings(self, epoch: int) -> None:
        for layer in self._embedding_layers():
            vectors = self._keras.ops.convert_to_numpy(cast("Any", layer).embeddings)
            chosen = self.embeddings_metadata
            file = chosen if isinstance(chosen, str) or chosen is None else chosen.get(layer.name)
            rows, header = _metadata_rows(self.log_dir, file, len(vectors))
            self._writer("train").add_embedding(vectors, rows, None, epoch, layer.name, header)


def _checked_frequency(update_freq: str | int) -> int:
    """Batches between two points; 0 is none, as by epoch."""
    if update_freq in ("batch", "epoch"):
        return 1 if update_freq == "batch" else 0
    if not isinstance(update_freq, int) or update_freq < 1:
        raise ValueError(f'Give update_freq as "batch", "epoch" or a number of batches, not as {update_freq!r}.')
    return update_freq


def _named_weights(model: Model) -> Iterator[tuple[str, Variable]]:
    """By path, which unlike the name is different for each variable; where layers share a name, they are numbered."""
    used: dict[str, int] = {}
    seen: set[int] = set()
    for weight in (weight for layer in model.layers for weight in layer.weights):
        if id(weight) in seen:  # of a layer that is used in two places
            continue
        seen.add(id(weight))
        name = weight.path.replace(":", "_")
        used[name] = used.get(name, 0) + 1
        yield (name if used[name] == 1 else f"{name}_{used[name] - 1}"), weight


def _as_pictures(values: NDArray[Any], channels_last: bool) -> NDArray[Any] | None:
    """N×H×W×1 as Keras shows weights: a vector as a column, a matrix lying down, each channel of a kernel; else None."""
    array = values.squeeze()
    if array.ndim == 1:
        return array.reshape(1, -1, 1, 1)
    if array.ndim == 2:
        return (array.T if array.shape[0] > array.shape[1] else array)[None, :, :, None]
    if array.ndim == 3:
        return (array.transpose(2, 0, 1) if channels_last else array)[:, :, :, None]
    return None


def _check_metadata(metadata: str | Mapping[str, str] | None, layers: list[str]) -> None:
    unknown = [] if metadata is None or isinstance(metadata, str) else sorted(set(metadata) - set(layers))
    if unknown:
        raise ValueError(f"Give embeddings_metadata for embedding layers; the model has none named {', '.join(unknown)}.")


def _metadata_rows(folder: str, file: str | None, points: int) -> tuple[list[Any] | None, list[str] | None]:
    """The file's rows and its header, which a file of several columns has, as the projector's do."""
    if file is None:
        return None, None
    path = os.path.join(folder, file)
    try:
        with open(path, encoding="utf-8", errors="replace") as opened:
            lines = opened.read(_MOST_METADATA_BYTES).splitlines()
    except OSError as error:
        _log.warning("Embeddings are logged without %s: %s", path, error.strerror or error)
        return None, None
    rows = [line.split("\t") for line in lines]
    header = rows.pop(0) if rows and len(rows[0]) > 1 else None
    if len(rows) != points or (header and any(len(row) != len(header) for row in rows)):
        _log.warning("Embeddings are logged without %s: it has %d rows for %d vectors.", path, len(rows), points)
        return None, None
    return (rows if header else [row[0] for row in rows]), header


@functools.cache
def _callback_class() -> type[_Callback]:
    return derived(_Callback, load("keras", "keras").callbacks.Callback, "StepscopeCallback")


if TYPE_CHECKING:
    StepscopeCallback = _Callback


def __getattr__(name: str) -> object:
    if name == "StepscopeCallback":
        return _callback_class()
    raise attribute_error(__name__, name)
