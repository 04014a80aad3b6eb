"""Reads PyTorch's and Chrome's traces into profiles, whole or rank by rank, and lists the rules that give spans their kinds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from stepscope._native import read_kineto, read_kineto_ranks
from stepscope.formats.file_content import unpacks_too_far
from stepscope.formats.format import Limits
from stepscope.formats.kind_rows import pattern_of
from stepscope.formats.kineto import FORMAT
from stepscope.formats.kineto.arguments import remember_index
from stepscope.formats.kineto.rules import RULES, Rule, Scope
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind
from stepscope.model.span_kinds import KindRow
from stepscope.sources.files import origin_of

_HELD_AGAINST = {
    Scope.HOST: "operations and annotations",
    Scope.PYTHON: "Python functions",
    Scope.RUNTIME: "runtime calls",
    Scope.KERNEL: "kernels",
}

_FRAMEWORK_OF = {"stepscope": "Python", "stepscope.steps": ""}
"""By the program that wrote the trace: captures of plain Python, and slow steps of whatever trains."""


def read(path: str, limits: Limits, rules: tuple[Rule, ...] = RULES) -> Profile:
    """Reads a whole trace. What is broken is repaired or left out with a note; raises BadInput when it is no trace at all."""
    name = os.path.basename(path)
    state, tables, index, _ = read_kineto(
        origin_of(path), [rule.as_tuple() for rule in rules], limits.bytes, limits.ratio, limits.spans, limits.names
    )
    if state == "bomb":
        raise unpacks_too_far(name, limits)
    if state == "unknown":
        raise BadInput(f"{name} contains no trace events; open a trace written by a profiler.", "no_events")
    if index is not None:
        remember_index(path, index)
    profile = profile_from_columns(tables, format=FORMAT.id, path=path)
    return replace(profile, framework=_FRAMEWORK_OF.get(profile.environment.get("program", ""), profile.framework))


def read_ranks(path: str, limits: Limits) -> list[Profile]:
    """The profile of each rank, by the labels that merging tools give to processes, threads or events; none when there are too few."""
    tables = read_kineto_ranks(
        origin_of(path), [rule.as_tuple() for rule in RULES], limits.bytes, limits.ratio, limits.spans, limits.names
    )
    return [profile_from_columns(each, format=FORMAT.id, path=path) for each in tables]


def kind_rows() -> Iterator[KindRow]:
    """The rules that users may read."""
    for rule in RULES:
        if rule.scope in _HELD_AGAINST:
            pattern = pattern_of(rule.match.name.lower(), rule.text)
            yield KindRow(pattern, SpanKind(rule.result).name.lower(), _HELD_AGAINST[Scope(rule.scope)], FORMAT.title, False)
