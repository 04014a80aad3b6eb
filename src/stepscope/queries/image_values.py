"""Images out of summary values: one of the old message, or all of a string tensor."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope._native import WIRE
from stepscope.model.errors import NotThere
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.blobs import Outline, Payload

_LONGEST_NUMBER = 10
_SIZES = 2
"""A tensor begins with width and height, as text."""


@dataclass(frozen=True, slots=True)
class ImageValue:
    """Encoded images of one value, and the size that the log says they have (0 when it says none)."""

    width: int
    height: int
    samples: tuple[bytes, ...]

    def sample(self, number: int) -> bytes:
        """One of the images. Raises NotThere."""
        if number >= len(self.samples):
            raise NotThere(f"This value has {len(self.samples)} images; number {number} does not exist.", "unknown_sample")
        return self.samples[number]


def image_value(payload: Payload) -> ImageValue:
    """The images of a value. Raises NotThere when it holds none."""
    if payload.message is not None:
        return _of_message(payload.message.data)
    if len(payload.strings) < _SIZES:
        raise NotThere("This value is not an image: it has no width and height.", "bad_image")
    width, height, *samples = payload.strings
    return ImageValue(_size(width), _size(height), tuple(samples))


def image_count(outline: Outline) -> int:
    """How many images a value has; 0 when it has none that can be shown."""
    return 1 if outline.has_message else max(0, outline.strings - _SIZES)


def _of_message(message: bytes) -> ImageValue:
    known = WIRE["Image"]
    width = height = 0
    data = b""
    try:
        for field in fields(message):
            if field.id == known["width"]:
                width = max(0, field.signed)
            elif field.id == known["height"]:
                height = max(0, field.signed)
            elif field.id == known["encoded_image_string"]:
                data = field.data
    except BadMessage as problem:
        raise NotThere("This value is not an image: its message is corrupt.", "bad_image") from problem
    return ImageValue(width, height, (data,))


def _size(text: bytes) -> int:
    return int(text) if text.isdigit() and len(text) <= _LONGEST_NUMBER else 0
