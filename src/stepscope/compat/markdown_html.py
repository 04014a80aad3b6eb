"""Markdown of descriptions and texts as HTML that is safe by construction: whatever is not Markdown is escaped.

It covers what people log: paragraphs, headings, lists, tables, quotes, code, rules, emphasis, links and images. HTML inside Markdown is
shown as text, where TensorBoard lets a few tags through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

MOST_CHARACTERS = 1 << 20
"""What is behind is left out."""
_DEEPEST = 8
"""Lists and quotes inside one another."""

_HEADING = re.compile(r"(#{1,6})\s*(.+?)\s*#*$")
_RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`~]*$")
_BULLET = re.compile(r" {0,3}[*+-] +(.*)$")
_NUMBERED = re.compile(r" {0,3}\d{1,9}\. +(.*)$")
_TABLE_LINE = re.compile(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|?$")
_CODE = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()>#+.!|~-])")
_IMAGE = re.compile(r"!\[([^\]\n]{0,500})\]\(([^()\s]{1,2000})\)")
_LINK = re.compile(r"\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)")
_ADDRESS = re.compile(r"<((?:https?|mailto):[^\s<>]{1,2000})>")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^\n]{0,2000}?\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_\n]{0,2000}?[^\s*_])\1(?![\w*])")
_SAFE_ADDRESS = re.compile(r"(?:https?:|mailto:|[^:]*$|[/#?.])", re.IGNORECASE)
_HIDDEN = re.compile("\x02(\\d+)\x03")


def markdown_html(text: str) -> str:
    """The HTML of a text."""
    lines = text[:MOST_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    return "\n".join(_blocks(_without_marks(lines).split("\n"), 0))


def escaped_html(text: str) -> str:
    """A text as it is, with nothing in it that a browser would take for markup."""
    return escape(text[:MOST_CHARACTERS], quote=False)


def _without_marks(text: str) -> str:
    """Without the characters that stand for what was already made."""
    return text.translate({0: None, 2: None, 3: None})


def _blocks(lines: list[str], depth: int) -> Iterator[str]:
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
            continue
        for block in _BLOCKS:
            made = block(lines, place, depth)
            if made is not None:
                html, place = made
                yield html
                break
        else:
            html, place = _paragraph(lines, place)
            yield html


Made = tuple[str, int]
"""HTML, and the first line behind what it was made of."""


def _fenced(lines: list[str], place: int, _: int) -> Made | None:
    found = _FENCE.match(lines[place])
    if found is None:
        return None
    fence = found[1]
    for end in range(place + 1, len(lines)):
        if lines[end].rstrip() == fence:
            code = "".join(f"{line}\n" for line in lines[place + 1 : end])
            return f"<pre><code>{escape(code, quote=False)}</code></pre>", end + 1
    return None


def _indented(lines: list[str], place: int, _: int) -> Made | None:
    if not lines[place].startswith("    "):
        return None
    end = place
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    code = "\n".join(line[4:] for line in lines[place:end]).rstrip()
    return f"<pre><code>{escape(code, quote=False)}\n</code></pre>", end


def _heading(lines: list[str], place: int, _: int) -> Made | None:
    found = _HEADING.match(lines[place])
    if found is not None:
        level = len(found[1])
        return f"<h{level}>{_inline(found[2])}</h{level}>", place + 1
    following = lines[place + 1].rstrip() if place + 1 < len(lines) else ""
    if following and set(following) in ({"="}, {"-"}):
        level = 1 if following[0] == "=" else 2
        return f"<h{level}>{_inline(lines[place].strip())}</h{level}>", place + 2
    return None


def _rule(lines: list[str], place: int, _: int) -> Made | None:
    return ("<hr>", place + 1) if _RULE.match(lines[place]) else None


def _quote(lines: list[str], place: int, depth: int) -> Made | None:
    if not lines[place].startswith(">") or depth >= _DEEPEST:
        return None
    end = place
    while end < len(lines) and lines[end].strip():
        end += 1
    inside = [re.sub(r"^> ?", "", line) for line in lines[place:end]]
    return "<blockquote>\n" + "\n".join(_blocks(inside, depth + 1)) + "\n</blockquote>", end


def _table(lines: list[str], place: int, _: int) -> Made | None:
    if place + 1 >= len(lines) or "|" not in lines[place] or "|" not in lines[place + 1]:
        return None
    if not _TABLE_LINE.match(lines[place + 1].strip()):
        return None
    heads = _cells(lines[place])
    if len(heads) != len(_cells(lines[place + 1])):
        return None
    end = place + 2
    while end < len(lines) and lines[end].strip():
        end += 1
    rows = "".join(_row(_cells(line), "td", len(heads)) for line in lines[place + 2 : end])
    return f"<table>\n<thead>\n{_row(heads, 'th', len(heads))}</thead>\n<tbody>\n{rows}</tbody>\n</table>", end


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]


def _row(cells: list[str], tag: str, count: int) -> str:
    filled = (cells + [""] * count)[:count]
    return "<tr>\n" + "".join(f"<{tag}>{_inline(cell)}</{tag}>\n" for cell in filled) + "</tr>\n"


def _list(lines: list[str], place: int, depth: int) -> Made | None:
    mark = _BULLET if _BULLET.match(lines[place]) else _NUMBERED
    if mark.match(lines[place]) is None or depth >= _DEEPEST:
        return None
    items: list[list[str]] = []
    loose = False
    end = place
    while end < len(lines):
        line = lines[end]
        found = mark.match(line)
        if found is not None:
            items.append([found[1]])
        elif not line.strip():
            after = next((one for one in lines[end:] if one.strip()), "")
            if not (mark.match(after) or after.startswith("    ")):
                break
            loose = True
            items[-1].append("")
        else:
            items[-1].append(line.removeprefix("    "))
        end += 1
    tag = "ul" if mark is _BULLET else "ol"
    made = "\n".join(f"<li>{_item(item, loose, depth)}</li>" for item in items)
    return f"<{tag}>\n{made}\n</{tag}>", end


def _item(lines: list[str], loose: bool, depth: int) -> str:
    if loose:
        return "\n" + "\n".join(_blocks(lines, depth + 1)) + "\n"
    inner = next((at for at, line in enumerate(lines) if at and (_BULLET.match(line) or _NUMBERED.match(line))), len(lines))
    text = _inline("\n".join(lines[:inner]))
    return text if inner == len(lines) else text + "".join(_blocks(lines[inner:], depth + 1)) + "\n"


_BLOCKS: tuple[Callable[[list[str], int, int], Made | None], ...] = (
    _fenced,
    _indented,
    _heading,
    _rule,
    _quote,
    _table,
    _list,
)


def _paragraph(lines: list[str], place: int) -> Made:
    end = place + 1
    while end < len(lines) and lines[end].strip() and not _HEADING.match(lines[end]):
        end += 1
    return f"<p>{_inline(chr(10).join(line.lstrip() for line in lines[place:end]).rstrip())}</p>", end


def _inline(text: str) -> str:
    """Emphasis, code, links and images of one block; what is made already is hidden from what is looked for next."""
    made: list[str] = []

    def hide(html: str) -> str:
        made.append(html)
        return f"\x02{len(made) - 1}\x03"

    def link(found: re.Match[str]) -> str:
        return hide(f"<a{_attribute('href', found[2])}>") + found[1] + hide("</a>")

    text = _CODE.sub(lambda found: hide(f"<code>{escape(found[2].strip(), quote=False)}</code>"), text)
    text = _ESCAPED.sub(lambda found: hide(escape(found[1], quote=False)), text)
    text = _IMAGE.sub(lambda found: hide(f'<img alt="{escape(found[1])}"{_attribute("src", found[2])}>'), text)
    text = _LINK.sub(link, text)
    text = _ADDRESS.sub(lambda found: hide(f"<a{_attribute('href', found[1])}>{escape(found[1], quote=False)}</a>"), text)
    text = escape(text, quote=False)
    text = _STRONG.sub(lambda found: f"<strong>{found[2]}</strong>", text)
    text = _EMPHASIS.sub(lambda found: f"<em>{found[2]}</em>", text)
    text = re.sub(r" {2,}\n", "<br>\n", text)
    return _HIDDEN.sub(lambda found: _shown(made, int(found[1])), text)


def _shown(made: list[str], number: int) -> str:
    """What was hidden, and what was hidden in it before."""
    return _HIDDEN.sub(lambda found: made[int(found[1])] if int(found[1]) < number else "", made[number])


def _attribute(name: str, address: str) -> str:
    """An address that no browser runs; any other is left out."""
    return f' {name}="{escape(address)}"' if _SAFE_ADDRESS.match(address) else ""
