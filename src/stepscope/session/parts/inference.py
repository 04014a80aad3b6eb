"""Requests: their latency at each percentile with its parts, all of them sorted, the slowest with their place, and the step of TPUs."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.requests import PERCENTILES, Requests, RequestTimes, likely_request, request_names, requests
from stepscope.analyses.serving import PhaseTimes, Serving, serving
from stepscope.analyses.tpu import TpuStep, tpu_step
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, MarkerFamily, Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Limit, Worker, limited
from stepscope.session.part import Answer, Part, Wanted

EACH_STEP = "*"
"""Asked for in place of a name: every step is a request."""
MOST_NAMES = 100
MOST_COLUMNS = 240
_SLOWEST = 20
_MS = 1e6


RequestText = Annotated[
    str,
    Meta(
        max_length=1_000,
        description="Annotation around one request; `*`: each step is one; empty: the likeliest annotation, or else each step.",
    ),
]


class InferenceWanted(Wanted, frozen=True, kw_only=True):
    """What a request is, and how many of the slowest are listed. Requests are of one worker: the named or the first one."""

    request: RequestText = ""
    limit: Limit = _SLOWEST


class RequestName(Struct, frozen=True, kw_only=True):
    """An annotation that may be around a request."""

    name: Annotated[str, d.text("Name of the annotation, without a number behind it.")]
    count: Annotated[int, d.count("Number of its spans.")]


class RequestTime(Struct, frozen=True, kw_only=True):
    """Latency of a request; queue, host, transfer and device sum to it."""

    latency: Annotated[float, d.ms("From its start until its last work has ended.")]
    queue: Annotated[float, d.ms("Until its first work begins.")]
    host: Annotated[float, d.ms("Time in none of the other parts.")]
    transfer: Annotated[float, d.ms("Its copies, while none of its kernels runs.")]
    device: Annotated[float, d.ms("Its kernels and collectives; without a device, operations of 10 µs or more.")]


class RequestPercentiles(Struct, frozen=True, kw_only=True):
    """The request at each percentile of latency."""

    p50: Annotated[RequestTime, d.nested("Median request.")]
    p95: Annotated[RequestTime, d.nested("Request at the 95th percentile.")]
    p99: Annotated[RequestTime, d.nested("Request at the 99th percentile.")]


class RequestRow(Struct, frozen=True, kw_only=True):
    """One request and its place in the profile."""

    start_ms: Annotated[float, d.ms("Start, from the start of the profile.")]
    thread: Annotated[str, d.text("Thread that it runs on; empty when unknown.")]
    row: Annotated[int | None, d.number("Its span, as `/profile/spans/{row}` takes it; null when a step is the request.", "row")]
    step: Annotated[int | None, d.number("Step that it begins in; null between and without steps.", "step")]
    latency_ms: Annotated[float, d.ms("From its start until its last work has ended.")]
    queue_ms: Annotated[float, d.ms("Until its first work begins.")]
    host_ms: Annotated[float, d.ms("Time in none of the other parts.")]
    transfer_ms: Annotated[float, d.ms("Its copies, while none of its kernels runs.")]
    device_ms: Annotated[float, d.ms("Its kernels and collectives; without a device, operations of 10 µs or more.")]


class TpuStepParts(Struct, frozen=True, kw_only=True):
    """Parts of a typical step of TPUs; they sum to it."""

    compute: Annotated[float, d.ms("Compute.")]
    infeed: Annotated[float, d.ms("Copies from the host.")]
    outfeed: Annotated[float, d.ms("Copies to the host.")]
    communication: Annotated[float, d.ms("Collectives.")]
    copy: Annotated[float, d.ms("Copies on and between devices.")]
    idle: Annotated[float, d.ms("Nothing runs.")]


class TpuStepTime(Struct, frozen=True, kw_only=True):
    """A typical step of the worker's TPUs, mean over them."""

    devices: Annotated[int, d.count("Number of TPUs.")]
    step_ms: Annotated[float, d.ms("Step time.")]
    parts_ms: Annotated[TpuStepParts, d.nested("Parts of the step.")]
    matrix_unit_use: Annotated[float | None, d.fraction("Share of the matrix unit's peak while it computes; null when unknown.")]
    matrix_unit_use_of_step: Annotated[float | None, d.fraction("The same over the whole step; null when unknown.")]


