"""Which operation and which module asked for memory, for the allocations of a recording."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stepscope.analyses.work.module_calls import module_calls
from stepscope.model.profile import NONE, Int32, Int64, Profile, SpanKind

_CALLS = (SpanKind.FRAMEWORK, SpanKind.INPUT, SpanKind.COLLECTIVE, SpanKind.IO, SpanKind.COMPILE, SpanKind.COPY)


class Texts:
    """Texts, each kept once; number 0 is the empty one."""

    def __init__(self) -> None:
        self.all: list[str] = [""]
        self._number: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        """Its place in `all`."""
        place = self._number.setdefault(text, len(self.all))
        if place == len(self.all):
            self.all.append(text)
        return place

    def numbers(self, column: Int32, names: list[str]) -> Int64:
        """The numbers of a column of numbers of other names; NONE is the empty text."""
        return self.of_each(column, lambda name: names[name])

    def of_each(self, column: Int32 | Int64, text: Callable[[int], str]) -> Int64:
        """Numbers of what `text` says of each distinct number of a column; NONE is the empty text."""
        distinct, inverse = np.unique(column, return_inverse=True)
        return np.array([0 if one == NONE else self.number(text(one)) for one in distinct.tolist()], np.int64)[inverse]


def owner_rows(profile: Profile, rows: Int32) -> Int64:
    """The span that a user knows around each row: the outermost operation, else the outermost call of a framework, else the nearest
    annotation, else the row itself unless it only marks a step."""
    spans = profile.spans
    at = rows.astype(np.int64)
    found = {kind: np.full(len(rows), NONE, np.int64) for kind in ("op", "call", "annotation")}
    open_ = np.flatnonzero(at >= 0)
    while len(open_):
        kind, here = spans.kind[at[open_]], at[open_]
        found["op"][open_[kind == SpanKind.OP]] = here[kind == SpanKind.OP]
        calls = np.isin(kind, _CALLS)
        found["call"][open_[calls]] = here[calls]
        nearest = (kind == SpanKind.ANNOTATION) & (found["annotation"][open_] == NONE)
        found["annotation"][open_[nearest]] = here[nearest]
        at[open_] = spans.parent[here]
        open_ = open_[at[open_] >= 0]
    owner = rows.astype(np.int64)
    there = np.flatnonzero(owner >= 0)
    owner[there[spans.kind[owner[there]] == SpanKind.MARKER]] = NONE
    for kind in ("annotation", "call", "op"):
        owner = np.where(found[kind] >= 0, found[kind], owner)
    return owner


def owner_texts(profile: Profile, places: Int64, texts: Texts) -> tuple[Int64, Int64]:
    """Operation and module of allocations; an operation that the file names itself comes before the spans around it."""
    table, spans = profile.allocations, profile.spans
    rows = table.row[places]
    owner = owner_rows(profile, rows)
    named = texts.numbers(table.op[places], profile.names)
    op = np.where(named > 0, named, texts.of_each(owner, lambda row: profile.names[int(spans.name[row])]))
    calls = module_calls(profile)
    if calls is not None:
        inside = np.where(rows >= 0, calls.module[np.maximum(rows, 0)], NONE)
        return op, texts.of_each(inside, lambda module: "/".join(calls.paths[module]))
    number = np.where(owner >= 0, spans.op[np.maximum(owner, 0)], NONE) if len(spans) else np.full(len(places), NONE)
    scope = texts.of_each(number, lambda one: profile.ops[one].scope)
    return op, np.where(named > 0, texts.of_each(named, lambda one: texts.all[one].rpartition("/")[0]), scope)
