"""Text summaries: Markdown, as a tensor of one string."""

from __future__ import annotations

from stepscope.writer.message import utf8
from stepscope.writer.summary import Deferred, Moment, checked_tag, metadata_of, string_tensor, value_of


def text_work(tag: object, text: object, moment: Moment) -> Deferred:
    """A text's event; torch adds to the tag, and so does this."""
    name = checked_tag(tag) + "/text_summary"
    if not isinstance(text, str):
        raise TypeError(f"Give the text as a string, not as {type(text).__name__}.")

    def make() -> bytes:
        tensor = string_tensor([utf8(text)], [1])
        return moment.event(value_of(name).message("metadata", metadata_of("text")).message("tensor", tensor))

    return Deferred(make, len(text))
