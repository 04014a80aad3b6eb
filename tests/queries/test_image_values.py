"""Images of summary values: of the old message and of string tensors, and values that are none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from event_bytes import integer, message
from stepscope._native import WIRE
from stepscope.model.errors import NotThere
from stepscope.queries.blobs import Payload
from stepscope.queries.image_values import ImageValue, image_value

IMAGE = WIRE["Image"]


def payload(*, data: bytes | None = None, strings: tuple[bytes, ...] = ()) -> Payload:
    held: Any = SimpleNamespace(message=None if data is None else SimpleNamespace(data=data), strings=strings)
    return cast("Payload", held)


def test_an_old_message_has_one_image() -> None:
    data = integer(IMAGE["height"], 4) + integer(IMAGE["width"], 6) + message(IMAGE["encoded_image_string"], b"\x89PNG")
    assert image_value(payload(data=data)) == ImageValue(6, 4, (b"\x89PNG",))
    assert image_value(payload(data=integer(IMAGE["width"], -5))) == ImageValue(0, 0, (b"",))


def test_a_tensor_has_its_size_and_then_its_images() -> None:
    found = image_value(payload(strings=(b"6", b"4", b"one", b"two")))
    assert found == ImageValue(6, 4, (b"one", b"two"))
    assert found.sample(1) == b"two"
    with pytest.raises(NotThere) as missing:
        found.sample(2)
    assert missing.value.code == "unknown_sample"


@pytest.mark.parametrize("size", [b"six", b"", b"-1", b"9" * 11])
def test_a_size_that_is_no_number_is_unknown(size: bytes) -> None:
    assert image_value(payload(strings=(size, b"4"))) == ImageValue(0, 4, ())


@pytest.mark.parametrize("bad", [payload(data=b"\xff"), payload(strings=(b"6",))], ids=["broken message", "too few strings"])
def test_what_is_no_image_is_refused(bad: Payload) -> None:
    with pytest.raises(NotThere) as refused:
        image_value(bad)
    assert refused.value.code == "bad_image"
