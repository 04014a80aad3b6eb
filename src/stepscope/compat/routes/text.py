"""TensorBoard's text plugin: every text of a run and tag as HTML that is safe to show."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from stepscope.compat.json_text import answer, cleaned
from stepscope.compat.logged import Logged, found_one, listed
from stepscope.compat.markdown_html import escaped_html, markdown_html
from stepscope.compat.route import Answer, Pieces, Question, plugin_route
from stepscope.compat.served import Served
from stepscope.model.errors import NotThere, StepscopeError
from stepscope.queries.blobs import Payload
from stepscope.queries.text_values import TextValue, text_value

PLUGIN = "text"
_TABLE = 2
_CUT = "**Warning:** this value has {} dimensions; only its first table is shown."


def html_of(payload: Payload, *, markdown: bool) -> str:
    """A string as paragraphs, or an array of strings as a table; of more than two dimensions the first table."""
    value = text_value(payload)
    shown = markdown_html if markdown else escaped_html
    if not value.shape:
        return shown(value.cells[0] if value.cells else "")
    warning = markdown_html(_CUT.format(len(value.shape))) if len(value.shape) > _TABLE else ""
    rows = "".join("<tr>\n" + "".join(f"<td>{shown(cell)}</td>\n" for cell in row) + "</tr>\n" for row in _rows(value))
    return f"{warning}<table>\n<tbody>\n{rows}</tbody>\n</table>"


def _rows(value: TextValue) -> Iterator[tuple[str, ...]]:
    *_, count, width = (1, *value.shape, 1) if len(value.shape) == 1 else (1, 1, *value.shape)
    if math.prod(value.shape):
        for row in range(min(count, -(-len(value.cells) // width))):
            yield value.cells[row * width : (row + 1) * width]


def _tags(served: Served, _: Question) -> Answer:
    return answer({run: list(tags) for run, tags in listed(served, PLUGIN).items()})


def _text(served: Served, question: Question) -> Answer:
    try:
        one = found_one(served, PLUGIN, question.arg("run") or "", question.arg("tag") or "")
    except NotThere:
        return answer([])  # as TensorBoard answers
    return Pieces(_texts(served, one, question.arg("markdown") != "false"))


def _texts(served: Served, one: Logged, markdown: bool) -> Iterator[bytes]:
    series = served.blobs.open(served.view(), one.run_id, one.name, one.kind)
    between = b"["
    for place, (step, wall) in enumerate(zip(series.step.tolist(), series.wall.tolist(), strict=True)):
        try:
            html = html_of(served.blobs.read(series, place), markdown=markdown)
        except StepscopeError:
            continue  # a value that cannot be read costs that value alone
        yield between + msgspec.json.encode(cleaned({"wall_time": wall, "step": step, "text": html}))
        between = b","
    yield b"[]" if between == b"[" else b"]"


ROUTES = (
    plugin_route(PLUGIN, "tags", "Text tags of every run.", _tags),
    plugin_route(PLUGIN, "text", "Texts of a run and tag as HTML.", _text),
)
