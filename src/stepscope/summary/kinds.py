"""tf.summary's calls, one for each kind of summary, and `log` for many values at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import prod
from typing import Any, cast

from stepscope.summary.encoding import any_work, audio_work, check_sounds, dense, histogram_work, scalar_work, text_work
from stepscope.summary.metadata import described, encoded_metadata
from stepscope.summary.pictures import check_pictures, image_work
from stepscope.summary.record import raise_missing_step, record, record_event
from stepscope.summary.scopes import tag_of
from stepscope.writer.arrays import take
from stepscope.writer.compiled import compiler, plain
from stepscope.writer.message import Message
from stepscope.writer.recording import DefaultWriter, calls, condition_at
from stepscope.writer.summary import Deferred, Moment, checked_tag, moment_of

_WAV = 11
_WAV_CONTENT = Message("AudioPluginData").integer("encoding", _WAV).encoded()


@plain
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> object:  # noqa: ANN401
    """Logs one number. True when it was, False when there is no default writer or record_if forbids it."""
    if description is not None:
        make = partial(scalar_work, tag_of(name, "scalar_summary"), described("scalars", description))
        return record_event(make, (data,), step, _check_scalar)
    writer = calls.writer
    if writer is None or compiler() is not None:
        return record(partial(_put_scalar, tag_of(name, "scalar_summary")), (data,), step, _check_scalar)
    at: Any = calls.step if step is None else step
    if calls.condition is not None and not condition_at(at):
        return False
    if at is None:
        raise_missing_step()
    writer.put_scalar(tag_of(name, "scalar_summary"), data, at)
    return True


@plain
def histogram(name: str, data: object, step: object = None, buckets: int | None = None, description: str | None = None) -> object:
    """Logs the distribution of an array's values, in 30 buckets unless told otherwise."""
    make = partial(histogram_work, tag_of(name, "histogram_summary"), described("histograms", description))
    return record_event(make, (data, buckets), step)


@plain
def image(name: str, data: object, step: object = None, max_outputs: int = 3, description: str | None = None) -> object:
    """Logs pictures: number × height × width × 1 to 4 channels of bytes or of floats from 0 to 1.

    Beyond what TensorFlow takes, these may be the bytes of PNG or JPEG files, or figures of matplotlib; one, or a list of them.
    """
    make = partial(image_work, tag_of(name, "image_summary"), described("images", description))
    return record_event(make, (data, max_outputs), step, check_pictures)


@plain
def audio(
    name: str,
    data: object,
    sample_rate: int,
    step: object = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> object:
    """Logs sounds: number × time × channels of numbers between -1 and 1."""
    if encoding not in (None, "wav"):
        raise ValueError(f'Give the encoding as "wav", the only one there is, not as {encoding!r}.')
    make = partial(audio_work, tag_of(name, "audio_summary"), described("audio", description, _WAV_CONTENT))
    return record_event(make, (data, sample_rate, max_outputs), step, check_sounds)


@plain
def text(name: str, data: object, step: object = None, description: str | None = None) -> object:
    """Logs text, shown as Markdown: a string, or an array of them, which becomes a table."""
    return record_event(partial(text_work, tag_of(name, "text_summary"), described("text", description)), (data,), step)


@plain
def write(tag: str, tensor: Any, step: object = None, metadata: object = None, name: str | None = None) -> object:  # noqa: ANN401
    """Logs a tensor for the plugin that the metadata names: a SummaryMetadata message, its bytes, or PluginMetadata.

    A tensor that has to be computed first may be given as a function, which is called only when it is recorded.
    """
    del name
    make = partial(any_work, checked_tag(tag), encoded_metadata(metadata))
    if not callable(tensor):
        return record_event(make, (tensor,), step)
    if compiler() is not None:
        return record_event(make, (tensor(),), step)

    def compute_first(moment: Moment) -> Deferred:
        return make(moment, tensor())

    return record_event(compute_first, (), step)


@plain
def log(data: Mapping[str, Any] | object, step: object = None) -> object:
    """Logs many values at once: numbers as scalars, arrays as histograms, strings as text; inner dictionaries are joined by `/`.

    Inside compiled code that is one callback for all of them.
    """
    if not isinstance(data, Mapping):
        raise TypeError(f"Give log a dictionary, not {type(data).__name__}.")
    tagged = {tag_of(path, "log"): value for path, value in _flat(cast("Mapping[object, object]", data))}
    return record(_put_all, (tagged,), step)


def _put_scalar(tag: str, writer: DefaultWriter, step: int, value: Any) -> None:  # noqa: ANN401
    writer.put_scalar(tag, value, step)


def _put_all(writer: DefaultWriter, step: int, tagged: Mapping[str, object]) -> None:
    """All are taken before any is logged, so that a wrong one leaves nothing half done."""
    moment = moment_of(step, None)
    puts: list[Callable[[], None]] = []
    for tag, value in tagged.items():
        if isinstance(value, str | bytes):
            puts.append(partial(writer.put_event, text_work(tag, described("text", None), moment, value)))
        elif isinstance(value, int | float):
            puts.append(partial(writer.put_scalar, tag, value, step))
        else:
            array = take(dense(value), tag)
            if array.size == 1:
                puts.append(partial(writer.put_scalar, tag, array.item(), step))
            else:
                puts.append(partial(writer.put_event, histogram_work(tag, described("histograms", None), moment, array)))
    for put in puts:
        put()


def _flat(data: Mapping[object, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        if not isinstance(key, str | int):
            raise TypeError(f"Give log's dictionaries keys of strings, not of {type(key).__name__}.")
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(cast("Mapping[object, object]", value), f"{path}/")
        else:
            yield path, value


def _check_scalar(shape: tuple[int | None, ...]) -> None:
    if prod(1 if size is None else size for size in shape) != 1:
        raise ValueError(f"Give a scalar of one element; the shape is {shape}.")
