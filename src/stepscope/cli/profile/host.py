"""`stepscope profile host`: what the host does around operations, functions that are compiled again, and eager beside compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import echo_json, known, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, count_of, percent, printable, table

if TYPE_CHECKING:
    from stepscope.analyses.host.work import HostWork, NamedTime
    from stepscope.analyses.work.aligned_operations import Aligned, Side
    from stepscope.model.profile import Profile

_FUNCTIONS = 12
_ALIGNED = 20


@click.command("host")
@profile_options
@click.option(
    "--beside",
    metavar="OTHER",
    help="A profile of the same code, run otherwise: eager beside compiled. Operations are aligned by name.",
)
def command(profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool, beside: str | None) -> None:
    """Say what the host does around the operations of PROFILE.

    Times are of a typical step and exclude what other work hides: Python between operations, tracing and compiling, handing out
    operations one by one, waiting for the device, memory, files and garbage. In sum they are the host's part of the report. Calls and
    traces are of all steps.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.host.work import host_work
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.work.aligned_operations import align

    ranks = [(each, break_down(each, find_steps(each, steps_by))) for each in read_profiles(profile, max_gib, cache=not no_cache)]
    found = [(each, host_work(each, breakdown)) for each, breakdown in ranks]
    aligned = None
    if beside is not None:
        other = read_profiles(beside, max_gib, cache=not no_cache)[0]
        aligned = align(ranks[0], (other, break_down(other, find_steps(other))))
    if as_json:
        answer: dict[str, Any] = {"hosts": [host_answer(*one) for one in found]}
        echo_json(answer if aligned is None else answer | {"aligned": [_aligned_answer(one) for one in aligned]})
    else:
        texts = [_text(*one, named=len(found) > 1) for one in found]
        click.echo("\n\n".join([*texts, *([] if aligned is None else [_aligned_text(aligned)])]))


def host_answer(profile: Profile, found: HostWork) -> dict[str, Any]:
    """The keys of --json, of one rank."""
    return {
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "framework": profile.framework,
        "step_us": found.step_ns / 1e3,
        "python_us": found.python_ns / 1e3 if found.python_recorded else None,
        "waiting_us": found.waiting_ns / 1e3 if found.python_recorded else None,
        "compile_us": found.compile_ns / 1e3,
        "dispatch_us": found.dispatch_ns / 1e3,
        "framework_us": found.framework_ns / 1e3,
        "sync_us": found.sync_ns / 1e3,
        "alloc_us": found.alloc_ns / 1e3,
        "io_us": found.io_ns / 1e3,
        "gc_us": found.gc_ns / 1e3,
        "host_us": found.host_ns / 1e3,
        "untraced_us": found.untraced_ns / 1e3,
        "calls_in_runs": found.calls_in_runs,
        "eager": found.eager,
        "compiled": found.compiled,
        "eager_share": known(found.eager_share),
        "functions": [
            {
                "name": each.name,
                "compiler": each.compiler.value,
                "calls": each.calls,
                "traces": each.traces,
                "total_us": each.total_ns / 1e3,
                "traced_us": each.traced_ns / 1e3,
                "versions": each.versions,
            }
            for each in found.functions
        ],
        "python": [_named_answer(each) for each in found.python],
        "waits": [_named_answer(each) for each in found.waits],
        "garbage": {
            "count": found.garbage.count,
            "total_us": found.garbage.total_ns / 1e3,
            "longest_us": found.garbage.longest_ns / 1e3,
        },
    }


def _named_answer(found: NamedTime) -> dict[str, Any]:
    return {"name": found.name, "us": found.ns / 1e3, "calls": found.calls}


def _aligned_answer(found: Aligned) -> dict[str, Any]:
    sides = {
        key: None if side is None else {"calls": side.calls, "us": side.ns / 1e3}
        for key, side in (("first", found.first), ("second", found.second))
    }
    return {"name": found.name, **sides, "difference_us": found.difference_ns / 1e3}


def _text(profile: Profile, found: HostWork, *, named: bool) -> str:
    lines = [f"{printable(profile.host)}{f' rank {profile.rank}' if profile.rank >= 0 else ''}"] if named else []
    step_ns = found.step_ns or 1.0
    share = percent(found.host_ns / step_ns)
    lines += [f"A typical step takes {_ms(found.step_ns)} ms. In {_ms(found.host_ns)} ms, {share}, only the host works:", ""]
    rows = [(title, ns) for _, title, ns in found.lines]
    rows += [("The host in all", found.host_ns), ("Nothing that was traced", found.untraced_ns)]
    lines += table(("", "ms", "share"), [(name, _ms(ns), percent(ns / step_ns)) for name, ns in rows], COLUMNS)
    lines += ["", *_sentences(found)]
    if found.functions:
        lines += ["", *_function_lines(found)]
    if found.python:
        lines += ["", *_named_lines("Python function", found.python)]
    if found.waits:
        lines += ["", *_named_lines("waits in", found.waits)]
    return "\n".join(line.rstrip() for line in lines)


def _sentences(found: HostWork) -> list[str]:
    lines: list[str] = []
    if found.eager_share is not None:
        lines.append(f"{percent(found.eager_share)} of {count_of(found.eager + found.compiled, 'operation')} were run on their own.")
    if found.calls_in_runs >= 1:
        lines.append(f"{found.calls_in_runs:,.0f} short calls a step come one right after another.")
    if found.garbage.count:
        longest = f"the longest takes {_ms(found.garbage.longest_ns)} ms"
        lines.append(f"Garbage was collected {count_of(found.garbage.count, 'time')} in {_ms(found.garbage.total_ns)} ms; {longest}.")
    if not found.python_recorded:
        lines.append("Python was not recorded: with_stack in PyTorch, python_tracer_level=1 in JAX.")
    return lines


def _function_lines(found: HostWork) -> list[str]:
    rows = [
        (each.name, each.compiler.value, f"{each.calls:,}", f"{each.traces:,}", _ms(each.total_ns), _ms(each.traced_ns))
        for each in found.functions[:_FUNCTIONS]
    ]
    lines = table(("compiled function", "by", "calls", "traces", "ms", "ms tracing"), rows, COLUMNS)
    more = len(found.functions) - _FUNCTIONS
    return [*lines, f"and {count_of(more, 'other')}"] if more > 0 else lines


def _named_lines(title: str, found: Sequence[NamedTime]) -> list[str]:
    return table((title, "ms a step", "calls a step"), [(one.name, _ms(one.ns), f"{one.calls:,.1f}") for one in found], COLUMNS)


def _aligned_text(found: Sequence[Aligned]) -> str:
    rows = [(one.name, *_side(one.first), *_side(one.second), f"{one.difference_ns / 1e6:+,.3f}") for one in found[:_ALIGNED]]
    lines = table(("operation, in a typical step", "calls", "ms", "other's", "ms", "differs"), rows, COLUMNS)
    total = sum(one.difference_ns for one in found) / 1e6
    more = f"; {count_of(len(found) - _ALIGNED, 'other')} not shown" if len(found) > _ALIGNED else ""
    return "\n".join([*(line.rstrip() for line in lines), "", f"All operations together differ by {total:+,.3f} ms{more}."])


def _side(side: Side | None) -> tuple[str, str]:
    return ("", "") if side is None else (f"{side.calls:,.1f}", f"{side.ns / 1e6:,.3f}")


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:,.2f}"
