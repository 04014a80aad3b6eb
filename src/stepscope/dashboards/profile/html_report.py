"""The report of a session as one HTML file: the page's own components, built beforehand, and the answers that they show."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from stepscope.model.errors import NotThere
from stepscope.session.part import Answer, AnyPart
from stepscope.session.parts.inference import INFERENCE, RequestText
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.parts.steps import STEPS
from stepscope.session.parts.throughput import THROUGHPUT

BUNDLE = Path(__file__).parent / "report_file" / "report.html"
"""Made by `make page` from ui/html-file: script, style, fonts and the policy that allows nothing else are in it."""
EMBEDDED: tuple[AnyPart, ...] = (REPORT, STEPS, INFERENCE, THROUGHPUT)
"""The parts whose answers a file contains."""

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What could end the block of answers or begin markup. In JSON these stand only inside strings, where an escape means the same."""
_TITLE, _ANSWERS = "{{title}}", "{{answers}}"


class HtmlWanted(ReportWanted, frozen=True, kw_only=True):
    """What is asked of the parts in the file."""

    request: RequestText = ""


def report_html(name: str, wanted: HtmlWanted, answer: Callable[[AnyPart, Any], Answer]) -> bytes:
    """The whole file; `name` is what the session is called, and `answer` asks a part. Raises NotThere when the page is not built."""
    before, after = _bundle()
    answers = {part.id: answer(part, _question(part, wanted)) for part in EMBEDDED}
    data = msgspec.json.encode({"name": name, "wanted": wanted, **answers}).decode()
    for letter, escape in _ESCAPES.items():
        data = data.replace(letter, escape)
    title = html.escape(f"{name}: step time breakdown")
    return f"{before.replace(_TITLE, title)}{data}{after}".encode()


def _bundle() -> tuple[str, str]:
    """The built file before and after its answers."""
    try:
        before, _, after = BUNDLE.read_text(encoding="utf-8").partition(_ANSWERS)
    except FileNotFoundError as missing:
        reason = "This copy of Stepscope has no built report page; run `make page` in a clone, or install the package again."
        raise NotThere(reason, "no_page") from missing
    return before, after


def _question(part: AnyPart, wanted: HtmlWanted) -> object:
    """What a part is asked: those of its fields that the file is asked for too."""
    shared = set(part.wanted.__struct_fields__) & set(wanted.__struct_fields__)
    return part.wanted(**{field: getattr(wanted, field) for field in shared})
