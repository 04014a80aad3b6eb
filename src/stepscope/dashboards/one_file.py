"""A self-contained HTML file: a page that was built beforehand, with a title and the answers it shows written into it."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import msgspec

from stepscope.model.errors import NotThere

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What could end the block of answers or begin markup. In JSON these stand only inside strings, where an escape means the same."""
_TITLE, _ANSWERS = "{{title}}", "{{answers}}"


def fill_page(bundle: Path, title: str) -> Callable[[object], bytes]:
    """What makes the file of its answers. Raises NotThere at once, before any answer is computed, when the page is not built.

    `bundle` is made by `make page`: script, style, fonts and the policy that allows nothing else are in it.
    """
    try:
        before, _, after = bundle.read_text(encoding="utf-8").partition(_ANSWERS)
    except FileNotFoundError as missing:
        reason = "This copy of Stepscope has no built page for files; run `make page` in a clone, or install the package again."
        raise NotThere(reason, "no_page") from missing
    head = before.replace(_TITLE, html.escape(title))

    def filled(answers: object) -> bytes:
        data = msgspec.json.encode(answers).decode()
        for letter, escape in _ESCAPES.items():
            data = data.replace(letter, escape)
        return f"{head}{data}{after}".encode()

    return filled
