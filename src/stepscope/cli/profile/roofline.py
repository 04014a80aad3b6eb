"""`stepscope profile roofline`: what operations achieve beneath what the device allows."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.kernels import position_answer
from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, known, limits_of, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, billions, percent, printable, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.roofline.roofline import Roofline, RooflinePoint, Utilisation
    from stepscope.model.profile import Profile

_SHOWN = 40


@click.command("roofline")
@profile_options
@csv_option
@click.option("--contains", metavar="TEXT", help="Only operations and kernels whose name holds TEXT, in letters of either case.")
def command(
    profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool, as_csv: bool, contains: str | None
) -> None:
    """Say what the operations of PROFILE achieve of what the device allows.

    For operations of compiled programs and for kernels, as far as their arithmetic or bytes are known: FLOP for each byte, FLOP/s and
    bytes/s, and the share of the roof that is lower there. MFU is what the known arithmetic of a typical step would take at the
    device's peaks, of the step.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.roofline.roofline import roofline
    from stepscope.analyses.steps import find_steps
    from stepscope.formats.span_attributes import span_attributes
    from stepscope.formats.xplane.programs import read_programs

    found: list[tuple[Profile, Roofline]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache):
        programs = read_programs(each, limits_of(max_gib))[0]
        found.append((each, roofline(each, break_down(each, find_steps(each, steps_by)), programs, span_attributes)))
    points = [(each, point) for each, of_rank in found for point in of_rank.points if _holds(point, contains)]
    points.sort(key=lambda pair: (-pair[1].total_ns, pair[1].name, pair[1].detail))
    if as_json:
        echo_json({"ranks": [_rank_answer(*pair) for pair in found], "points": [_point_answer(*pair) for pair in points]})
    elif as_csv:
        echo_csv([_point_answer(*pair) for pair in points])
    else:
        click.echo(_text([each for _, each in found], [point for _, point in points]))


def _holds(point: RooflinePoint, contains: str | None) -> bool:
    return contains is None or contains.lower() in f"{point.name}\n{point.detail}".lower()


def _rank_answer(profile: Profile, found: Roofline) -> dict[str, Any]:
    return {
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "roofs": [
            {
                "device": roof.device,
                "count": roof.count,
                "flops_per_second": roof.flops,
                "bytes_per_second": roof.bandwidth,
                "levels": [{"name": level.name, "bytes_per_second": level.bandwidth} for level in roof.levels],
            }
            for roof in found.roofs
        ],
        "utilisation": None if found.use is None else _use_answer(found.use),
        "notes": list(found.notes),
    }


def _use_answer(use: Utilisation) -> dict[str, Any]:
    return {
        "step_ms": use.step_ns / 1e6,
        "devices": use.devices,
        "flops_per_step": use.flops,
        "flops_per_second": use.flops_per_second,
        "mfu": use.mfu,
        "hfu": use.hfu,
        "known_share": use.known_share,
    }


def _point_answer(profile: Profile, point: RooflinePoint) -> dict[str, Any]:
    return {
        "name": point.name,
        "detail": point.detail,
        "device": point.device,
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "count": point.count,
        "total_us": point.total_ns / 1e3,
        "share": point.share,
        "rematerialised": point.rematerialised,
        "achieved_occupancy": known(point.occupancy),
        **position_answer(point.position),
        "implausible": point.implausible,
    }


def _text(found: list[Roofline], points: list[RooflinePoint]) -> str:
    from stepscope.analyses.roofline.roofline import prefixed, use_sentence

    lines = [line for each in found if each.use for line in wrap(use_sentence(each.use), COLUMNS)]
    rows = [
        (
            point.name,
            shortened(point.detail, 14),
            percent(point.share),
            prefixed(point.position.intensity, ""),
            billions(point.position.flops_per_second),
            billions(point.position.bytes_per_second),
            _roof(point),
        )
        for point in points[:_SHOWN]
    ]
    if rows:
        heads = ("operation", "kernel or kind", "time", "FLOP/B", "GFLOP/s", "GB/s", "of roof")
        lines += [*([""] if lines else []), *(line.rstrip() for line in table(heads, rows, COLUMNS))]
    if len(points) > _SHOWN:
        lines.append(f"and {len(points) - _SHOWN:,} more; see --json")
    for note in dict.fromkeys(note for each in found for note in each.notes):
        lines += ["", *wrap(printable(note), COLUMNS)] if lines else wrap(printable(note), COLUMNS)
    return "\n".join(lines)


def _roof(point: RooflinePoint) -> str:
    position = point.position
    mark = "!" if point.implausible else ""
    if position.roof_share is not None:
        return f"{100 * position.roof_share:.0f} %{mark} {'mem' if position.bound_by == 'memory' else 'arith'}"
    only = [(position.flops_share, "arith"), (position.bandwidth_share, "mem")]
    return next((f"({100 * share:.0f} %{mark} {name})" for share, name in only if share is not None), "")