class ServedPhase(Struct, frozen=True, kw_only=True):
    """Batches of one phase."""

    batches: Annotated[int, d.count("Number of batches.")]
    requests: Annotated[float, d.number("Requests in a batch, mean.", "requests")]
    median_ms: Annotated[float, d.ms("Median, from the start of a batch until its last work has ended.")]
    p95_ms: Annotated[float, d.ms("95th percentile of the same.")]


class ServedTokens(Struct, frozen=True, kw_only=True):
    """Batches of a server of language models, as vLLM and SGLang annotate them."""

    prefill: Annotated[ServedPhase | None, d.nested("Batches that read prompts; null without any.")]
    decode: Annotated[ServedPhase | None, d.nested("Batches that give each request one token; null without any.")]
    mixed: Annotated[ServedPhase | None, d.nested("Batches that do both; null without any.")]
    first_token_ms: Annotated[
        float | None, d.ms("Median time to first token without the wait in the queue, which is not recorded; null without prefill.")
    ]
    output_token_ms: Annotated[float | None, d.ms("Median time per output token of a request; null with fewer than two decodes.")]
    output_tokens_per_second: Annotated[
        float | None, d.per_second("Tokens that decodes give all requests; null when unknown.", "tokens")
    ]
    prompt_tokens_per_second: Annotated[float | None, d.per_second("Prompt tokens of all requests; null when unknown.", "tokens")]


class Inference(Answer, frozen=True, kw_only=True):
    """Requests of one worker; times are null and lists are empty when no request has the name that was asked for."""

    worker: Worker
    names: Annotated[list[RequestName], d.nested("Annotations that may be around a request, most frequent first.")]
    request: Annotated[str, d.text("Annotation that is used, or the source of the steps where each step is a request.")]
    each_step: Annotated[bool, d.flag("Whether each step is a request.")]
    problem: Annotated[str, d.text("What is wrong with the name that was asked for; empty when nothing is.")]
    requests: Annotated[int, d.count("Number of requests.")]
    requests_per_second: Annotated[float | None, d.per_second("Rate from the first to the last.", "requests")]
    at_once: Annotated[int, d.count("Most requests at the same time.")]
    overlapping: Annotated[bool, d.flag("Whether requests overlap; then work of other threads counts only if a request launched it.")]
    mean_ms: Annotated[RequestTime | None, d.nested("Mean request.")]
    percentiles_ms: Annotated[RequestPercentiles | None, d.nested("Requests at percentiles of latency.")]
    strip: Annotated[list[RequestTime], d.nested("At most 240 requests by latency, each the slowest of those it stands for.")]
    slowest: Annotated[list[RequestRow], d.nested("Requests, longest latency first; at most `limit` are listed.")]
    serving: Annotated[ServedTokens | None, d.nested("Prefill and decode of a server; null without annotations of batches.")]
    tpu: Annotated[TpuStepTime | None, d.nested("Typical step of TPUs; null without TPUs.")]


