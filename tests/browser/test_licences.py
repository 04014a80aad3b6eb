"""The built page and the pages that are saved as files have the licence of everything in them, and NOTICE names it all."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import stepscope

PACKAGE = Path(stepscope.__file__).parent
NOTICE = Path(__file__).resolve().parents[2] / "NOTICE"
PAGE = PACKAGE / "server" / "page" / "licences.txt"
REPORT = PACKAGE / "dashboards" / "profile" / "report_file" / "report.html"
CURVES = PACKAGE / "dashboards" / "scalars" / "curves_file" / "curves.html"


def notices(path: Path) -> dict[str, str]:
    """Name to text of the licences in a built file."""
    content = path.read_text(encoding="utf-8")
    parts = re.split(r"^=== (.+) \(.*\)$", content.partition("-->")[0], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize(
    ("path", "some"),
    [
        (PAGE, {"svelte", "dompurify", "markdown-it", "linkify-it", "temml", "d3-array", "Inter, JetBrains Mono"}),
        (REPORT, {"svelte", "d3-array", "Inter, JetBrains Mono"}),
        (CURVES, {"svelte", "d3-array", "Inter, JetBrains Mono"}),
    ],
)
def test_everything_in_a_bundle_has_its_licence_and_is_in_the_notice(path: Path, some: set[str]) -> None:
    found = notices(path)
    assert some <= set(found)
    assert [name for name, text in found.items() if not re.search(r"copyright|apache license", text, re.IGNORECASE)] == []
    listed = {
        name.strip()
        for line in NOTICE.read_text().splitlines()
        if line.startswith("  ")
        for name in re.split(r",|  +|\(", line)
        if name
    }
    assert {part for name in found for part in name.split(", ")} <= listed


def test_the_help_leads_to_the_licences(serve: Callable[..., str], page: Page, tmp_path: Path) -> None:
    page.goto(serve(tmp_path))
    page.get_by_role("button", name="Keyboard shortcuts").click()
    link = page.get_by_role("dialog").get_by_role("link", name="Licences")
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.locator("body")).to_contain_text("=== svelte (MIT)")
