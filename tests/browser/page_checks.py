"""What every page is checked for: nothing wider than the window, no cut text, no faults of accessibility, and ink on its canvases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"

INKED = """(canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 40) inked += 1;
  return inked;
}"""
WIDER_THAN_THE_PAGE = """() => [...document.querySelectorAll('body *')]
  .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('.scroller'))
  .map((part) => part.tagName + '.' + part.className)"""

CUT = """(root) => [...document.querySelectorAll(root + ' :not(.unseen)')]
  .filter((part) => !['visible', 'clip'].includes(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth + 1)
  .map((part) => part.tagName + '.' + part.className + ': ' + part.textContent)"""


def cut_texts(page: Page, root: str) -> list[str]:
    """What is cut off at its right edge, by scrolling or with an ellipsis."""
    return page.evaluate(CUT, root)


def faults(page: Page) -> list[str]:
    """What axe finds about names, roles and contrast."""
    page.evaluate(AXE.read_text())
    rules = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
    found: dict[str, Any] = page.evaluate("(tags) => axe.run(document, { runOnly: { type: 'tag', values: tags } })", rules)
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found["violations"] for node in one["nodes"][:3]]
