"""Sound out of summary values: one of the old message, or all of a string tensor with their labels."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope._native import WIRE
from stepscope.model.errors import NotThere
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.blobs import Outline, Payload

_PAIRS = 2
"""A tensor of two columns has a label beside each sound."""


@dataclass(frozen=True, slots=True)
class AudioValue:
    """Encoded sounds of one value; labels are empty where there are none."""

    samples: tuple[bytes, ...]
    labels: tuple[str, ...]

    def sample(self, number: int) -> tuple[bytes, str]:
        """One of the sounds with its label. Raises NotThere."""
        if number >= len(self.samples):
            raise NotThere(f"This value has {len(self.samples)} audio samples; number {number} does not exist.", "unknown_sample")
        return self.samples[number], self.labels[number]


def audio_value(payload: Payload) -> AudioValue:
    """The sounds of a value. Raises NotThere when it holds none."""
    if payload.message is not None:
        return AudioValue((_of_message(payload.message.data),), ("",))
    if not payload.strings:
        raise NotThere("This value is not audio: its tensor contains no strings.", "bad_audio")
    if _has_labels(payload.shape, len(payload.strings)):
        labels = tuple(label.decode("utf-8", "replace") for label in payload.strings[1::_PAIRS])
        return AudioValue(payload.strings[::_PAIRS], labels)
    return AudioValue(payload.strings, ("",) * len(payload.strings))


def audio_count(outline: Outline) -> int:
    """How many sounds a value has."""
    if outline.has_message:
        return 1
    return outline.strings // _PAIRS if _has_labels(outline.shape, outline.strings) else outline.strings


def _has_labels(shape: tuple[int, ...], strings: int) -> bool:
    return len(shape) == _PAIRS and shape[1] == _PAIRS and strings % _PAIRS == 0


def _of_message(message: bytes) -> bytes:
    known = WIRE["Audio"]["encoded_audio_string"]
    try:
        return next((field.data for field in fields(message) if field.id == known), b"")
    except BadMessage as problem:
        raise NotThere("This value is not audio: its message is corrupt.", "bad_audio") from problem
