"""Which operations of the graph and the trace have time and memory, and why the others have not."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Contains, Limit, contains, limited
from stepscope.session.part import Answer, Part, Wanted


class CoverageWanted(Wanted, frozen=True, kw_only=True):
    """Which rows are listed."""

    contains: Contains = ""
    reason: Annotated[str, d.text("Only rows with this reason; empty: all.")] = ""
    limit: Limit = 0


class MissingRow(Struct, frozen=True, kw_only=True):
    """An operation without time, or without memory."""

    name: Annotated[str, d.text("Name of the node of the graph, instruction of the program, or operation of the trace.")]
    op: Annotated[str, d.text("Its operation.")]
    has_time: Annotated[bool, d.flag("Whether it has time; it then has no memory.")]
    reason: Annotated[str, d.text("Why it has no time, or no memory if it has time: a stable word.")]
    meaning: Annotated[str, d.text("What the reason means.")]
    into: Annotated[str, d.text("Operation that does its work or took its place; empty when there is none.")]
    evidence: Annotated[str, d.text("What in the profile shows it; empty when nothing more is known.")]
    remedy: Annotated[str, d.text("What to do to see it.")]
    at_most_us: Annotated[
        float | None, d.us("Of an operation that ran without an event: the time between its neighbours; null otherwise.")
    ]


class ReasonCount(Struct, frozen=True, kw_only=True):
    """How many operations have one reason."""

    reason: Annotated[str, d.text("The reason.")]
    meaning: Annotated[str, d.text("What it means.")]
    operations: Annotated[int, d.count("Number of operations.")]


class RanAsRow(Struct, frozen=True, kw_only=True):
    """A node that ran as another operation than the graph says."""

    name: Annotated[str, d.text("Name of the node.")]
    op: Annotated[str, d.text("Its operation in the graph.")]
    ran_as: Annotated[str, d.text("The operation that ran.")]
    includes: Annotated[list[str], d.nested("Nodes whose work its time includes.")]


class Coverage(Answer, frozen=True, kw_only=True):
    """Which operations have time and memory."""

    source: Annotated[
        Literal["graph", "programs", "trace"],
        d.text(
            "What operations are counted: nodes of the logged graph, instructions of compiled programs, or those of the trace alone."
        ),
    ]
    executed_graph: Annotated[
        Literal["partitions", "labels", "none"], d.text("What is known of the executed graph: all of it, names of events, or nothing.")
    ]
    operations: Annotated[int, d.count("Number of operations of graph and trace.")]
    in_graph: Annotated[int, d.count("Of these, nodes of the graph or instructions of programs.")]
    with_time: Annotated[int, d.count("Number of operations with time.")]
    with_memory: Annotated[int, d.count("Number of operations with memory.")]
    graph_with_time: Annotated[int, d.count("Number of nodes of the graph, or instructions, with time.")]
    time_reasons: Annotated[list[ReasonCount], d.nested("Why operations have no time, most frequent first.")]
    memory_reasons: Annotated[list[ReasonCount], d.nested("Why operations with time have no memory, most frequent first.")]
    missing: Annotated[list[MissingRow], d.nested("Operations without time, then those without memory.")]
    total: Annotated[int, d.count("Number of rows, also of those that are not listed.")]
    ran_as: Annotated[list[RanAsRow], d.nested("Nodes that ran as another operation than the graph says.")]
    missing_ranks: Annotated[list[int], d.number("Ranks of the job that have no profile here: nothing they ran is counted.", "rank")]


def _make(session: AnalysedSession, wanted: CoverageWanted) -> Coverage:
    from stepscope.analyses.coverage.coverage import missing
    from stepscope.analyses.coverage.reasons import MEANINGS, Reason
    from stepscope.analyses.session.data_quality import missing_ranks
    from stepscope.session.covered import covered

    source, executed, found = covered(session, wanted.worker)
    rows: list[MissingRow] = []
    for one in missing(found):
        reason = one.memory_reason if one.has_time else one.reason
        meaning, remedy = MEANINGS[reason or Reason.CANNOT_TELL]
        word = (reason or Reason.CANNOT_TELL).value
        if contains(wanted.contains, one.name, one.op) and wanted.reason in {"", word}:
            rows.append(
                MissingRow(
                    name=one.name,
                    op=one.op,
                    has_time=one.has_time,
                    reason=word,
                    meaning=meaning,
                    into=one.into,
                    evidence=one.evidence,
                    remedy=remedy,
                    at_most_us=None if one.at_most_ns is None else one.at_most_ns / 1e3,
                )
            )
    includes: dict[str, list[str]] = {}
    for one in found:
        if one.reason is Reason.FUSED and one.into:
            includes.setdefault(one.into, []).append(one.name)

    def counted(reasons: Counter[Reason]) -> list[ReasonCount]:
        return [ReasonCount(reason=each.value, meaning=MEANINGS[each][0], operations=count) for each, count in reasons.most_common()]

    return Coverage(
        source=source,
        executed_graph=executed,
        operations=len(found),
        in_graph=sum(one.in_graph for one in found),
        with_time=sum(one.has_time for one in found),
        with_memory=sum(one.has_memory for one in found),
        graph_with_time=sum(one.has_time and one.in_graph for one in found),
        time_reasons=counted(Counter(one.reason for one in found if one.reason is not None)),
        memory_reasons=counted(Counter(one.memory_reason for one in found if one.has_time and one.memory_reason is not None)),
        missing=limited(rows, wanted.limit),
        total=len(rows),
        ran_as=[
            RanAsRow(name=one.name, op=one.op, ran_as=one.ran_as, includes=includes.get(one.name, []))
            for one in found
            if one.ran_as and one.in_graph
        ],
        missing_ranks=list(missing_ranks(session.profiles)),
    )


COVERAGE = Part("coverage", "Operations without time or memory", CoverageWanted, Coverage, _make, table="missing", reads_logs=True)
