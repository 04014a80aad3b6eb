"""Markdown becomes HTML in which nothing runs."""

from __future__ import annotations

import pytest

from stepscope.compat.markdown_html import MOST_CHARACTERS, escaped_html, markdown_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("one\ntwo", "<p>one\ntwo</p>"),
        ("# Head #", "<h1>Head</h1>"),
        ("Head\n----", "<h2>Head</h2>"),
        ("a **b** *c* `d<e`", "<p>a <strong>b</strong> <em>c</em> <code>d&lt;e</code></p>"),
        ("snake_case_name", "<p>snake_case_name</p>"),
        (r"\*no\*", "<p>*no*</p>"),
        ("* a\n* b\n    * c", "<ul>\n<li>a</li>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        ("---", "<hr>"),
        ("```\na\n```", "<pre><code>a\n</code></pre>"),
        ("```\nnever closed", "<p>```\nnever closed</p>"),
        ("[a](http://b/?c&d)", '<p><a href="http://b/?c&amp;d">a</a></p>'),
        ("![a](b.png)", '<p><img alt="a" src="b.png"></p>'),
        ("<http://a>", '<p><a href="http://a">http://a</a></p>'),
    ],
)
def test_markdown(text: str, html: str) -> None:
    assert markdown_html(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:x)",
        "![a](data:text/html,x)",
        '[a](http://b"onclick=x)',
        '![" onerror=x](b)',
        "`<script>`",
        "|<b>|c|\n|-|-|\n|<i>|d|",
        "# <img src=x>",
        "\x020\x03<script>",
    ],
)
def test_nothing_runs(text: str) -> None:
    html = markdown_html(text)
    assert "<script" not in html
    assert "javascript:" not in html.lower() or "<a>" in html or "href" not in html
    assert "<img src=x" not in html
    assert '" on' not in html.replace("&quot; on", "")
    assert "data:text/html" not in html.partition("src=")[2]


def test_long_and_nested_texts_end() -> None:
    assert len(markdown_html("x" * (MOST_CHARACTERS + 5))) == MOST_CHARACTERS + len("<p></p>")
    assert markdown_html("> " * 10_000)
    assert markdown_html("*" * 5_000 + "a")
    assert markdown_html("[" * 5_000)


def test_text_is_escaped() -> None:
    assert escaped_html("<b> & 'c'") == "&lt;b&gt; &amp; 'c'"
