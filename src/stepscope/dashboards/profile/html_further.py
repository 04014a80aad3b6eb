"""Sections of the report as one HTML file that not every recording has: throughput, epochs, requests and a TPU's parts."""

from __future__ import annotations

from stepscope.dashboards.profile.html_inference import requests_table, tpu_table
from stepscope.dashboards.profile.html_throughput import epochs_of, rates_table
from stepscope.dashboards.profile.throughput import ThroughputFound, throughput_found
from stepscope.dashboards.profile.throughput_logged import LoggedEpochs
from stepscope.queries.profiles import Opened
from stepscope.session.parts.inference import Inference
from stepscope.session.parts.report import Report

Further = tuple[ThroughputFound, Inference | None]


def further_found(opened: Opened, steps: str, batch: int | None, tokens: int | None, requests: Inference, request: str) -> Further:
    """What the sections are made of, with what the user knows."""
    marked = not requests.problem and (not requests.each_step or request)
    return throughput_found(opened, steps, batch, tokens), requests if marked else None


def further_sections(report: Report, found: Further, logged: LoggedEpochs | None = None) -> list[tuple[str, str]]:
    """Title and body of those that there are."""
    throughput, requests = found
    sections = [
        ("On the TPU", tpu_table(report.tpu) if report.tpu is not None else ""),
        ("Requests", requests_table(requests) if requests is not None else ""),
        ("Throughput", rates_table(throughput) if throughput.has_steps else ""),
        ("Epochs", epochs_of(throughput, logged)),
    ]
    return [(title, body) for title, body in sections if body]
