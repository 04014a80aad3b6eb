"""Every dashboard has its page, and the page of Charts lists the keys that the program knows."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS

ROOT = Path(__file__).resolve().parents[2]


def test_every_dashboard_has_a_page_in_the_guide() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "dashboards").glob("*.md")}
    assert pages == {dashboard.id for dashboard in ALL_DASHBOARDS}
    contents = (ROOT / "mkdocs.yml").read_text()
    assert all(f"dashboards/{name}.md" in contents for name in pages)


def test_the_keys_are_those_of_the_page() -> None:
    source = (ROOT / "web" / "src" / "shell" / "keys.ts").read_text()
    known = re.findall(r"keys: '([^']+)',\s*does: '", source)
    guide = (ROOT / "docs" / "dashboards" / "scalars.md").read_text()
    listed = re.findall(r"^\| (.+?) \| .+ \|$", guide.split("## Keys")[1], re.MULTILINE)[2:]
    assert len(known) > 15
    assert listed == known