def _make(session: AnalysedSession, wanted: InferenceWanted) -> Inference:
    place = session.places(wanted.worker)[0]
    profile, breakdown = session.profiles[place], session.breakdown(place)
    names = request_names(profile)
    chosen = wanted.request or likely_request(profile, names) or EACH_STEP
    found: Requests | None = None
    problem = ""
    try:
        found = requests(profile, breakdown, None if chosen == EACH_STEP else chosen)
    except BadInput as error:
        problem = error.message
    tpu, served = tpu_step(profile, breakdown), serving(profile)
    ranked: list[int] = [] if found is None else np.argsort(found.latency, kind="stable").tolist()
    return Inference(
        worker=session.workers[place],
        names=[RequestName(name=name, count=count) for name, count in names[:MOST_NAMES]],
        request=chosen if found is None else found.name,
        each_step=chosen == EACH_STEP,
        problem=problem,
        requests=len(ranked),
        requests_per_second=None if found is None else found.per_second,
        at_once=0 if found is None else found.at_once,
        overlapping=found is not None and found.shared,
        mean_ms=None if found is None else _time(found.mean),
        percentiles_ms=None if found is None else _percentiles(found),
        strip=[] if found is None else [_time(_times(found, each)) for each in _strip(ranked)],
        slowest=[] if found is None else [_row(profile, breakdown, found, each) for each in limited(ranked[::-1], wanted.limit)],
        serving=None if served is None else _served(served),
        tpu=None if tpu is None else _tpu(tpu),
    )


def _served(found: Serving) -> ServedTokens:
    return ServedTokens(
        prefill=_phase(found.prefill),
        decode=_phase(found.decode),
        mixed=_phase(found.mixed),
        first_token_ms=None if found.first_token_ns is None else found.first_token_ns / _MS,
        output_token_ms=None if found.output_token_ns is None else found.output_token_ns / _MS,
        output_tokens_per_second=found.output_tokens_per_second,
        prompt_tokens_per_second=found.prompt_tokens_per_second,
    )


def _phase(times: PhaseTimes | None) -> ServedPhase | None:
    if times is None:
        return None
    return ServedPhase(batches=times.batches, requests=times.requests, median_ms=times.median_ns / _MS, p95_ms=times.p95_ns / _MS)


def _strip(ranked: list[int]) -> list[int]:
    columns = min(MOST_COLUMNS, len(ranked))
    return [ranked[(place * len(ranked)) // columns - 1] for place in range(1, columns + 1)]


def _percentiles(found: Requests) -> RequestPercentiles:
    named = zip((f"p{percentile}" for percentile in PERCENTILES), found.percentiles, strict=True)
    return RequestPercentiles(**{name: _time(times) for name, times in named})


def _times(found: Requests, place: int) -> RequestTimes:
    return RequestTimes(float(found.latency[place]), *found.parts[place].tolist())


def _time(times: RequestTimes) -> RequestTime:
    return RequestTime(
        latency=times.latency / _MS,
        queue=times.queue / _MS,
        host=times.host / _MS,
        transfer=times.transfer / _MS,
        device=times.device / _MS,
    )


def _row(profile: Profile, breakdown: Breakdown, found: Requests, place: int) -> RequestRow:
    row, start = int(found.row[place]), int(found.start[place])
    track = int(profile.spans.track[row]) if row != NONE else breakdown.steps.source.track
    times = _time(_times(found, place))
    return RequestRow(
        start_ms=(start - profile.window[0]) / _MS,
        thread=profile.tracks[track].name if track != NONE else "",
        row=None if row == NONE else row,
        step=_step(breakdown, start),
        latency_ms=times.latency,
        queue_ms=times.queue,
        host_ms=times.host,
        transfer_ms=times.transfer,
        device_ms=times.device,
    )


def _step(breakdown: Breakdown, start: int) -> int | None:
    """The number of the step at a moment; None between and without steps."""
    steps = breakdown.steps
    if steps.source.family == MarkerFamily.WINDOW:
        return None
    place = int(np.searchsorted(steps.bounds, start, side="right")) - 1
    return int(steps.number[place]) if 0 <= place < len(steps) else None


def _tpu(tpu: TpuStep) -> TpuStepTime:
    parts = TpuStepParts(**{part: getattr(tpu, f"{part}_ns") / _MS for part in TpuStepParts.__struct_fields__})
    return fill(TpuStepTime, tpu, parts_ms=parts, matrix_unit_use=tpu.matrix_use, matrix_unit_use_of_step=tpu.step_matrix_use)


INFERENCE = Part("inference", "Requests", InferenceWanted, Inference, _make, table="slowest")
