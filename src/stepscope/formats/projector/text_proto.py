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
_ENDS = {b"{": b"}", b"<": b">"}


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
    tokens = _Tokens(text)
    return tokens.message(None, 0)


class _Tokens:
    """The tokens of a text, looked at one by one."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._left = self._walk()
        self._fields = 0
        self._kind, self._token, self._at = next(self._left)

    def message(self, end: bytes | None, depth: int) -> Message:
        """Fields up to the end mark, or of the whole text."""
        if depth > DEEPEST:
            raise self._bad("messages are nested too deep")
        found = Message()
        while not (self._kind == "end" if end is None else self._token == end):
            if self._kind != "name":
                raise self._bad("a field name is missing")
            name = self._token.decode()
            self._next()
            values = found.fields.setdefault(name, [])
            had_colon = self._take(b":")
            if self._take(b"["):
                while not self._take(b"]"):
                    values.append(self._value(depth))
                    self._take(b",")
            else:
                if not had_colon and self._token not in _ENDS:
                    raise self._bad(f"a colon is missing after {name}")
                values.append(self._value(depth))
            if not self._take(b","):
                self._take(b";")
        return found

    def _value(self, depth: int) -> str | Message:
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise self._bad("there are too many fields")
        if (end := _ENDS.get(self._token)) is not None and self._kind == "mark":
            self._next()
            inner = self.message(end, depth + 1)
            self._next()
            return inner
        if self._kind == "text":
            pieces: list[bytes] = []
            while self._kind == "text":
                pieces.append(_ESCAPE.sub(_unescaped, self._token[1:-1]))
                self._next()
            return b"".join(pieces).decode("utf-8", "replace")
        if self._kind not in {"name", "number"}:
            raise self._bad("a value is missing")
        value = self._token.decode()
        self._next()
        return value

    def _take(self, mark: bytes) -> bool:
        if self._kind != "mark" or self._token != mark:
            return False
        self._next()
        return True

    def _next(self) -> None:
        self._kind, self._token, self._at = next(self._left)

    def _walk(self) -> Iterator[tuple[str, bytes, int]]:
        place = 0
        while place < len(self._text):
            found = _TOKEN.match(self._text, place)
            if found is None:
                self._at = place
                raise self._bad("it has characters that no message has")
            if found.lastgroup != "space":
                yield found.lastgroup or "", found.group(), place
            place = found.end()
        while True:
            yield "end", b"", len(self._text)

    def _bad(self, reason: str) -> BadText:
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
