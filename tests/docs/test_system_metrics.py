"""The page about system metrics: its script runs as it stands, and its table lists the tags that the sources know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepscope import SummaryWriter, SystemMonitor

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "system-metrics.md").read_text()


def listed() -> set[str]:
    return {tag.replace("gpu/0/", "gpu/N/") for tag in re.findall(r"`system/([\w/]+)`", PAGE.split("## What is logged")[1])}


def test_the_script_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(script, {})
    (file,) = (tmp_path / "runs" / "first").iterdir()
    content = file.read_bytes()
    assert b"system/process/rss_mib" in content
    assert b"loss" in content


def test_the_table_lists_every_tag() -> None:
    known: set[str] = set()
    for source in (ROOT / "src" / "stepscope" / "capture").glob("*.py"):
        text = source.read_text().replace("{tag}/", "gpu/N/").replace("{index}/", "N/")
        known |= set(re.findall(r'"((?:cpu|memory|swap|disk|network|process|cgroup|gpu)/[\w/]+)"', text))
    assert len(known) > 30
    assert listed() - {"hardware"} == known


def test_nothing_is_logged_that_the_table_does_not_list(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer, SystemMonitor(writer):
        pass
    (file,) = tmp_path.iterdir()
    logged = {tag.decode() for tag in re.findall(rb"system/([a-z_/0-9]+[a-z])", file.read_bytes())}
    assert {re.sub(r"gpu/\d+/", "gpu/N/", tag) for tag in logged} - {"hardware/text_summary"} <= listed()
