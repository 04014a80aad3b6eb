"""Event files with text and sound of both generations, built by hand."""

from __future__ import annotations

import io
import wave

import event_bytes as eb
from image_logs import START


def text(tag: str, step: int, *strings: bytes, shape: list[int] | None = None, display: bytes = b"", description: bytes = b"") -> bytes:
    """A record with a string tensor of the text plugin."""
    parts = [eb.message(8, one) for one in strings]
    tensor = eb.message(8, eb.tensor(eb.STRING, *parts, shape=[len(strings)] if shape is None else shape))
    about = eb.message(9, eb.metadata(b"text", data_class=2, display=display, description=description))
    return eb.record(eb.event(step, START + step, eb.summary(eb.value(tag.encode(), tensor, about))))


def sound(frames: int = 80, rate: int = 8_000) -> bytes:
    """A WAV file of one channel."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(b"".join((place * 400 % 30_000).to_bytes(2, "little") for place in range(frames)))
    return file.getvalue()


def old_audio(tag: str, step: int, data: bytes) -> bytes:
    """A record with Summary.Audio, as torch writes it."""
    message = eb.single(1, 8_000.0) + eb.integer(2, 1) + eb.integer(3, 80) + eb.message(4, data) + eb.message(5, b"text/html")
    return eb.record(eb.event(step, START + step, eb.summary(eb.value(tag.encode(), eb.message(6, message)))))


def tensor_audio(tag: str, step: int, *strings: bytes, shape: list[int]) -> bytes:
    """A record with a string tensor, as TensorFlow writes it."""
    tensor = eb.message(8, eb.tensor(eb.STRING, *(eb.message(8, one) for one in strings), shape=shape))
    about = eb.message(9, eb.metadata(b"audio", data_class=3))
    return eb.record(eb.event(step, START + step, eb.summary(eb.value(tag.encode(), tensor, about))))
