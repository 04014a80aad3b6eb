"""A user's own list of names that communicate, beside those that the formats know: one line a name, applied to any profile."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import NONE, Collectives, Int32, Profile, SpanKind, TrackRole

VARIABLE = "STEPSCOPE_COLLECTIVES"
"""Names the file, for the server and for all verbs."""
KINDS = (
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
NOT_ONE = "none"
_MOST_RULES = 1_000
_MOST_BYTES = 1 << 20
_MAY_BE = (SpanKind.OTHER, SpanKind.OP, SpanKind.KERNEL, SpanKind.ANNOTATION, SpanKind.FRAMEWORK, SpanKind.COLLECTIVE)


@dataclass(frozen=True, slots=True)
class NameRule:
    """A pattern, in which * stands for anything and letters match in either case, and what a name that fits it is."""

    kind: str
    pattern: str


def read_rules(path: str) -> tuple[NameRule, ...]:
    """The rules of a file: a kind and a pattern a line, # begins a comment; the first that fits decides. Raises BadInput, NotThere."""
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            text = file.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise NotThere(f"{path} does not exist; give a file with a kind and a name pattern on each line.", "no_collectives") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path} cannot be read as text; give a file with a kind and a name pattern on each line.", "unreadable"
        ) from error
    if len(text) > _MOST_BYTES:
        raise BadInput(f"{path} is larger than 1 MiB; list patterns, not every name.", "too_large")
    rules = [_rule(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.split("#", 1)[0].strip()]
    if len(rules) > _MOST_RULES:
        raise BadInput(f"{path} has more than {_MOST_RULES} patterns; use * to join them.", "too_large")
    return tuple(rules)


def rules_of_environment() -> tuple[NameRule, ...]:
    """The rules of the file that the environment names; none when it names none. Raises BadInput, NotThere."""
    path = os.environ.get(VARIABLE, "")
    return read_rules(path) if path else ()


def with_rules(profile: Profile, rules: Sequence[NameRule]) -> Profile:
    """The profile with the names that fit a rule as communication, or as none."""
    if not rules or not len(profile.spans):
        return profile
    kind_of_name = _decide(profile.names, rules)
    if not (kind_of_name >= 0).any():
        return profile
    spans = profile.spans
    decided = kind_of_name[spans.name]
    owning = np.array([track.role in (TrackRole.THREAD, TrackRole.STREAM) for track in profile.tracks])
    chosen = (decided >= 0) & np.isin(spans.kind, _MAY_BE) & owning[spans.track]
    said = [*dict.fromkeys(rule.kind for rule in rules)]
    communicates = np.array([kind != NOT_ONE for kind in said])
    on_stream = np.array([track.role == TrackRole.STREAM for track in profile.tracks])[spans.track]
    kind = spans.kind.copy()
    yes = chosen & communicates[np.maximum(decided, 0)]
    no = chosen & ~yes & (kind == SpanKind.COLLECTIVE)
    kind[yes] = SpanKind.COLLECTIVE
    kind[no] = np.where(on_stream[no], SpanKind.KERNEL, SpanKind.OP)
    names = [*profile.names, *said]
    first = len(profile.names)
    table = _table(profile.collectives, np.flatnonzero(yes), decided[yes] + first, np.flatnonzero(no))
    return replace(profile, names=names, spans=replace(spans, kind=kind), collectives=table)


def _rule(path: str, number: int, line: str) -> NameRule:
    words = line.split("#", 1)[0].split(None, 1)
    if len(words) != 2 or words[0] not in (*KINDS, NOT_ONE):
        known = ", ".join((*KINDS, NOT_ONE))
        raise BadInput(f"Line {number} of {path} must be a kind and a pattern; kinds are {known}.", "bad_collectives")
    return NameRule(words[0], words[1].strip())


def _decide(names: Sequence[str], rules: Sequence[NameRule]) -> Int32:
    """For each name the place of the first fitting rule's kind among the kinds, NONE where none fits."""
    kinds = {kind: place for place, kind in enumerate(dict.fromkeys(rule.kind for rule in rules))}
    parts = [f"(?P<r{place}>{'.*'.join(map(re.escape, rule.pattern.split('*')))})" for place, rule in enumerate(rules)]
    pattern = re.compile("|".join(parts), re.IGNORECASE | re.DOTALL)
    found = np.full(len(names), NONE, np.int32)
    for place, name in enumerate(names):
        if match := pattern.fullmatch(name):
            found[place] = kinds[rules[int((match.lastgroup or "r0")[1:])].kind]
    return found


def _table(table: Collectives, added: np.ndarray, names: np.ndarray, removed: np.ndarray) -> Collectives:
    """The table with what a rule names: a row that is there keeps its facts and gets the name."""
    kept = ~np.isin(table.row, removed)
    name = table.name.copy()
    given = dict(zip(added.tolist(), names.tolist(), strict=True))
    for place, row in enumerate(table.row.tolist()):
        name[place] = given.get(row, name[place])
    new = ~np.isin(added, table.row)
    count = int(new.sum())
    unknown32, unknown64 = np.full(count, NONE, np.int32), np.full(count, NONE, np.int64)
    row = np.concatenate([table.row[kept], added[new].astype(np.int32)])
    order = np.argsort(row, kind="stable")
    return Collectives(
        row=row[order],
        name=np.concatenate([name[kept], names[new].astype(np.int32)])[order],
        group=np.concatenate([table.group[kept], unknown32])[order],
        group_size=np.concatenate([table.group_size[kept], unknown32])[order],
        sequence=np.concatenate([table.sequence[kept], unknown64])[order],
        in_bytes=np.concatenate([table.in_bytes[kept], unknown64])[order],
        out_bytes=np.concatenate([table.out_bytes[kept], unknown64])[order],
        dtype=np.concatenate([table.dtype[kept], unknown32])[order],
    )
