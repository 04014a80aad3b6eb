"""`stepscope profile hlo`: the operations of compiled XLA programs, their text and what is around one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.hlo_answers import neighbourhood_answer, node_answer, row_answer
from stepscope.cli.profile.hlo_lines import neighbour_lines, table_lines, tree_lines
from stepscope.cli.profile.range_options import range_options
from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, limits_of, read_profiles
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput, NotThere

if TYPE_CHECKING:
    from stepscope.analyses.devices.peaks import Peaks
    from stepscope.analyses.programs.hlo import HloRow
    from stepscope.model.hlo import HloProgram
    from stepscope.model.profile import Profile

_BY = ("op", "category", "program", "framework", "source")


@click.command("hlo")
@click.argument("profile", metavar="PROFILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@csv_option
@click.option("--program", "wanted", metavar="NAME", help="Only this program, such as jit_step or jit_step(20).")
@click.option("--by", type=click.Choice(_BY), default="op", show_default=True, help="What makes one row.")
@click.option("--contains", metavar="TEXT", help="Only rows whose name, framework operation or source holds TEXT, in either case.")
@click.option("--tree", is_flag=True, help="Programs, their categories, operations and what is fused into them, as a tree.")
@click.option("--waste", is_flag=True, help="What wastes most time first.")
@click.option("--op", metavar="NAME", help="One operation: its text, and what it takes from and gives to.")
@click.option("--width", type=click.IntRange(0, 20), default=2, show_default=True, help="How far from --op to go.")
@click.option("--text", is_flag=True, help="The program's text, or that of --op, instead of the table.")
@click.option("--long", is_flag=True, help="With --text: also layouts, origins and the backend's settings.")
@click.option(
    "--peak-tflops", type=click.FloatRange(0, min_open=True), metavar="N", help="What the device can do at most, if you know it."
)
@click.option("--peak-gbs", type=click.FloatRange(0, min_open=True), metavar="N", help="Its memory's bandwidth in GB/s.")
@range_options
@click.option("--max-gib", type=click.IntRange(1, 1 << 20), metavar="N", help="Read a file of up to N GiB.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
def command(
    profile: str,
    as_json: bool,
    as_csv: bool,
    wanted: str | None,
    by: str,
    contains: str | None,
    tree: bool,
    waste: bool,
    op: str | None,
    width: int,
    text: bool,
    long: bool,
    peak_tflops: float | None,
    peak_gbs: float | None,
    max_gib: int | None,
    no_cache: bool,
) -> None:
    """List the operations of the compiled XLA programs in PROFILE, on devices and on the CPU.

    Arithmetic and bytes are counted from the program's own HLO, per execution and never per kernel. Bound says which of the two
    would take longer at the device's peak; wasted is the time beyond that.
    """
    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    found = [_Programs(each, max_gib, wanted) for each in profiles]
    if not any(each.programs for each in found):
        raise NotThere(_missing(profile, wanted, profiles), "no_hlo")
    if op is not None:
        _show_op(found, op, width, as_json=as_json, only_text=text, long=long)
    elif text:
        _show_text(found, as_json=as_json, long=long)
    else:
        peaks = _peaks(peak_tflops, peak_gbs)
        _show_table(found, by, contains, peaks, tree=tree, waste=waste, as_json=as_json, as_csv=as_csv)


class _Programs:
    """A profile, its programs, and what is said of those that could not be read."""

    def __init__(self, profile: Profile, max_gib: int | None, wanted: str | None) -> None:
        from stepscope.formats.xplane.programs import read_programs

        programs, notes = read_programs(profile, limits_of(max_gib))
        self.profile = profile
        self.programs = [each for each in programs if wanted is None or wanted in (each.name, each.name.rsplit("(", 1)[0])]
        self.wanted = wanted
        self.notes = [note.text for note in notes]

    def rows(self, by: str, peaks: Peaks | None) -> list[HloRow]:
        from stepscope.analyses.programs.hlo import HloBy, hlo_rows

        names = None if self.wanted is None else {program.name for program in self.programs}
        return hlo_rows(self.profile, self.programs, HloBy(by), peaks, names)


def _show_table(
    found: list[_Programs], by: str, contains: str | None, peaks: Peaks | None, *, tree: bool, waste: bool, as_json: bool, as_csv: bool
) -> None:
    from stepscope.analyses.programs.hlo import peak_notes
    from stepscope.analyses.programs.tree import hlo_tree

    pairs = [(each.profile, row) for each in found for row in each.rows("op" if tree else by, peaks) if _holds(row, contains)]
    pairs.sort(key=lambda pair: (-(pair[1].wasted_ns or 0.0) if waste else 0.0, -pair[1].self_ns, pair[1].program, pair[1].name))
    rows = [row for _, row in pairs]
    notes = [*(note for each in found for note in each.notes), *peak_notes(rows)]
    if tree:
        nodes = hlo_tree(rows, [program for each in found for program in each.programs], by_waste=waste)
        if as_json:
            echo_json({"tree": [node_answer(node) for node in nodes], "notes": notes})
        else:
            click.echo("\n".join(tree_lines(nodes, notes)))
    elif as_csv:
        echo_csv([row_answer(each, row) for each, row in pairs])
    elif as_json:
        programs = [{"name": program.name, "instructions": len(program)} for each in found for program in each.programs]
        echo_json({"programs": programs, "rows": [row_answer(each, row) for each, row in pairs], "notes": notes})
    else:
        click.echo("\n".join(table_lines(rows, notes)))


def _show_op(found: list[_Programs], op: str, width: int, *, as_json: bool, only_text: bool, long: bool) -> None:
    from stepscope.analyses.programs.neighbourhood import neighbourhood
    from stepscope.analyses.programs.text import op_lines

    program, row = _find(found, op)
    lines = list(op_lines(program, row, long=long))
    if as_json:
        around = neighbourhood_answer(program, neighbourhood(program, row, width))
        echo_json({"program": program.name, "text": "\n".join(lines), "neighbourhood": around})
        return
    click.echo("\n".join(printable(line) for line in lines))
    if not only_text:
        click.echo("\n".join(["", f"In {printable(program.name)}:", *neighbour_lines(program, neighbourhood(program, row, width))]))


def _show_text(found: list[_Programs], *, as_json: bool, long: bool) -> None:
    from stepscope.analyses.programs.text import program_lines

    programs = list({program.name: program for each in found for program in each.programs}.values())
    if as_json:
        echo_json({"programs": [{"name": each.name, "text": "\n".join(program_lines(each, long=long))} for each in programs]})
        return
    for place, program in enumerate(programs):
        if place:
            click.echo("")
        for line in program_lines(program, long=long):
            click.echo(printable(line))


def _find(found: list[_Programs], op: str) -> tuple[HloProgram, int]:
    from stepscope.analyses.programs.text import find_op

    places = {program.name: (program, find_op(program, op)) for each in found for program in each.programs}
    there = [place for place in places.values() if place[1] >= 0]
    if not there:
        raise NotThere(f"No program has an operation {op}; run without --op for the list.", "no_hlo_op")
    if len(there) > 1:
        names = ", ".join(program.name for program, _ in there[:5])
        raise BadInput(f"Several programs have an operation {op}: choose one with --program ({names}).", "several_hlo_ops")
    return there[0]


def _holds(row: HloRow, contains: str | None) -> bool:
    return contains is None or contains.lower() in f"{row.name}\n{row.framework_op}\n{row.source}".lower()


def _peaks(tflops: float | None, gbs: float | None) -> Peaks | None:
    from stepscope.analyses.devices.peaks import Peaks

    if tflops is None and gbs is None:
        return None
    return Peaks({} if tflops is None else {"given": tflops * 1e12}, None if gbs is None else gbs * 1e9)


def _missing(path: str, wanted: str | None, profiles: list[Profile]) -> str:
    names = [program.name for each in profiles for program in each.programs]
    if wanted is not None and names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return f"{path} has no program {wanted}; it has {', '.join(names[:5])}{more}."
    return f"{path} holds no compiled XLA program; record JAX, or a TensorFlow function with jit_compile=True."
