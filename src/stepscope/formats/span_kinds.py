"""A user's own list of what spans are by their names, beside the tables of the formats: its words, and the two ways to write it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from stepscope.model.errors import BadInput
from stepscope.model.profile import SpanKind

KINDS_OF_THREADS: dict[str, SpanKind] = {
    "input": SpanKind.INPUT,
    "io": SpanKind.IO,
    "compile": SpanKind.COMPILE,
    "gc": SpanKind.GC,
    "sync": SpanKind.SYNC,
    "alloc": SpanKind.ALLOC,
    "runtime": SpanKind.RUNTIME,
    "op": SpanKind.OP,
    "framework": SpanKind.FRAMEWORK,
    "python": SpanKind.PYTHON,
    "annotation": SpanKind.ANNOTATION,
}
"""What a thread may be said to do."""
PHASES = ("read", "decode", "transform", "shuffle", "collate", "pin")
"""Parts of preparing a batch: each is input, and the input pipeline tells it apart."""
COLLECTIVES = (
    "allreduce",
    "allgather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "sendrecv",
    "send",
    "recv",
    "dispatch",
    "combine",
    "barrier",
)
COLLECTIVE = "collective"
"""Communication whose own name tells which."""
NOT_ONE = "none"
"""No communication, whatever the format says."""
WORDS = (*KINDS_OF_THREADS, *PHASES, COLLECTIVE, *COLLECTIVES, NOT_ONE)

MOST_RULES = 1_000
_LONGEST_PATTERN = 1_000
WRITE_TOML = 'write lines such as input = ["load_batch"]'
WRITE_LINES = "give a file with a kind and a name pattern on each line"


@dataclass(frozen=True, slots=True)
class SpanRule:
    """A pattern, in which * stands for anything and letters match in either case, and what a span with a name that fits it is."""

    kind: str
    pattern: str


def read_kinds(path: str, text: str) -> tuple[SpanRule, ...]:
    """The rules of a TOML file's text: by kind, a list of patterns; the first that fits decides. Raises BadInput."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} is not valid TOML ({error}): {WRITE_TOML}.", "bad_span_kinds") from error
    return _checked(path, [rule for kind, patterns in content.items() for rule in _rules_of(path, kind, patterns)])


def read_collectives(path: str, text: str) -> tuple[SpanRule, ...]:
    """The rules of a text for communication alone: a kind and a pattern a line, # begins a comment. Raises BadInput."""
    return _checked(path, [_rule(path, number, line) for number, line in enumerate(text.splitlines(), 1) if _plain(line)])


def _rules_of(path: str, kind: str, patterns: object) -> Iterator[SpanRule]:
    if kind not in WORDS:
        raise BadInput(f'{path} has the kind "{kind}": write one of {", ".join(WORDS)}.', "bad_span_kinds")
    listed = cast("list[object]", patterns) if isinstance(patterns, list) else [None]
    for pattern in listed:
        if not isinstance(pattern, str):
            raise BadInput(f'{path} must give {kind} a list of names: {kind} = ["load_batch", "fetch_*"].', "bad_span_kinds")
        yield SpanRule(kind, pattern.strip())


def _plain(line: str) -> str:
    return line.split("#", 1)[0].strip()


def _rule(path: str, number: int, line: str) -> SpanRule:
    words = _plain(line).split(None, 1)
    if len(words) != 2 or words[0] not in (*COLLECTIVES, NOT_ONE):
        known = ", ".join((*COLLECTIVES, NOT_ONE))
        raise BadInput(f"Line {number} of {path} must be a kind and a pattern; kinds are {known}.", "bad_collectives")
    return SpanRule(words[0], words[1])


def _checked(path: str, rules: list[SpanRule]) -> tuple[SpanRule, ...]:
    if len(rules) > MOST_RULES:
        raise BadInput(f"{path} has more than {MOST_RULES} patterns: use * to join them.", "too_large")
    if bad := next((rule for rule in rules if not 0 < len(rule.pattern) <= _LONGEST_PATTERN), None):
        raise BadInput(
            f"{path} has a name under {bad.kind} that is empty or longer than {_LONGEST_PATTERN} characters.", "bad_span_kinds"
        )
    return tuple(rules)
