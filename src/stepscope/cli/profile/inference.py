"""`stepscope profile inference`: latency of requests or batches, divided into queue, host, transfer and device; and a TPU's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, profile_options
from stepscope.cli.terminal import COLUMNS, count_of, percent, shortened, table
from stepscope.model.errors import BadInput
from stepscope.model.number_text import three_digits

if TYPE_CHECKING:
    from stepscope.session.parts.inference import Inference, ServedTokens, TpuStepTime

_PARTS = ("queue", "host", "transfer", "device")


@click.command("inference")
@profile_options
@csv_option
@click.option(
    "--request",
    default="",
    metavar="NAME",
    help="Annotation around one request or batch, such as predict; '*': each step.",
)
def command(profile: str, as_json: bool, as_csv: bool, request: str, **_: object) -> None:
    """Show the latency of requests in PROFILE at the median, 95th and 99th percentile, with its breakdown.

    A request is a span of a thread that you name (record_function, TraceMe, TraceAnnotation); a number may follow the name. Without
    --request, the likeliest annotation is used, or each step if there is none. A request queues until its first work begins, and ends
    with its last work on a device.
    """
    from stepscope.session.parts.inference import INFERENCE

    # Every request is a line of the CSV file.
    answer = ask(INFERENCE, profile, request=request, limit=0) if as_csv else ask(INFERENCE, profile, request=request)
    if answer.problem:
        raise BadInput(answer.problem, "no_such_request")
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.slowest)
    else:
        served = ["", *_served_lines(answer.serving)] if answer.serving else []
        click.echo("\n".join([*_request_lines(answer), *served, *(["", *_tpu_lines(answer.tpu)] if answer.tpu else [])]))


def _request_lines(answer: Inference) -> list[str]:
    mean, found = answer.mean_ms, answer.percentiles_ms
    columns = [] if mean is None or found is None else [("p50", found.p50), ("p95", found.p95), ("p99", found.p99), ("mean", mean)]
    rows = [
        (part, *(f"{getattr(times, part):,.3f}" for _, times in columns), percent(getattr(mean, part) / mean.latency))
        for part in ("latency", *_PARTS)
        if mean is not None and mean.latency > 0
    ]
    rate = "" if answer.requests_per_second is None else f", {three_digits(answer.requests_per_second)} per second"
    lines = [
        f"{count_of(answer.requests, 'request')} by {shortened(answer.request, 40)}{rate}, up to {answer.at_once:,} concurrent",
        "",
        *table(("ms", *(name for name, _ in columns), "of the mean"), rows, COLUMNS),
    ]
    if answer.overlapping:
        note = "Requests overlap: work on other threads counts only if the request's own thread launched it."
        lines += ["", *click.wrap_text(note, width=78).splitlines()]
    return [line.rstrip() for line in lines]


def _served_lines(served: ServedTokens) -> list[str]:
    phases = [(name, found) for name in ("prefill", "decode", "mixed") if (found := getattr(served, name)) is not None]
    rows = [
        (name, f"{one.batches:,}", f"{three_digits(one.requests)}", f"{one.median_ms:,.3f}", f"{one.p95_ms:,.3f}")
        for name, one in phases
    ]
    lines = table(("phase", "batches", "requests", "p50 ms", "p95 ms"), rows)
    said = [
        (served.first_token_ms, "Time to first token: {} ms, without the wait in the queue, which is not recorded."),
        (served.output_token_ms, "Time per output token: {} ms."),
        (served.output_tokens_per_second, "Output tokens per second: {}."),
        (served.prompt_tokens_per_second, "Prompt tokens per second: {}."),
    ]
    return [*lines, *(text.format(three_digits(value)) for value, text in said if value is not None)]


def _tpu_lines(tpu: TpuStepTime) -> list[str]:
    parts = {part: getattr(tpu.parts_ms, part) for part in tpu.parts_ms.__struct_fields__}
    rows = [(part, f"{ms:,.3f}", percent(ms / (tpu.step_ms or 1.0))) for part, ms in parts.items()]
    lines = [f"Typical step of {count_of(tpu.devices, 'TPU')}, mean over devices", *table(("  part", "ms", "of the step"), rows)]
    if tpu.matrix_unit_use is not None and tpu.matrix_unit_use_of_step is not None:
        use, of_step = percent(tpu.matrix_unit_use), percent(tpu.matrix_unit_use_of_step)
        lines.append(f"MXU utilization: {use} while computing, {of_step} over the step.")
    else:
        lines.append("MXU utilization: unknown. The profile has no FLOPs of operations or no peak FLOP/s.")
    return lines
