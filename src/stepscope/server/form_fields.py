"""The fields of a form in a request's body, in either of the two encodings that browsers use."""

from __future__ import annotations

from email.message import Message
from email.parser import BytesParser
from typing import cast
from urllib.parse import parse_qs

from stepscope.model.errors import BadInput

MOST_FIELDS = 10_000
URL_ENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def is_form(content_type: str) -> bool:
    """Whether a body of this type is a form."""
    return content_type.partition(";")[0].strip().lower() in (URL_ENCODED, MULTIPART)


def text_fields(text: str) -> dict[str, list[str]]:
    """Fields as they are written in a query. Raises BadInput when there are too many."""
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise BadInput(f"A request may have at most {MOST_FIELDS:,} parameters.", "too_many_parameters") from None


def form_fields(content_type: str, body: bytes) -> dict[str, list[str]]:
    """The fields of a form; files among them are left out. Raises BadInput."""
    if content_type.partition(";")[0].strip().lower() == URL_ENCODED:
        return text_fields(body.decode("utf-8", "replace"))
    head = content_type.replace("\r", "").replace("\n", "").encode("latin-1", "replace")
    whole: Message = BytesParser().parsebytes(b"Content-Type: " + head + b"\r\n\r\n" + body)
    found: dict[str, list[str]] = {}
    if not whole.is_multipart():
        raise BadInput("The form cannot be read: its parts are not separated as its content type says.", "bad_form")
    parts = cast("list[Message]", whole.get_payload())
    if len(parts) > MOST_FIELDS:
        raise BadInput(f"A request may have at most {MOST_FIELDS:,} parameters.", "too_many_parameters")
    for part in parts:
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes) and part.get_filename() is None:
            found.setdefault(name, []).append(content.decode("utf-8", "replace"))
    return found
