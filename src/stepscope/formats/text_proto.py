"""Parses protobuf's text format into nested lists of values, without a schema: enough for configurations, and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_FIELDS = 100_000
DEEPEST = 16

_TOKEN = re.compile(
    rb"""(?P<space>[ \t\r\n\f\v]+|\#[^\n]*)
    |(?P<name>[A-Za-z_][A-Za-z0-9_.]*)
    |(?P<number>[-+]?[0-9.][A-Za-z0-9_.+-]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<mark>[{}<>\[\]:,;-])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
ENDS = {b"{": b"}", b"<": b">"}


class BadText(ValueError):
    """The text is no message; says in which line."""


@dataclass(slots=True)
class Message:
    """Fields by name, each with all its values in order: texts, numbers as they are written, or messages."""

    fields: dict[str, list[str | Message]] = field(default_factory=dict[str, "list[str | Message]"])

    def text(self, name: str) -> str:
        """The last value of a field that has one; empty otherwise."""
        texts = [value for value in self.fields.get(name, []) if isinstance(value, str)]
        return texts[-1] if texts else ""

    def messages(self, name: str) -> list[Message]:
        """All values of a field that are messages."""
        return [value for value in self.fields.get(name, []) if isinstance(value, Message)]

    def numbers(self, name: str) -> list[int]:
        """All values of a field of whole numbers. Raises BadText."""
        found: list[int] = []
        for value in self.fields.get(name, []):
            if not isinstance(value, str) or not value.isascii() or not value.isdigit() or len(value) > 12:
                raise BadText(f"{name} has to be a whole number")
            found.append(int(value))
        return found


def parse(text: bytes) -> Message:
    """The message of a text. Raises BadText."""
    tokens = Tokens(text)
    return tokens.message(None, 0)


class Tokens:
    """The tokens of a text, looked at one by one: `kind` is name, number, text, mark or end, `token` its bytes."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._left = self._walk()
        self._fields = 0
        self.kind, self.token, self._at = next(self._left)

    def message(self, end: bytes | None, depth: int) -> Message:
        """Fields up to the end mark, or of the whole text."""
        if depth > DEEPEST:
            raise self.bad("messages are nested too deep")
        found = Message()
        while not (self.kind == "end" if end is None else self.token == end):
            if self.kind != "name":
                raise self.bad("a field name is missing")
            name = self.token.decode()
            self.advance()
            values = found.fields.setdefault(name, [])
            had_colon = self.take(b":")
            if self.take(b"["):
                while not self.take(b"]"):
                    values.append(self._value(depth))
                    self.take(b",")
            else:
                if not had_colon and self.token not in ENDS:
                    raise self.bad(f"a colon is missing after {name}")
                values.append(self._value(depth))
            if not self.take(b","):
                self.take(b";")
        return found

    def _value(self, depth: int) -> str | Message:
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise self.bad("there are too many fields")
        if (end := ENDS.get(self.token)) is not None and self.kind == "mark":
            self.advance()
            inner = self.message(end, depth + 1)
            self.advance()
            return inner
        if self.kind == "text":
            return self.text().decode("utf-8", "replace")
        if self.kind not in {"name", "number"}:
            raise self.bad("a value is missing")
        value = self.token.decode()
        self.advance()
        return value

    def text(self) -> bytes:
        """The bytes of quoted texts that follow each other, which are one value."""
        pieces: list[bytes] = []
        while self.kind == "text":
            inside = self.token[1:-1]
            pieces.append(_ESCAPE.sub(_unescaped, inside) if b"\\" in inside else inside)
            self.advance()
        return b"".join(pieces)

    def take(self, mark: bytes) -> bool:
        """Goes on if the mark is next."""
        if self.kind != "mark" or self.token != mark:
            return False
        self.advance()
        return True

    def advance(self) -> None:
        """Goes on to the next token."""
        self.kind, self.token, self._at = next(self._left)

    def _walk(self) -> Iterator[tuple[str, bytes, int]]:
        place = 0
        while place < len(self._text):
            found = _TOKEN.match(self._text, place)
            if found is None:
                self._at = place
                raise self.bad("it has characters that no message has")
            if found.lastgroup != "space":
                yield found.lastgroup or "", found.group(), place
            place = found.end()
        while True:
            yield "end", b"", len(self._text)

    def bad(self, reason: str) -> BadText:
        """What is wrong at this place."""
        line = self._text.count(b"\n", 0, self._at) + 1
        return BadText(f"line {line}: {reason}")


def _unescaped(found: re.Match[bytes]) -> bytes:
    octal, hexadecimal, unicode, plain = found.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 255])
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    if unicode is not None:
        return chr(int(unicode, 16)).encode("utf-8", "replace")
    return _PLAIN.get(plain, plain)
