"""`stepscope profile inference`: latency of requests or batches, divided into queue, host, transfer and device; and a TPU's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, count_of, percent, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.requests import Requests, RequestTimes
    from stepscope.analyses.tpu import TpuStep

_PARTS = ("queue", "host", "transfer", "device")


@click.command("inference")
@profile_options
@csv_option
@click.option("--request", metavar="NAME", help="The annotation around one request or batch; without it a step is one.")
def command(
    profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool, as_csv: bool, request: str | None
) -> None:
    """Say how long requests of PROFILE take at the median, 95th and 99th percentile, and why.

    A request is a span of a thread that you name (record_function, TraceMe, TraceAnnotation), also where a number follows the name.
    It queues until its first work begins, and lasts until its last work on a device has ended.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.requests import requests
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.tpu import tpu_step

    each = read_profiles(profile, max_gib, cache=not no_cache)[0]
    breakdown = break_down(each, find_steps(each, steps_by))
    found = requests(each, breakdown, request)
    tpu = tpu_step(each, breakdown)
    if as_json:
        echo_json(inference_answer(found, tpu))
    elif as_csv:
        echo_csv([{"latency_ms": ns / 1e6} | _named(parts) for ns, parts in zip(found.latency, found.parts, strict=True)])
    else:
        click.echo("\n".join([*_request_lines(found), *(["", *_tpu_lines(tpu)] if tpu else [])]))


def inference_answer(found: Requests, tpu: TpuStep | None) -> dict[str, Any]:
    """The keys of --json."""
    from stepscope.analyses.requests import PERCENTILES

    return {
        "request": found.name,
        "requests": found.count,
        "requests_per_second": found.per_second,
        "at_once": found.at_once,
        "mean_ms": _times(found.mean),
        "percentiles_ms": {f"p{percent}": _times(times) for percent, times in zip(PERCENTILES, found.percentiles, strict=True)},
        "overlapping": found.shared,
        "tpu": _tpu_answer(tpu) if tpu else None,
    }


def _times(times: RequestTimes) -> dict[str, float]:
    return {part: getattr(times, part) / 1e6 for part in ("latency", *_PARTS)}


def _named(parts: Any) -> dict[str, float]:  # noqa: ANN401 - a row of numpy
    return {f"{part}_ms": float(ns) / 1e6 for part, ns in zip(_PARTS, parts, strict=True)}


def _tpu_answer(tpu: TpuStep) -> dict[str, Any]:
    parts = ("compute", "infeed", "outfeed", "communication", "copy", "idle")
    return {
        "devices": tpu.devices,
        "step_ms": tpu.step_ns / 1e6,
        "parts_ms": {part: getattr(tpu, f"{part}_ns") / 1e6 for part in parts},
        "matrix_unit_use": tpu.matrix_use,
        "matrix_unit_use_of_step": tpu.step_matrix_use,
    }


def _request_lines(found: Requests) -> list[str]:
    from stepscope.analyses.requests import PERCENTILES

    columns = [*zip((f"p{percent}" for percent in PERCENTILES), found.percentiles, strict=True), ("mean", found.mean)]
    rows = [
        (part, *(f"{getattr(times, part) / 1e6:,.3f}" for _, times in columns), percent(getattr(found.mean, part) / found.mean.latency))
        for part in ("latency", *_PARTS)
        if found.mean.latency > 0
    ]
    lines = [
        f"{count_of(found.count, 'request')} by {shortened(found.name, 40)}, {found.per_second:,.3g} a second, {found.at_once} at once",
        "",
        *table(("ms", *(name for name, _ in columns), "of the mean"), rows, COLUMNS),
    ]
    if found.shared:
        note = "Requests overlap: of other threads only what a request's own thread has launched is counted as its work."
        lines += ["", *click.wrap_text(note, width=78).splitlines()]
    return [line.rstrip() for line in lines]


def _tpu_lines(tpu: TpuStep) -> list[str]:
    answer = _tpu_answer(tpu)
    rows = [(part, f"{ms:,.3f}", percent(ms / (answer["step_ms"] or 1.0))) for part, ms in answer["parts_ms"].items()]
    lines = [f"A typical step of {count_of(tpu.devices, 'TPU')}, in the mean", *table(("  part", "ms", "of the step"), rows)]
    if tpu.matrix_use is not None and tpu.step_matrix_use is not None:
        lines.append(
            f"Matrix unit: {percent(tpu.matrix_use)} of its peak while computing, {percent(tpu.step_matrix_use)} over the step."
        )
    else:
        lines.append("Matrix unit: cannot be told, since the recording has no arithmetic of operations or no peak of the device.")
    return lines
