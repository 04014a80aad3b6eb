"""The report of a session as one HTML file: the page's own components, built beforehand, and the answers that they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepscope.dashboards.one_file import fill_page
from stepscope.session.part import Answer, AnyPart
from stepscope.session.parts.inference import INFERENCE, RequestText
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.parts.steps import STEPS
from stepscope.session.parts.throughput import THROUGHPUT

BUNDLE = Path(__file__).parent / "report_file" / "report.html"
"""Made by `make page` from ui/html-file: script, style, fonts and the policy that allows nothing else are in it."""
EMBEDDED: tuple[AnyPart, ...] = (REPORT, STEPS, INFERENCE, THROUGHPUT)
"""The parts whose answers a file contains."""


class HtmlWanted(ReportWanted, frozen=True, kw_only=True):
    """What is asked of the parts in the file."""

    request: RequestText = ""


def report_html(name: str, wanted: HtmlWanted, answer: Callable[[AnyPart, Any], Answer]) -> bytes:
    """The whole file; `name` is what the session is called, and `answer` asks a part. Raises NotThere when the page is not built."""
    filled = fill_page(BUNDLE, f"{name}: step time breakdown")
    answers = {part.id: answer(part, _question(part, wanted)) for part in EMBEDDED}
    return filled({"name": name, "wanted": wanted, **answers})


def _question(part: AnyPart, wanted: HtmlWanted) -> object:
    """What a part is asked: those of its fields that the file is asked for too."""
    shared = set(part.wanted.__struct_fields__) & set(wanted.__struct_fields__)
    return part.wanted(**{field: getattr(wanted, field) for field in shared})
