"""The list of verbs, in the order the help shows them. Each is a module of this package with a click command named `command`."""

from __future__ import annotations

ALL_COMMANDS: dict[str, str] = {
    "serve": "Serve the page for one or more log folders.",
    "demo": "Train a small network and watch it on the page.",
    "profile": "Analyze profiles: step time, operations, memory, communication.",
    "capture": "Capture a profile from a running process.",
    "export": "Export runs as an HTML file to share, or as CSV, JSON or Parquet.",
    "query": "Run a SQL query over runs, points, hyperparameters and profiles.",
    "mcp": "Let an agent read runs and profiles over the Model Context Protocol.",
    "inspect": "Summarize a log folder and check its files.",
}
"""Verb to the line the help shows for it: the help must not import every verb."""
