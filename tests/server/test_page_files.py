"""The page's own files: exactly what was built, zipped where it helps, and looked at again after a rebuild."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from stepscope.model.errors import NotThere
from stepscope.server.page_files import PageFiles

PLAIN, ZIPPED = Headers({}), Headers({"accept-encoding": "gzip, br"})


@pytest.fixture
def built(tmp_path: Path) -> Path:
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<title>one</title>")
    (page / "assets" / "index-abc.js").write_text("export const one = 1;\n" * 100)
    (page / "assets" / "font-abc.woff2").write_bytes(b"wOF2")
    (tmp_path / "secret.txt").write_text("not for the web")
    return page


def test_types_and_how_long_to_keep(built: Path) -> None:
    files = PageFiles(built)
    page, script, font = (files.answer(path, PLAIN) for path in ("", "assets/index-abc.js", "assets/font-abc.woff2"))
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert font.headers["content-type"] == "font/woff2"


def test_text_is_zipped_for_those_who_can_read_it(built: Path) -> None:
    files = PageFiles(built)
    zipped, plain = (files.answer("assets/index-abc.js", headers) for headers in (ZIPPED, PLAIN))
    assert (zipped.headers["content-encoding"], "content-encoding" in plain.headers) == ("gzip", False)
    assert gzip.decompress(bytes(zipped.body)) == bytes(plain.body)
    assert "content-encoding" not in files.answer("assets/font-abc.woff2", ZIPPED).headers


@pytest.mark.parametrize("path", ["../secret.txt", "assets/../../secret.txt", "assets", "/index.html", "nothing.js"])
def test_no_path_leads_elsewhere(built: Path, path: str) -> None:
    with pytest.raises(NotThere):
        PageFiles(built).answer(path, PLAIN)


def test_a_rebuild_is_seen(built: Path) -> None:
    files = PageFiles(built)
    assert b"one" in bytes(files.answer("", PLAIN).body)
    (built / "index.html").write_text("<title>two</title>")
    (built / "assets" / "index-def.js").write_text("2")
    os.utime(built / "index.html", (2_000_000_000, 2_000_000_000))
    assert b"two" in bytes(files.answer("", PLAIN).body)
    assert bytes(files.answer("assets/index-def.js", PLAIN).body) == b"2"


def test_without_a_page_the_address_says_so(tmp_path: Path) -> None:
    answer = PageFiles(tmp_path / "nothing").answer("", PLAIN)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")
    assert b"make page" in bytes(answer.body)
