"""`stepscope profile hlo`: the operations of compiled XLA programs, their text and what is around one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.hlo_lines import neighbour_lines, table_lines, tree_lines
from stepscope.cli.profile.options import csv_option, profile_options
from stepscope.cli.terminal import printable

if TYPE_CHECKING:
    from stepscope.session.parts.hlo_op import HloOp, HloText

_BY = ("op", "category", "program", "framework", "source")
_PEAK = click.FloatRange(0, min_open=True)


@click.command("hlo")
@profile_options
@csv_option
@click.option("--program", default="", metavar="NAME", help="Show only this program, such as jit_step or jit_step(20).")
@click.option("--by", type=click.Choice(_BY), default="op", show_default=True, help="Group rows by this.")
@click.option(
    "--contains",
    default="",
    metavar="TEXT",
    help="Show only rows whose name, framework operation or source contains TEXT (case-insensitive).",
)
@click.option("--tree", is_flag=True, help="Show a tree of programs, categories, operations and fused instructions.")
@click.option("--waste", is_flag=True, help="Sort by wasted time.")
@click.option("--op", metavar="NAME", help="Show one operation: its text, its operands and its users.")
@click.option(
    "--width", type=click.IntRange(0, 20), default=2, show_default=True, help="Show instructions up to this distance from --op."
)
@click.option("--text", is_flag=True, help="Show the HLO text of the programs, or of --op.")
@click.option("--long", is_flag=True, help="Add layouts, origins and backend settings to the text.")
@click.option("--peak-tflops", type=_PEAK, metavar="N", help="Peak TFLOP/s of the device, in place of the recorded one.")
@click.option("--peak-gbs", type=_PEAK, metavar="N", help="Memory bandwidth of the device in GB/s, in place of the recorded one.")
def command(
    profile: str,
    as_json: bool,
    as_csv: bool,
    program: str,
    by: str,
    contains: str,
    tree: bool,
    waste: bool,
    op: str | None,
    width: int,
    text: bool,
    long: bool,
    peak_tflops: float | None,
    peak_gbs: float | None,
    **_: object,
) -> None:
    """List the operations of the compiled XLA programs in PROFILE, on devices and on the CPU.

    Arithmetic and bytes are counted from the program's HLO, per execution and never per kernel. Bound says which of the two needs
    more time at the peak of the device; wasted is the time beyond that.
    """
    from stepscope.session.parts.hlo import HLO, HLO_TREE, HloBy
    from stepscope.session.parts.hlo_op import HLO_OP, HLO_TEXT

    if op is not None:
        found = ask(HLO_OP, profile, program=program, op=op, width=width, long=long)
        if as_json:
            echo_answer(found)
        else:
            click.echo("\n".join(_op_lines(found, only_text=text)))
        return
    if text:
        texts = ask(HLO_TEXT, profile, program=program, long=long)
        if as_json:
            echo_answer(texts)
        else:
            click.echo(_program_text(texts))
        return
    chosen = {"program": program, "contains": contains, "waste": waste, "peak_tflops": peak_tflops, "peak_gbs": peak_gbs}
    if tree:
        nodes = ask(HLO_TREE, profile, **chosen)
        if as_json:
            echo_answer(nodes)
        elif as_csv:
            echo_rows(nodes.nodes)
        else:
            click.echo("\n".join(tree_lines(nodes)))
        return
    answer = ask(HLO, profile, by=HloBy(by), **chosen)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.rows)
    else:
        click.echo("\n".join(table_lines(answer)))


def _op_lines(found: HloOp, *, only_text: bool) -> list[str]:
    lines = [printable(line) for line in found.text.split("\n")]
    return lines if only_text else [*lines, "", f"In {printable(found.program)}:", *neighbour_lines(found.neighbourhood)]


def _program_text(answer: HloText) -> str:
    from stepscope.session.parts.hlo_op import NO_PROGRAM

    texts = ["\n".join(printable(line) for line in program.text.split("\n")) for program in answer.programs]
    return "\n\n".join(texts) or NO_PROGRAM
