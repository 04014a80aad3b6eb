"""Gives the spans of a profile the kinds that a user has listed for their names, after the format's reader gave them its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stepscope._native import first_fitting
from stepscope.formats.collective_names import COLLECTIVE_NAMES
from stepscope.formats.span_kinds import COLLECTIVE, COLLECTIVES, KINDS_OF_THREADS, NOT_ONE, PHASES, SpanRule
from stepscope.model.profile import NONE, Collectives, Int8, Int32, Int64, Profile, SpanKind, TrackPurpose, TrackRole

_MAY_COMMUNICATE = (SpanKind.OTHER, SpanKind.OP, SpanKind.KERNEL, SpanKind.ANNOTATION, SpanKind.FRAMEWORK, SpanKind.COLLECTIVE)
_NEVER_OF_THREADS = (SpanKind.MARKER, SpanKind.KERNEL, SpanKind.COPY, SpanKind.FILL)


def with_rules(profile: Profile, rules: Sequence[SpanRule]) -> Profile:
    """The profile with the kinds that the first fitting rule gives to each name. Steps stay steps, and copies copies."""
    if not rules or not len(profile.spans):
        return profile
    rule_of_name = first_fitting(profile.names, [rule.pattern for rule in rules])
    if not (rule_of_name >= 0).any():
        return profile
    spans = profile.spans
    rule = rule_of_name[spans.name]
    kind = spans.kind.copy()
    _do_on_threads(profile, rules, rule, kind)
    communicates = _communicate(profile, rules, rule, kind)
    names, collectives = _collectives(profile, rules, rule, kind, communicates)
    phases = _phases(rules, rule_of_name)
    return replace(profile, names=names, spans=replace(spans, kind=kind), collectives=collectives, listed_phases=phases)


def _phases(rules: Sequence[SpanRule], rule_of_name: Int32) -> dict[int, str]:
    places: list[int] = rule_of_name.tolist()
    return {name: rules[place].kind for name, place in enumerate(places) if place >= 0 and rules[place].kind in PHASES}


def _do_on_threads(profile: Profile, rules: Sequence[SpanRule], rule: Int32, kind: Int8) -> None:
    """Kinds of what threads do. What a thread of the input pipeline does ahead of the step is nothing that the step waits for."""
    given = np.array([_kind_on_threads(one.kind) for one in rules], np.int8)[np.maximum(rule, 0)]
    track = profile.spans.track
    chosen = (rule >= 0) & (given >= 0) & ~np.isin(kind, _NEVER_OF_THREADS) & _role(profile, TrackRole.THREAD)[track]
    ahead = np.array([one.purpose == TrackPurpose.INPUT for one in profile.tracks], bool)[track]
    chosen &= ~(ahead & (given == SpanKind.INPUT))
    kind[chosen] = given[chosen]


def _kind_on_threads(word: str) -> int:
    return SpanKind.INPUT if word in PHASES else KINDS_OF_THREADS.get(word, NONE)


def _communicate(profile: Profile, rules: Sequence[SpanRule], rule: Int32, kind: Int8) -> NDArray[np.bool_]:
    """Where a rule names communication; where one says that there is none, what was communication is a kernel or an operation."""
    track = profile.spans.track
    on_stream = _role(profile, TrackRole.STREAM)[track]
    asked = (rule >= 0) & np.isin(kind, _MAY_COMMUNICATE) & (on_stream | _role(profile, TrackRole.THREAD)[track])
    says = np.array([_kind_on_threads(one.kind) == NONE and one.kind != NOT_ONE for one in rules])[np.maximum(rule, 0)]
    denies = np.array([one.kind == NOT_ONE for one in rules])[np.maximum(rule, 0)]
    gone = asked & denies & (kind == SpanKind.COLLECTIVE)
    kind[gone] = np.where(on_stream[gone], SpanKind.KERNEL, SpanKind.OP)
    kind[asked & says] = SpanKind.COLLECTIVE
    return asked & says


def _collectives(
    profile: Profile, rules: Sequence[SpanRule], rule: Int32, kind: Int8, communicates: NDArray[np.bool_]
) -> tuple[list[str], Collectives]:
    """The names with those of communication that rules add, and the table of collectives: a row that is there keeps its facts."""
    table = profile.collectives
    added = np.flatnonzero(communicates)
    said = [one.kind for one in rules if one.kind in COLLECTIVES]
    if any(one.kind == COLLECTIVE for one in rules):
        said += [name for name, _ in COLLECTIVE_NAMES]
    place = {name: at for at, name in enumerate(dict.fromkeys(said), len(profile.names))}
    of_rule = np.array([place.get(one.kind, NONE) for one in rules], np.int32)
    given = of_rule[rule[added]]
    own = given == NONE
    given[own] = _common_names(profile, added[own], place)
    name = table.name.copy()
    by_row = dict(zip(added.tolist(), given.tolist(), strict=True))
    for at, row in enumerate(table.row.tolist()):
        name[at] = by_row.get(row, name[at])
    gone = (profile.spans.kind[table.row] == SpanKind.COLLECTIVE) & (kind[table.row] != SpanKind.COLLECTIVE)
    return [*profile.names, *place], _joined(replace(table, name=name), ~gone, added, given)


def _common_names(profile: Profile, rows: Int64, place: dict[str, int]) -> Int32:
    """What the spans' own names call communication; the name itself where that is none of the usual ones."""
    own = profile.spans.name[rows]
    distinct, where = np.unique(own, return_inverse=True)
    patterns = [f"*{spelling}*" for _, spelling in COLLECTIVE_NAMES]
    found: list[int] = first_fitting([profile.names[int(one)] for one in distinct], patterns).tolist()
    told = [place[COLLECTIVE_NAMES[at][0]] if at >= 0 else int(one) for one, at in zip(distinct, found, strict=True)]
    return np.array(told, np.int32)[where]


def _joined(table: Collectives, kept: NDArray[np.bool_], added: Int64, names: Int32) -> Collectives:
    new = ~np.isin(added, table.row)
    count = int(new.sum())
    unknown32, unknown64 = np.full(count, NONE, np.int32), np.full(count, NONE, np.int64)
    row = np.concatenate([table.row[kept], added[new].astype(np.int32)])
    order = np.argsort(row, kind="stable")
    return Collectives(
        row=row[order],
        name=np.concatenate([table.name[kept], names[new]])[order],
        group=np.concatenate([table.group[kept], unknown32])[order],
        group_size=np.concatenate([table.group_size[kept], unknown32])[order],
        sequence=np.concatenate([table.sequence[kept], unknown64])[order],
        in_bytes=np.concatenate([table.in_bytes[kept], unknown64])[order],
        out_bytes=np.concatenate([table.out_bytes[kept], unknown64])[order],
        dtype=np.concatenate([table.dtype[kept], unknown32])[order],
        peer=np.concatenate([table.peer[kept], unknown32])[order],
    )


def _role(profile: Profile, role: TrackRole) -> NDArray[np.bool_]:
    return np.array([track.role == role for track in profile.tracks], bool)
