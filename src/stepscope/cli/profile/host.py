"""`stepscope profile host`: what the host does around operations, functions that are compiled again, and eager beside compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, opened
from stepscope.cli.profile.options import profile_options
from stepscope.cli.profile.rank_column import title_of
from stepscope.cli.terminal import COLUMNS, count_of, percent, table

if TYPE_CHECKING:
    from stepscope.session.parts.host import AlignedOperation, AlignedSide, HostName, HostOfWorker

_FUNCTIONS = 12
_ALIGNED = 20


@click.command("host")
@profile_options
@click.option("--beside", metavar="OTHER", help="Compare with OTHER, a profile of the same code; rows match by name.")
def command(profile: str, as_json: bool, steps_by: str | None, beside: str | None, **_: object) -> None:
    """Show what the host does around the operations of PROFILE.

    Times are per typical step and exclude what other work hides: Python between operations, tracing and compiling, dispatching
    operations one by one, waiting for the device, memory, files and garbage. They sum to the host group of the report. Calls and
    traces are of all steps.
    """
    from stepscope.cli.profile.range_options import chosen_range
    from stepscope.session.parts import host

    answer = ask(host.HOST, profile)
    if beside is not None:
        wanted = host.HostWanted(steps=steps_by or "", range=chosen_range())
        other = opened(beside).analysed(host.HostWanted(range=chosen_range()))
        answer = host.beside(answer, opened(profile).analysed(wanted), other)
    if as_json:
        echo_answer(answer)
    else:
        several = len(answer.hosts) > 1
        texts = [_text(one, [title_of(one)] if several else []) for one in answer.hosts]
        click.echo("\n\n".join([*texts, *([] if answer.aligned is None else [_aligned_text(answer.aligned)])]))


def _text(found: HostOfWorker, lines: list[str]) -> str:
    step_us = found.step_us or 1.0
    share = percent(found.host_us / step_us)
    lines += [f"Exposed host time is {share} of the step time: {_ms(found.host_us)} of {_ms(found.step_us)} ms.", ""]
    own = [(each.title, each.us) for each in found.breakdown if each.part != "untraced"]
    rest = [(each.title, each.us) for each in found.breakdown if each.part == "untraced"]
    rows = [*own, ("Host, total", found.host_us), *rest]
    lines += table(("", "ms", "share"), [(name, _ms(us), percent(us / step_us)) for name, us in rows], COLUMNS)
    lines += ["", *_sentences(found)]
    if found.functions:
        lines += ["", *_function_lines(found)]
    if found.python:
        lines += ["", *_named_lines("Python function", found.python)]
    if found.waits:
        lines += ["", *_named_lines("waits in", found.waits)]
    return "\n".join(line.rstrip() for line in lines)


def _sentences(found: HostOfWorker) -> list[str]:
    lines: list[str] = []
    if found.eager_share is not None:
        lines.append(f"{percent(found.eager_share)} of {count_of(found.eager + found.compiled, 'operation')} ran eagerly.")
    if found.calls_in_runs >= 1:
        lines.append(f"{found.calls_in_runs:,.0f} short back-to-back calls per step.")
    if found.garbage.count:
        times = f"{count_of(found.garbage.count, 'garbage collection')} took {_ms(found.garbage.total_us)} ms"
        lines.append(f"{times}; the longest took {_ms(found.garbage.longest_us)} ms.")
    if not found.python_recorded:
        lines.append("Python is not recorded: use with_stack (PyTorch) or python_tracer_level=1 (JAX).")
    return lines


def _function_lines(found: HostOfWorker) -> list[str]:
    rows = [
        (each.name, each.compiler, f"{each.calls:,}", f"{each.traces:,}", _ms(each.total_us), _ms(each.traced_us))
        for each in found.functions[:_FUNCTIONS]
    ]
    lines = table(("compiled function", "by", "calls", "traces", "ms", "ms tracing"), rows, COLUMNS)
    more = found.functions_total - _FUNCTIONS
    return [*lines, f"and {count_of(more, 'other')}"] if more > 0 else lines


def _named_lines(title: str, found: Sequence[HostName]) -> list[str]:
    return table((title, "ms per step", "calls per step"), [(one.name, _ms(one.us), f"{one.calls:,.1f}") for one in found], COLUMNS)


def _aligned_text(found: Sequence[AlignedOperation]) -> str:
    rows = [(one.name, *_side(one.first), *_side(one.second), f"{one.difference_us / 1e3:+,.3f}") for one in found[:_ALIGNED]]
    lines = table(("operation, per step", "calls", "ms", "other's", "ms", "differs"), rows, COLUMNS)
    total = sum(one.difference_us for one in found) / 1e3
    more = f"; {count_of(len(found) - _ALIGNED, 'other')} not shown" if len(found) > _ALIGNED else ""
    return "\n".join([*(line.rstrip() for line in lines), "", f"All operations together differ by {total:+,.3f} ms{more}."])


def _side(side: AlignedSide | None) -> tuple[str, str]:
    return ("", "") if side is None else (f"{side.calls:,.1f}", f"{side.us / 1e3:,.3f}")


def _ms(us: float) -> str:
    return f"{us / 1e3:,.2f}"
