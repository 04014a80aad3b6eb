"""Audio summaries: one channel of samples, written as a WAV file of 16 bits."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from stepscope.writer.arrays import take
from stepscope.writer.complaints import warn_once
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, checked_tag, value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def audio_work(tag: object, samples: object, sample_rate: int, moment: Moment) -> Deferred:
    """The event of one sound; samples of int16 are written as they are, others lie between -1 and 1."""
    name = checked_tag(tag)
    array = take(samples, "the sound").squeeze()
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"Give a sound of one channel, with samples in one dimension; its shape is {array.shape}.")
    if not 0 < sample_rate < 1 << 31:
        raise ValueError(f"Give a sample rate above 0, not {sample_rate}.")
    rate = int(sample_rate)

    def make() -> bytes:
        audio = Message("Audio").single("sample_rate", rate).integer("num_channels", 1).integer("length_frames", array.size)
        audio.data("encoded_audio_string", wav(_as_int16(array, name), rate)).text("content_type", "audio/wav")
        return moment.event(value_of(name).message("audio", audio))

    return Deferred(make, array.nbytes)


def _as_int16(samples: NDArray[Any], name: str) -> NDArray[Any]:
    import numpy as np

    if samples.dtype == np.int16:
        return samples.astype("<i2", copy=False)
    if samples.dtype.kind != "f":
        samples = samples.astype(np.float64)
    known = np.nan_to_num(samples, nan=0.0)
    if abs(known).max() > 1:
        warn_once("The audio %s exceeds the range -1 to 1 and is clipped.", name)
        known = known.clip(-1, 1)
    return (known * np.iinfo(np.int16).max).astype("<i2")


def wav(samples: NDArray[Any], rate: int) -> bytes:
    """The file of samples of 16 bits: of one channel, or time × channels."""
    import wave

    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(samples.tobytes())
    return file.getvalue()
