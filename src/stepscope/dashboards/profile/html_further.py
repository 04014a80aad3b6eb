"""Sections of the report as one HTML file that not every recording has: throughput, epochs, requests and a TPU's parts."""

from __future__ import annotations

from stepscope.dashboards.profile.html_inference import requests_table, tpu_table
from stepscope.dashboards.profile.html_throughput import epochs_of, rates_table
from stepscope.session.parts.inference import Inference
from stepscope.session.parts.report import Report
from stepscope.session.parts.throughput import Throughput

MOST_EPOCHS = 2_000
"""Epochs that a file has; of more, the last."""


def further_sections(report: Report, throughput: Throughput, requests: Inference, request: str = "") -> list[tuple[str, str]]:
    """Title and body of those that there are; `request` is the annotation around a request that was asked for."""
    marked = not requests.problem and (not requests.each_step or request)
    sections = [
        ("On the TPU", tpu_table(report.tpu) if report.tpu is not None else ""),
        ("Requests", requests_table(requests) if marked else ""),
        ("Throughput", rates_table(throughput) if throughput.has_steps else ""),
        ("Epochs", epochs_of(throughput)),
    ]
    return [(title, body) for title, body in sections if body]
