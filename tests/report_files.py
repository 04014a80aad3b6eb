"""Saved reports in tests: a stand-in for the built page, so that none needs to be built, and the answers inside of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepscope.dashboards.profile import html_report
from stepscope.session.at_path import Opening, profile_at

_OPENING = '<script type="application/json" id="answers">'
SMALL_BUNDLE = f"<!doctype html><title>{{{{title}}}}</title>{_OPENING}{{{{answers}}}}</script>"


def use_small_bundle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are written without the page's code."""
    bundle = folder / "bundle.html"
    bundle.write_text(SMALL_BUNDLE)
    monkeypatch.setattr(html_report, "BUNDLE", bundle)


def write_report(source: Path, target: Path, **wanted: Any) -> Path:
    """The report of a profile with the built page, as `stepscope profile report --html` writes it."""
    found = profile_at(str(source), Opening(cache=False))
    target.write_bytes(html_report.report_html(source.name, html_report.HtmlWanted(**wanted), found.answer))
    return target


def answers_block(page: str) -> str:
    """The text of the block of answers, as HTML reads it: up to the first end of a script."""
    return page.split(_OPENING)[1].split("</script")[0]


def embedded(page: str) -> dict[str, Any]:
    """The answers in a file."""
    return json.loads(answers_block(page))
