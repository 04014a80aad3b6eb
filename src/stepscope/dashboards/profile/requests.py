"""The Requests part of the Profile tab: latency of requests with its parts, all of them sorted, and the slowest with their place."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.requests import PERCENTILES, Requests, RequestTimes, likely_request, request_names, requests
from stepscope.analyses.steps import find_steps
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, RequestText, SessionText, StepsText, WorkerText
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, MarkerFamily, Profile
from stepscope.queries.profiles import Opened

EACH_STEP = "*"
"""Asked for in place of a name: every step is a request."""
MOST_NAMES = 100
MOST_COLUMNS = 240
MOST_SLOW = 20
_MS = 1e6


class RequestsRequest(Struct, frozen=True):
    """Which session and worker (none: the first), and the annotation around one request: none for the likeliest, `*` for each step."""

    session: SessionText
    worker: WorkerText = ""
    request: RequestText = ""
    steps: StepsText = ""
    range: RangeText = ""


class RequestName(Struct, frozen=True):
    """An annotation that may be around a request, and how often it is there."""

    name: str
    count: int


class RequestTime(Struct, frozen=True):
    """Milliseconds; queue, host, transfer and device sum to the latency."""

    latency: float
    queue: float
    host: float
    transfer: float
    device: float


class PercentileRow(Struct, frozen=True):
    """The request at that rank of latencies."""

    percentile: int
    ms: RequestTime


class SlowRequest(Struct, frozen=True):
    """A request and where it is: from the recording's start, its thread, its span (null for a step), and the step it begins in."""

    start_ms: float
    thread: str
    row: int | None
    step: int | None
    ms: RequestTime


class RequestsFound(Struct, frozen=True):
    """Requests of one worker. `strip` has at most 240 of them, sorted by latency: each the slowest of as many as it stands for."""

    request: str
    each_step: bool
    count: int
    per_second: float
    at_once: int
    overlapping: bool
    mean: RequestTime
    percentiles: list[PercentileRow]
    strip: list[RequestTime]
    slowest: list[SlowRequest]


class RequestsAnswer(Struct, frozen=True):
    """Requests, or how far reading has come; null without any, where `problem` says what is wrong with the name that was asked for."""

    epoch: int
    reading: ReadingRow | None
    names: list[RequestName]
    requests: RequestsFound | None
    problem: str


def requests_found(opened: Opened, steps: str, request: str) -> tuple[list[RequestName], RequestsFound | None, str]:
    """Of the first worker: what could be a request, the requests by the name or the likeliest, and why there are none."""
    profile = opened.profiles[0]
    names = request_names(profile)
    rows = [RequestName(name, count) for name, count in names[:MOST_NAMES]]
    wanted = request or likely_request(names)
    if not wanted:
        return rows, None, ""
    breakdown = break_down(profile, find_steps(profile, steps or None))
    try:
        found = requests(profile, breakdown, None if wanted == EACH_STEP else wanted)
    except BadInput as error:
        return rows, None, error.message
    return rows, _found(profile, breakdown, found, each_step=wanted == EACH_STEP), ""


def _found(profile: Profile, breakdown: Breakdown, found: Requests, *, each_step: bool) -> RequestsFound:
    ranked = np.argsort(found.latency, kind="stable")
    columns = min(MOST_COLUMNS, len(ranked))
    last = (np.arange(1, columns + 1) * len(ranked)) // columns - 1
    return RequestsFound(
        request=found.name,
        each_step=each_step,
        count=found.count,
        per_second=found.per_second,
        at_once=found.at_once,
        overlapping=found.shared,
        mean=_time(found.mean),
        percentiles=[PercentileRow(*pair) for pair in zip(PERCENTILES, map(_time, found.percentiles), strict=True)],
        strip=[_one(found, place) for place in ranked[last].tolist()],
        slowest=[_slow(profile, breakdown, found, place) for place in ranked[::-1][:MOST_SLOW].tolist()],
    )


def _time(times: RequestTimes) -> RequestTime:
    return RequestTime(times.latency / _MS, times.queue / _MS, times.host / _MS, times.transfer / _MS, times.device / _MS)


def _one(found: Requests, place: int) -> RequestTime:
    return _time(RequestTimes(float(found.latency[place]), *found.parts[place].tolist()))


def _slow(profile: Profile, breakdown: Breakdown, found: Requests, place: int) -> SlowRequest:
    row, start = int(found.row[place]), int(found.start[place])
    track = int(profile.spans.track[row]) if row != NONE else breakdown.steps.source.track
    return SlowRequest(
        start_ms=(start - profile.window[0]) / _MS,
        thread=profile.tracks[track].name if track != NONE else "",
        row=None if row == NONE else row,
        step=_step(breakdown, start),
        ms=_one(found, place),
    )


def _step(breakdown: Breakdown, start: int) -> int | None:
    """The number of the step that holds a moment; None between and without steps."""
    steps = breakdown.steps
    if steps.source.family == MarkerFamily.WINDOW:
        return None
    place = int(np.searchsorted(steps.bounds, start, side="right")) - 1
    return int(steps.number[place]) if 0 <= place < len(steps) else None
