"""Which rows of a table a question asks for, in the words of tf.profiler's options: patterns of names, least values and depth."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from stepscope.model import declared as d
from stepscope.session.limits import LeastBytes, LeastUs, Limit
from stepscope.session.part import Wanted

Pattern = Annotated[str, Meta(max_length=190)]


class RowsWanted(Wanted, frozen=True, kw_only=True):
    """Patterns must fit the whole name, case-insensitive; empty: all."""

    start: Annotated[Pattern, d.text("Pattern: only rows whose name, or a scope around it, fits.")] = ""
    show: Annotated[Pattern, d.text("Pattern: only these rows are listed.")] = ""
    hide: Annotated[Pattern, d.text("Pattern: rows that are not listed.")] = ""
    types: Annotated[Pattern, d.text("Pattern: only rows whose operation or device fits.")] = ""
    min_us: LeastUs = 0.0
    min_bytes: LeastBytes = 0
    min_flops: Annotated[float, d.number("Only rows with at least this many FLOPs.", "FLOP")] = 0.0
    depth: Annotated[int, d.count("Levels of names that are listed, such as 2 for `net/dense`; 0: all.")] = 0
    limit: Limit = 0


class CountedRowsWanted(RowsWanted, frozen=True, kw_only=True):
    """Rows that may have parameters: those of variables in the graph that the run has logged."""

    min_parameters: Annotated[int, d.count("Only rows with at least this many parameters.")] = 0


def is_chosen(wanted: RowsWanted, name: str, *types: str) -> bool:
    """Whether a row of that name, and of these types and devices, is asked for. Raises BadInput for a pattern that cannot be used."""
    from stepscope.analyses.statistics.options import simple_pattern

    parts = name.split("/")
    if wanted.depth and len(parts) > wanted.depth:
        return False
    around = ["/".join(parts[:place]) for place in range(1, len(parts) + 1)] if wanted.start else []
    return (
        (not wanted.start or any(simple_pattern(wanted.start)(each) for each in around))
        and (not wanted.show or bool(simple_pattern(wanted.show)(name)))
        and (not wanted.hide or not simple_pattern(wanted.hide)(name))
        and (not wanted.types or any(simple_pattern(wanted.types)(each) for each in types))
    )
