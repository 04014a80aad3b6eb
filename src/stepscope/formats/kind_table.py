"""The table by which spans get their kinds, with the user's rows before those of the formats, for whoever wants to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from stepscope._native import listed_rules
from stepscope.formats.all_formats import PROFILE_FORMATS
from stepscope.formats.kineto.rules import RULES, Scope
from stepscope.formats.span_kinds import SpanRule
from stepscope.model.profile import SpanKind
from stepscope.model.span_kinds import KindRow, KindTable

_EVERYTHING = "names of spans"
_KINETO = {
    Scope.HOST: "operations and annotations",
    Scope.PYTHON: "Python functions",
    Scope.RUNTIME: "runtime calls",
    Scope.KERNEL: "kernels",
}
_NATIVE = {
    ("xplane", "host"): "host events",
    ("xplane", "device"): "work of streams",
    ("xplane", "hlo"): "compiled operations",
    ("run_metadata", "host"): "types of operations",
    ("run_metadata", "device"): "work of streams",
    ("perfetto", "category"): "categories",
}


def kind_table(file: str, own: Sequence[tuple[str, Sequence[SpanRule]]], problem: str = "") -> KindTable:
    """The user's rules, each set with the file that it comes from, and then those of the formats."""
    yours = [KindRow(rule.pattern, rule.kind, _EVERYTHING, path, True) for path, rules in own for rule in rules]
    return KindTable(file, (*yours, *built_in_rows()), problem)


@lru_cache(maxsize=1)
def built_in_rows() -> tuple[KindRow, ...]:
    """The rows of all formats that tell kinds by names, each table in the order in which it is tried."""
    return (*_of_native(), *_of_kineto())


def _of_kineto() -> Iterator[KindRow]:
    for rule in RULES:
        if rule.scope in _KINETO:
            pattern = _pattern(rule.match.name.lower(), rule.text)
            yield KindRow(pattern, SpanKind(rule.result).name.lower(), _KINETO[Scope(rule.scope)], _title("kineto"), False)


def _of_native() -> Iterator[KindRow]:
    for format_id, held_against, match, text, kind in listed_rules():
        yield KindRow(_pattern(match, text), kind, _NATIVE[format_id, held_against], _title(format_id), False)


def _pattern(match: str, text: str) -> str:
    """The rule as one pattern in which * stands for anything."""
    if match == "frame":
        file, function = text.split(" ", 1)
        return f"${file}:* {function}"
    return {"exact": text, "prefix": f"{text}*", "suffix": f"*{text}", "call": f"{text}[A-Z]*"}.get(match, f"*{text}*")


def _title(format_id: str) -> str:
    return next(known.title for known in PROFILE_FORMATS if known.id == format_id)
