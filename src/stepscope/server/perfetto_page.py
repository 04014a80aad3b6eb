"""Perfetto's viewer on this server's own address: the files of an installed copy, in a page that may only read profiles."""

from __future__ import annotations

import html
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from stepscope.dashboards.perfetto_copy import BUNDLE
from stepscope.model.errors import NotThere
from stepscope.server.page_files import PageFiles

PLACE = "/perfetto/"

_NOT_INSTALLED = "Perfetto's viewer is not installed; install it with `pip install 'stepscope[perfetto]'` and start the server again."


def page_policy(site: str, prefix: str, api: str) -> str:
    """What the viewer may do: run its own code, and ask for its own files and for profiles.

    It is code of others that shows files of others. Whatever goes wrong in it cannot change runs, open windows, or reach other sites.
    """
    own = f"{site}{prefix}{PLACE}"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {own} 'wasm-unsafe-eval'",
            f"worker-src {own} blob:",
            f"style-src {own} 'unsafe-inline'",
            f"img-src {own} data: blob:",
            f"font-src {own}",
            f"connect-src {own} {site}{prefix}{api}/profile/ data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "sandbox allow-scripts allow-same-origin allow-downloads allow-modals",
        )
    )


class PerfettoPage:
    """Serves the installed copy below /perfetto/, and refuses when there is none."""

    def __init__(self, folder: Path | None, prefix: str, api: str) -> None:
        self._files = None if folder is None else PageFiles(folder)
        self._prefix = prefix
        self._api = api

    def answer(self, path: str, site: str, headers: Headers) -> Response:
        """A file of the copy; "" is the page. `site` is scheme and host, which the guards have checked. Reads from disk."""
        if self._files is None:
            raise NotThere(_NOT_INSTALLED, "not_installed")
        made = self._files.answer(path, headers) if path else Response(_page(), 200, {"cache-control": "no-cache"}, "text/html")
        MutableHeaders(raw=made.raw_headers)["content-security-policy"] = page_policy(site, self._prefix, self._api)
        return made


def _page() -> str:
    """Their own page has its script inline; this one loads it, so that no inline script may run."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Perfetto</title></head>\n'
        f'<body><script src="{html.escape(BUNDLE)}"></script></body></html>\n'
    )
