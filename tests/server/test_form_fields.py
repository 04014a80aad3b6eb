"""Forms in both encodings, also broken ones."""

from __future__ import annotations

import pytest

from stepscope.model.errors import BadInput
from stepscope.server.form_fields import MOST_FIELDS, form_fields, is_form, text_fields

PARTS = (
    b'--x\r\nContent-Disposition: form-data; name="tag"\r\n\r\nl\xc3\xb6ss\r\n'
    b'--x\r\nContent-Disposition: form-data; name="runs"\r\n\r\na\r\n'
    b'--x\r\nContent-Disposition: form-data; name="runs"\r\n\r\n\r\n'
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nb\r\n--x--\r\n'
)


def test_both_encodings() -> None:
    assert form_fields("application/x-www-form-urlencoded", b"tag=l%C3%B6ss&runs=a&runs=") == {"tag": ["löss"], "runs": ["a", ""]}
    assert form_fields("multipart/form-data; boundary=x", PARTS) == {"tag": ["löss"], "runs": ["a", ""]}


def test_which_bodies_are_forms() -> None:
    assert is_form("Multipart/Form-Data; boundary=x")
    assert not is_form("application/json")


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=y", "multipart/form-data; boundary="])
def test_parts_that_are_not_separated_are_refused(kind: str) -> None:
    with pytest.raises(BadInput):
        form_fields(kind, PARTS)


def test_too_many_fields_are_refused() -> None:
    with pytest.raises(BadInput):
        text_fields("&".join(["a=1"] * (MOST_FIELDS + 1)))
