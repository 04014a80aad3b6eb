"""Events as TensorFlow 2 writes them: every kind is a tensor with metadata that names its plugin."""

from __future__ import annotations

import math
import struct
from sys import modules
from typing import TYPE_CHECKING, Any, cast

from stepscope.writer.arrays import take
from stepscope.writer.audio import wav
from stepscope.writer.histogram import NonFinite
from stepscope.writer.message import Message, utf8
from stepscope.writer.scalar import as_float
from stepscope.writer.summary import FLOAT, Deferred, Moment, shape_of, string_tensor, value_of
from stepscope.writer.tensor import tensor_maker

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_BUCKETS = 30
_MOST_BUCKETS = 100_000
_DOUBLE = 2
_non_finite = NonFinite()


def tensor_event(tag: str, metadata: bytes, moment: Moment, tensor: Message) -> bytes:
    """The event of one tensor."""
    return moment.event(value_of(tag).message("tensor", tensor).data("metadata", metadata))


def scalar_work(tag: str, metadata: bytes, moment: Moment, value: object) -> Deferred:
    """One number, where its metadata says more than the plugin's name."""
    number = as_float(value)
    try:
        content = struct.pack("<f", number)
    except OverflowError:  # Beyond the largest float of 32 bits.
        content = struct.pack("<f", math.copysign(math.inf, number))
    tensor = Message("TensorProto").integer("dtype", FLOAT).message("tensor_shape", shape_of([])).data("tensor_content", content)
    event = tensor_event(tag, metadata, moment, tensor)
    return Deferred(lambda: event, len(event))


def histogram_work(tag: str, metadata: bytes, moment: Moment, values: object, buckets: Any = None) -> Deferred:  # noqa: ANN401
    """The values' numbers in buckets of equal width, as rows of left edge, right edge and count."""
    number = DEFAULT_BUCKETS if buckets is None else max(0, int(buckets))
    if number > _MOST_BUCKETS:
        raise ValueError(f"Give at most {_MOST_BUCKETS} buckets, not {number}.")
    array = take(dense(values), "the values").reshape(-1)

    def make() -> bytes:
        rows = _rows(tag, array, number)
        tensor = Message("TensorProto").integer("dtype", _DOUBLE).message("tensor_shape", shape_of(rows.shape))
        return tensor_event(tag, metadata, moment, tensor.data("tensor_content", rows.astype("<f8", copy=False).tobytes()))

    return Deferred(make, array.nbytes)


def audio_work(tag: str, metadata: bytes, moment: Moment, sounds: Any, sample_rate: Any, max_outputs: Any) -> Deferred:  # noqa: ANN401
    """Sounds × time × channels of numbers between -1 and 1, each as a WAV file beside an empty label."""
    array = take(limited(sounds, max_outputs, 3), "the sounds")
    check_sounds(array.shape)
    rate = int(sample_rate)
    if not 0 < rate < 1 << 31:
        raise ValueError(f"Give a sample rate above 0, not {rate}.")

    def make() -> bytes:
        files = [file for sound in array for file in (wav(_samples(sound), rate), b"")]
        return tensor_event(tag, metadata, moment, string_tensor(files, [len(array), 2]))

    return Deferred(make, array.nbytes)


def text_work(tag: str, metadata: bytes, moment: Moment, text: object) -> Deferred:
    """Strings of any shape."""
    tensor = string_message(text)
    event = tensor_event(tag, metadata, moment, tensor)
    return Deferred(lambda: event, len(event))


def any_work(tag: str, metadata: bytes, moment: Moment, tensor: object) -> Deferred:
    """A tensor of any type for any plugin."""
    if _is_text(tensor):
        return text_work(tag, metadata, moment, tensor)
    make, held_bytes = tensor_maker(_as_tensorflow_types(tensor))
    return Deferred(lambda: tensor_event(tag, metadata, moment, make()), held_bytes)


def dense(values: object) -> object:
    """What TensorFlow keeps in a form of its own, such as the gradient of an embedding, as a tensor."""
    tensorflow: Any = modules.get("tensorflow")
    if tensorflow is None or hasattr(values, "__array__") or not type(values).__module__.startswith("tensorflow."):
        return values
    return tensorflow.convert_to_tensor(values)


def limited(values: Any, most: Any, rank: int) -> object:  # noqa: ANN401 (arrays of any framework)
    """The first so many of a batch, so that no others are copied."""
    number = int(most)
    if number < 0:
        raise ValueError(f"Give max_outputs of at least 0, not {number}.")
    batch: Any = dense(values)
    is_batch = isinstance(batch, list | tuple) or len(getattr(batch, "shape", ())) == rank
    return cast("object", batch[:number] if is_batch else batch)


def check_sounds(shape: tuple[int | None, ...]) -> None:
    """Refuses what is no batch of sounds."""
    if len(shape) != 3 or shape[2] == 0:
        raise ValueError(f"Give sounds of the shape (number, time, channels), not {shape}.")


def string_message(text: object) -> Message:
    """A tensor of strings, given as one, as nested lists or as an array of any framework."""
    if isinstance(text, str | bytes):
        return string_tensor([_encoded(text)], [])
    import numpy as np

    is_list = isinstance(text, list | tuple)
    array: NDArray[Any] = np.array(text, dtype=object if is_list else None)
    if array.dtype.kind not in "OSU":
        raise TypeError(f"Give the text as strings, not as {type(text).__name__} of {array.dtype.name}.")
    return string_tensor([_encoded(each) for each in array.reshape(-1).tolist()], array.shape)


def _encoded(text: object) -> bytes:
    if not isinstance(text, str | bytes):
        raise TypeError(f"Give the text as strings, not as {type(text).__name__}.")
    return utf8(text) if isinstance(text, str) else text


def _is_text(tensor: object) -> bool:
    first = tensor
    while isinstance(first, list | tuple) and first:
        first = cast("object", first[0])
    if isinstance(first, str | bytes):
        return True
    dtype = getattr(tensor, "dtype", None)
    return getattr(dtype, "kind", "") in ("O", "S", "U") or getattr(dtype, "name", "") == "string"


def _as_tensorflow_types(tensor: object) -> object:
    """Plain numbers get the types that TensorFlow gives them; arrays keep theirs."""
    if not isinstance(tensor, bool | int | float | list | tuple):
        return dense(tensor)
    import numpy as np

    array: NDArray[Any] = np.asarray(tensor)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    fits = array.dtype == np.int64 and bool((np.abs(array) < 1 << 31).all())
    return array.astype(np.int32) if fits else array


def _rows(tag: str, array: NDArray[Any], buckets: int) -> NDArray[Any]:
    import numpy as np

    from stepscope._native import even_histogram

    usable = array if array.dtype.name in ("float32", "float64") else array.astype(np.float64)
    counts, low, high, finite, left_out = even_histogram(np.ascontiguousarray(usable), buckets)
    _non_finite.add(tag, left_out, array.size)
    if finite == 0 or buckets == 0:
        return np.zeros((buckets, 3))
    edges = np.linspace(low, high, buckets + 1) if np.isfinite(high - low) else 2 * np.linspace(low / 2, high / 2, buckets + 1)
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)


def _samples(sound: NDArray[Any]) -> NDArray[Any]:
    """Samples of 16 bits, rounded as TensorFlow does: halves away from zero."""
    import numpy as np

    if sound.dtype == np.int16:
        return sound.astype("<i2", copy=False)
    scaled = np.nan_to_num(sound.astype(np.float32), nan=0.0) * np.float32(1 << 15)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    return np.clip(rounded, -(1 << 15), (1 << 15) - 1).astype("<i2")
