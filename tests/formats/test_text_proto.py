"""Protobuf's text format: what writers and people put into it, and what is no message."""

from __future__ import annotations

import pytest

from stepscope.formats.text_proto import BadText, Message, parse


def test_fields_lists_and_messages_in_every_notation() -> None:
    found = parse(
        b"""# a comment
        model_checkpoint_path: "a" 'b'   # texts join
        embeddings { tensor_name: "x\\tA\\303\\244\\x41\\u00e9" tensor_shape: 3, tensor_shape: 4; }
        embeddings: < tensor_shape: [5, 6] sprite { image_path: 'p.png' single_image_dim: [2, 2] } >
        flag: true number: -1.5e3"""
    )
    assert found.text("model_checkpoint_path") == "ab"
    first, second = found.messages("embeddings")
    assert (first.text("tensor_name"), first.numbers("tensor_shape")) == ("x\tAäAé", [3, 4])
    assert second.numbers("tensor_shape") == [5, 6]
    assert second.messages("sprite")[0].text("image_path") == "p.png"
    assert (found.text("flag"), found.text("number"), found.text("none")) == ("true", "-1.5e3", "")


def test_nothing_is_a_message_without_fields() -> None:
    assert parse(b" \n# nothing\n") == Message()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b'a: "x', 1),
        (b"a: 1\nb {", 2),
        (b"a: 1\n}", 2),
        (b"a 1", 1),
        (b"\n\n: 1", 3),
        (b"a:", 1),
        (b"a: [1, 2", 1),
        (b"\xff\xfe", 1),
        (b"a {" * 100 + b"}" * 100, 1),
        (b"a: 1 " * 100_001, 1),
    ],
)
def test_what_is_no_message_names_its_line(text: bytes, line: int) -> None:
    with pytest.raises(BadText, match=rf"^line {line}:"):
        parse(text)


@pytest.mark.parametrize("value", [b"-1", b"1.5", b'"x"', b"9999999999999", b"{}"])
def test_what_is_no_whole_number(value: bytes) -> None:
    with pytest.raises(BadText):
        parse(b"n: " + value).numbers("n")


def test_every_cut_of_a_message_is_parsed_or_refused() -> None:
    text = b'embeddings { tensor_name: "a\\101" tensor_shape: [1, 2] sprite { image_path: "x" } }'
    for end in range(len(text)):
        try:
            parse(text[:end])
        except BadText:
            continue
