"""Requests and a TPU's step in the report as one HTML file: each time with its parts as numbers and as a bar."""

from __future__ import annotations

from stepscope.dashboards.profile.html_words import share_text, time_text, words
from stepscope.session.parts.inference import Inference, RequestRow, RequestTime
from stepscope.session.report.tpu import TpuPart, TpuTime

MOST_SLOW = 8
_PARTS = {"queue": "input_wait", "host": "host", "transfer": "copy", "device": "compute"}
"""Parts of a request, and the group of time whose colour each has."""
_TPU_GROUPS = {"compute": "compute", "infeed": "copy", "outfeed": "copy", "communication": "communication", "copy": "copy"}


def requests_table(found: Inference) -> str:
    """Percentiles and the slowest, on one scale."""
    longest = found.slowest[0].latency_ms if found.slowest else 0.0
    percentiles = found.percentiles_ms
    marked = [] if percentiles is None else [("p50", percentiles.p50), ("p95", percentiles.p95), ("p99", percentiles.p99)]
    named = [*marked, *([] if found.mean_ms is None else [("mean", found.mean_ms)])]
    slow = [(f"at {time_text(row.start_ms)}", _times(row)) for row in found.slowest[:MOST_SLOW]]
    one = "step" if found.each_step else "request"
    about = (
        f"{found.requests:,} {one}{'' if found.requests == 1 else 's'} by {found.request}, "
        f"{found.requests_per_second or 0:,.3g} per second, at most {found.at_once:,} at once."
    )
    legend = "".join(f'<li><span class="swatch time-{group}"></span>{part.capitalize()}</li>' for part, group in _PARTS.items())
    head = "".join(f'<th class="right">{title}</th>' for title in ("Latency", *(part.capitalize() for part in _PARTS)))
    rows = "".join(_row(name, ms, longest) for name, ms in named)
    slowest = "".join(_row(name, ms, longest) for name, ms in slow)
    columns = f"<thead><tr><th></th>{head}<th></th></tr></thead>"
    return (
        f'<p class="soft">{words(about)}</p><ul class="legend">{legend}</ul><table>{columns}<tbody>{rows}</tbody></table>'
        f"<details><summary>The slowest</summary><table>{columns}<tbody>{slowest}</tbody></table></details>"
    )


def _times(row: RequestRow) -> RequestTime:
    return RequestTime(latency=row.latency_ms, queue=row.queue_ms, host=row.host_ms, transfer=row.transfer_ms, device=row.device_ms)


def _row(name: str, ms: RequestTime, longest: float) -> str:
    times: list[tuple[str, float]] = [(part, getattr(ms, part)) for part in _PARTS]
    pieces = "".join(
        f'<span class="time-{_PARTS[part]}" style="flex:{time / longest:.5f} 0 0"></span>' for part, time in times if longest > 0 < time
    )
    rest = f'<span style="flex:{max(0.0, 1 - ms.latency / longest):.5f} 0 0"></span>' if longest > 0 else ""
    said = "; ".join(f"{part} {time_text(time)}" for part, time in times)
    cells = "".join(f'<td class="right soft">{time_text(time)}</td>' for _, time in times)
    return (
        f'<tr><td>{words(name)}</td><td class="right">{time_text(ms.latency)}</td>{cells}'
        f'<td><div class="bar thin" role="img" aria-label="{words(said)}">{pieces}{rest}</div></td></tr>'
    )


def tpu_table(tpu: TpuTime) -> str:
    """Parts of a TPU's step, and the use of its matrix unit."""
    rows = "".join(
        f'<tr><td>{words(part.title)}</td><td class="right">{time_text(part.ms)}</td>'
        f'<td class="right soft">{share_text(part.share)}</td><td><div class="bar thin">{_piece(part)}</div></td></tr>'
        for part in tpu.parts
    )
    several = f"Mean over {tpu.devices:,} TPUs. " if tpu.devices > 1 else ""
    if tpu.matrix_use is not None and tpu.step_matrix_use is not None:
        use = f"{share_text(tpu.matrix_use)} of its peak while computing, {share_text(tpu.step_matrix_use)} over the step."
    else:
        use = "cannot be told, since the recording has no arithmetic of operations or no peak of the device."
    head = '<th>Part</th><th class="right">Time</th><th class="right">Of the step</th><th></th>'
    return f'<p class="soft">{several}Matrix unit: {use}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _piece(part: TpuPart) -> str:
    group = _TPU_GROUPS.get(part.part, "untraced")
    drawn = f'<span class="time-{group}" style="flex:{part.share:.5f} 0 0"></span>' if part.share > 0 else ""
    return f'{drawn}<span style="flex:{max(0.0, 1 - part.share):.5f} 0 0"></span>'
