"""The page's own files: an exact list of what was built, so that no path can lead elsewhere."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response

from stepscope.model.errors import NotThere

_COMPRESSIBLE = (".js", ".css", ".html", ".svg", ".json", ".map", ".txt")
_FOR_EVER = "public, max-age=31536000, immutable"
_CHECK_FIRST = "no-cache"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".html": "text/html"}

_NOT_BUILT = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Stepscope</title></head>
<body><h1>The page has not been built</h1>
<p>Stepscope is running, but this copy of it came without its page.
In a clone, run <code>make page</code> and reload; otherwise install the package again.</p>
<p>The data can be had without it: see <a href="api/v1/folder">api/v1/folder</a> and
<a href="api/v1/openapi.json">api/v1/openapi.json</a>.</p></body></html>
"""


@dataclass(frozen=True, slots=True)
class _PageFile:
    content: bytes
    zipped: bytes | None
    content_type: str
    cache_control: str


class PageFiles:
    """Serves the built page. Looks at the folder again when index.html has changed, as a rebuild does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._built: float | None = None
        self._paths: dict[str, Path] = {}
        self._files: dict[str, _PageFile] = {}

    def answer(self, path: str, headers: Headers) -> Response:
        """The file at a path below the page's root; "" is the page itself. Reads from disk: call in a worker thread."""
        with self._lock:
            self._look()
            file = self._files.get(path) or self._read(path)
        answer_headers = {"cache-control": file.cache_control, "vary": "accept-encoding"}
        content = file.content
        if file.zipped is not None and "gzip" in headers.get("accept-encoding", ""):
            content = file.zipped
            answer_headers["content-encoding"] = "gzip"
        return Response(content, 200, answer_headers, file.content_type)

    def _look(self) -> None:
        try:
            built = (self._folder / "index.html").stat().st_mtime
        except OSError:
            built = None
        if built != self._built:
            self._built = built
            self._files = {}
            found = [] if built is None else sorted(self._folder.rglob("*"))
            self._paths = {path.relative_to(self._folder).as_posix(): path for path in found if path.is_file()}

    def _read(self, path: str) -> _PageFile:
        name = path or "index.html"
        place = self._paths.get(name)
        if place is None:
            if not path:
                return _PageFile(_NOT_BUILT, None, "text/html; charset=utf-8", _CHECK_FIRST)
            raise NotThere("This file is not part of the page; reload the page.", "unknown_file")
        content = place.read_bytes()
        zipped = gzip.compress(content, 6, mtime=0) if place.suffix in _COMPRESSIBLE else None
        kind = _TYPES.get(place.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        if kind.startswith("text/"):
            kind += "; charset=utf-8"
        # Names below assets/ carry a hash of the content, so what they name never changes.
        file = _PageFile(content, zipped, kind, _FOR_EVER if name.startswith("assets/") else _CHECK_FIRST)
        self._files[path] = file
        return file
