"""Formulas over tags, such as `train/loss - val/loss`: read in linear time, computed on arrays, and never evaluated as code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepscope.model.errors import BadInput

MAX_FORMULA = 500
"""Characters of a formula."""

_Values = NDArray[np.float64] | np.float64
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w./:]))
      | (?P<name>[^\W\d][\w./:]*|\d[\w./:]*)
      | "(?P<quoted>[^"]+)"
      | (?P<sign>\*\*|[-+*/^(),])
    )""",
    re.VERBOSE,
)
"""A name goes on over `/ . : _`, so that most tags need no quotes; a division is written with spaces."""

_OPERATORS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "+": (1, np.add),
    "-": (1, np.subtract),
    "*": (2, np.multiply),
    "/": (2, np.divide),
    "^": (4, np.power),
}
_MINUS = "minus"
_MINUS_RANK = 3
"""Below a power and above a product: -a^2 is -(a^2)."""
_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "exp": (1, np.exp),
    "log": (1, np.log),
    "log2": (1, np.log2),
    "log10": (1, np.log10),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
}


@dataclass(frozen=True, slots=True)
class _Push:
    """Puts a number or the values of a tag on the stack."""

    value: float | str


@dataclass(frozen=True, slots=True)
class _Apply:
    """Replaces the topmost values of the stack by what a function makes of them."""

    count: int
    function: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read; `tags` are the names in it, each once, in the order they stand."""

    text: str
    tags: tuple[str, ...]
    code: tuple[_Push | _Apply, ...]

    def of(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """The formula of arrays of one length, one for each tag; NaN and infinity where it has no value."""
        stack: list[_Values] = []
        with np.errstate(all="ignore"):
            for step in self.code:
                if isinstance(step, _Push):
                    stack.append(values[step.value] if isinstance(step.value, str) else np.float64(step.value))
                else:
                    taken = stack[-step.count :]
                    stack[-step.count :] = [step.function(*taken)]
        return np.asarray(stack[0], np.float64)


def read_formula(text: str) -> Formula:
    """The formula of a text. Raises BadInput with the place where it goes wrong."""
    if len(text) > MAX_FORMULA:
        raise BadInput(f"A formula can have at most {MAX_FORMULA} characters.", "bad_formula")
    reader = _Reader(text)
    while reader.rest():
        reader.next()
    code = reader.finish()
    tags = tuple(dict.fromkeys(step.value for step in code if isinstance(step, _Push) and isinstance(step.value, str)))
    if not tags:
        raise BadInput("The formula names no tag. Write for example exp(loss).", "bad_formula")
    return Formula(text, tags, code)


@dataclass(slots=True)
class _Open:
    """An open parenthesis; of a function, whose arguments are counted."""

    function: str | None
    arguments: int = 1


class _Reader:
    """Turns signs into a stack program with one pass and no recursion, so that no formula takes long or nests too deep."""

    def __init__(self, text: str) -> None:
        self.text = text.rstrip()
        self.at = 0
        self.code: list[_Push | _Apply] = []
        self.waiting: list[str | _Open] = []
        self.wants_value = True

    def rest(self) -> bool:
        return self.at < len(self.text)

    def next(self) -> None:
        """Reads one sign, number or name."""
        start = self.at
        found = _TOKEN.match(self.text, start)
        if found is None:
            raise self._wrong(f"{self.text[start:].lstrip()[:1]!r} is not part of a formula", start)
        self.at = found.end()
        if (sign := found["sign"]) is not None:
            self._sign("^" if sign == "**" else sign, start)
            return
        if not self.wants_value:
            raise self._wrong("An operator is missing before this", start)
        name = found["name"]
        if name is not None and self.text[self.at :].lstrip()[:1] == "(":
            self._call(name, start)
            return
        self.code.append(_Push(float(found["number"]) if found["number"] is not None else name or found["quoted"]))
        self.wants_value = False

    def finish(self) -> tuple[_Push | _Apply, ...]:
        """The whole program."""
        if self.wants_value:
            raise self._wrong("The formula ends too early", len(self.text))
        while self.waiting:
            top = self.waiting.pop()
            if isinstance(top, _Open):
                raise self._wrong("A parenthesis is not closed", len(self.text))
            self._emit(top)
        return tuple(self.code)

    def _call(self, name: str, start: int) -> None:
        if name not in _FUNCTIONS:
            raise self._wrong(f"There is no function {name}; use {', '.join(_FUNCTIONS)}", start)
        self.at = self.text.index("(", self.at) + 1
        self.waiting.append(_Open(name))

    def _sign(self, sign: str, start: int) -> None:
        if sign == "(":
            if not self.wants_value:
                raise self._wrong("An operator is missing before this", start)
            self.waiting.append(_Open(None))
        elif sign == ")":
            self._close(start)
        elif sign == ",":
            self._comma(start)
        elif self.wants_value:
            if sign == "-":
                self.waiting.append(_MINUS)
            elif sign != "+":
                raise self._wrong("A value is missing before this", start)
        else:
            self._operator(sign)

    def _operator(self, sign: str) -> None:
        rank = _OPERATORS[sign][0]
        while self.waiting and isinstance(top := self.waiting[-1], str):
            other = _rank(top)
            # A power is computed from the right: a^b^c is a^(b^c).
            if other < rank or (other == rank and sign == "^"):
                break
            self._emit(top)
            self.waiting.pop()
        self.waiting.append(sign)
        self.wants_value = True

    def _comma(self, start: int) -> None:
        opened = self._inside(start)
        if opened.function is None:
            raise self._wrong("A comma belongs between the arguments of a function", start)
        opened.arguments += 1
        self.wants_value = True

    def _close(self, start: int) -> None:
        opened = self._inside(start)
        self.waiting.pop()
        self.wants_value = False
        if opened.function is None:
            return
        wanted, function = _FUNCTIONS[opened.function]
        if opened.arguments != wanted:
            raise self._wrong(f"{opened.function} takes {wanted} argument{'s' if wanted > 1 else ''}", start)
        self.code.append(_Apply(wanted, function))

    def _inside(self, start: int) -> _Open:
        """The parenthesis that a sign belongs to, after what stands in it was computed."""
        if self.wants_value:
            raise self._wrong("A value is missing before this", start)
        while self.waiting:
            top = self.waiting[-1]
            if isinstance(top, _Open):
                return top
            self._emit(top)
            self.waiting.pop()
        raise self._wrong("A parenthesis is missing before this", start)

    def _emit(self, sign: str) -> None:
        self.code.append(_Apply(1, np.negative) if sign == _MINUS else _Apply(2, _OPERATORS[sign][1]))

    def _wrong(self, what: str, at: int) -> BadInput:
        place = at + len(self.text[at:]) - len(self.text[at:].lstrip())
        return BadInput(f"{what} (character {place + 1} of {self.text}).", "bad_formula")


def _rank(sign: str) -> int:
    return _MINUS_RANK if sign == _MINUS else _OPERATORS[sign][0]
