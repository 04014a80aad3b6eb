"""What stepscope.open returns beside scalars: images, sounds and tensors that are read and decoded when asked for, and new points."""

from __future__ import annotations

import importlib
import io
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from stepscope.data_frames import arrow_table, pandas_frame, polars_frame
from stepscope.model.errors import NeedsExtra, NotThere
from stepscope.model.protobuf_fields import BadMessage
from stepscope.queries.audio_values import audio_value
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.image_encoding import check_image, content_type
from stepscope.queries.image_values import image_value
from stepscope.queries.png_pixels import Interlaced, png_pixels
from stepscope.queries.tensor_message import value_tensor

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_Value = TypeVar("_Value")
_WIDTHS = {1: "u1", 2: "<i2", 4: "<i4"}


@dataclass(frozen=True, slots=True)
class Update:
    """Points of one series that were written since the last look."""

    run: str
    tag: str
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.step)


class LoggedSeries(Sequence[_Value], Generic[_Value]):
    """The steps of a series that is no scalar; a value is read from its file when it is asked for."""

    def __init__(
        self, tag: str, blobs: BlobReader, series: BlobSeries, made: Callable[[int, float, BlobReader, BlobSeries, int], _Value]
    ) -> None:
        self.tag = tag
        self.step: NDArray[np.int64] = series.step
        self.wall_time: NDArray[np.float64] = series.wall
        self._blobs, self._series, self._made = blobs, series, made

    def __len__(self) -> int:
        return len(self.step)

    @overload
    def __getitem__(self, key: int) -> _Value: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[_Value]: ...
    def __getitem__(self, key: int | slice) -> _Value | Sequence[_Value]:
        if isinstance(key, slice):
            return [self[place] for place in range(*key.indices(len(self)))]
        place = range(len(self))[key]
        return self._made(int(self.step[place]), float(self.wall_time[place]), self._blobs, self._series, place)

    def at(self, step: int) -> _Value:
        """The value of a step. Raises NotThere."""
        return self[self._series.find(float(step), None)]

    def __repr__(self) -> str:
        return f"<{self.tag!r}: {len(self)} steps>"


class LoggedImage:
    """The images of one step."""

    def __init__(self, step: int, wall_time: float, blobs: BlobReader, series: BlobSeries, place: int) -> None:
        self.step, self.wall_time = step, wall_time
        self._value = image_value(blobs.read(series, place))

    def __len__(self) -> int:
        return len(self._value.samples)

    def encoded(self, sample: int = 0) -> bytes:
        """The file of one of them, as it was logged. Raises NotThere."""
        return self._value.sample(sample)

    def array(self, sample: int = 0) -> NDArray[Any]:
        """Its pixels: rows, columns and channels (none for grey). Raises NotThere, or NeedsExtra for what only Pillow decodes."""
        data = self.encoded(sample)
        if content_type(data) == "image/png":
            try:
                return png_pixels(data)
            except Interlaced:
                pass
        return _with_pillow(data)


class LoggedAudio:
    """The sounds of one step."""

    def __init__(self, step: int, wall_time: float, blobs: BlobReader, series: BlobSeries, place: int) -> None:
        self.step, self.wall_time = step, wall_time
        self._value = audio_value(blobs.read(series, place))

    def __len__(self) -> int:
        return len(self._value.samples)

    def encoded(self, sample: int = 0) -> bytes:
        """The file of one of them, as it was logged. Raises NotThere."""
        return self._value.sample(sample)[0]

    def array(self, sample: int = 0) -> tuple[NDArray[Any], int]:
        """Its samples (frames by channels, as integers), and how many there are in a second. Raises NotThere when it is no WAV file."""
        try:
            with wave.open(io.BytesIO(self.encoded(sample)), "rb") as file:
                width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
                data = file.readframes(file.getnframes())
        except (wave.Error, EOFError) as problem:
            raise NotThere(
                f"This audio is not a WAV file that can be decoded ({problem}); `encoded` has its bytes.", "bad_audio"
            ) from problem
        if width == 3:  # numpy has no such number: it becomes the upper bytes of a wider one
            wide = np.zeros((len(data) // 3, 4), np.uint8)
            wide[:, 1:] = np.frombuffer(data[: len(data) // 3 * 3], np.uint8).reshape(-1, 3)
            data, width = (wide.view("<i4") >> 8).tobytes(), 4
        whole = len(data) // (width * channels) * width * channels
        return np.frombuffer(data[:whole], _WIDTHS[width]).reshape(-1, channels), rate


class LoggedTensor:
    """The tensor of one step, of any plugin."""

    def __init__(self, step: int, wall_time: float, blobs: BlobReader, series: BlobSeries, place: int) -> None:
        self.step, self.wall_time = step, wall_time
        self._value = blobs.read_value(series, place)

    def array(self) -> NDArray[Any]:
        """Its numbers; strings are bytes objects. Raises NotThere when the value has none."""
        try:
            tensor = value_tensor(self._value)
            if tensor is None:
                raise NotThere("This value is not a tensor.", "bad_tensor")
            return tensor.numpy()
        except BadMessage as problem:
            raise NotThere(f"The tensor cannot be decoded: {problem}.", "bad_tensor") from problem


class HparamsTable:
    """Hyperparameters of the runs that logged any, a row for each; None where a run has none of that name."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns["run"])

    def to_pandas(self) -> pd.DataFrame:
        """As a pandas data frame."""
        return pandas_frame(self.columns)

    def to_polars(self) -> pl.DataFrame:
        """As a polars data frame. Columns with values of several types are text."""
        return polars_frame({name: _one_type(values) for name, values in self.columns.items()})

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """As an Arrow table. Columns with values of several types are text."""
        return arrow_table({name: _one_type(values) for name, values in self.columns.items()})

    def __repr__(self) -> str:
        return f"<hyperparameters of {len(self)} runs: {', '.join(list(self.columns)[1:])}>"


def _one_type(values: list[object]) -> list[object]:
    kinds: set[type] = {type(value) for value in values if value is not None}
    return values if len(kinds) < 2 else [None if value is None else str(value) for value in values]


def _with_pillow(data: bytes) -> NDArray[Any]:
    check_image(data, content_type(data))
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError:
        raise NeedsExtra(f"Install Pillow to decode {content_type(data)}; `encoded` has the bytes.", "needs_extra") from None
    try:
        with pillow.open(io.BytesIO(data)) as image:
            return np.asarray(image)
    except (OSError, ValueError) as problem:
        raise NotThere(f"The image cannot be decoded: {problem}.", "bad_image") from problem
