"""Guards around every answer: whose Host and Origin may ask, and what a browser may do with what it gets.

The Host check defeats DNS rebinding: a page of another site that points its own name at this machine sends that name. The
Origin check keeps other sites from changing anything with the user's browser.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stepscope.model.errors import Refused
from stepscope.server.errors import answer_error
from stepscope.server.settings import LOCAL_NAMES, Settings

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        # Style attributes, which cannot run anything, place the parts of virtual lists.
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src blob:",
        "font-src 'self'",
        "connect-src 'self'",
        # Plugins are drawn in frames, whose pages have a policy of their own.
        "frame-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)

_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Guards:
    """ASGI middleware that refuses what must not be answered and marks what is."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks one request and passes it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        try:
            check_host(headers.get("host", ""), self._settings)
            if scope["method"] not in _SAFE_METHODS:
                check_origin(headers, self._settings)
        except Refused as refused:
            await answer_error(refused)(scope, receive, send_marked)
            return
        await self._app(scope, receive, send_marked)


def host_name(host: str) -> str:
    """The name in a Host header, in lower case and without its port; empty when it is none."""
    if host.startswith("["):
        end = host.find("]")
        name, rest = host[: end + 1], host[end + 1 :]
    else:
        name, colon, port = host.partition(":")
        rest = colon + port
    if rest and not (rest.startswith(":") and rest[1:].isdecimal()):
        return ""
    return name.lower().rstrip(".")


def check_host(host: str, settings: Settings) -> None:
    """Raises Refused when the Host header names none of this server's names."""
    name = host_name(host)
    if name in settings.hosts or (settings.any_address and _is_address(name)):
        return
    raise Refused(
        "This server does not accept this host name; open the address it prints, or start it with --allow-host NAME.",
        "wrong_host",
    )


def check_origin(headers: Headers, settings: Settings) -> None:
    """Raises Refused when another site's page asks for a change."""
    origin = headers.get("origin")
    if origin is None:
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            return
    else:
        try:
            netloc = urlsplit(origin).netloc.lower()
        except ValueError:
            netloc = ""
        # Behind a proxy the Host may be rewritten; its public name then has to be one that was allowed by hand.
        local = netloc == headers.get("host", "").lower()
        if netloc and (local or host_name(netloc) in settings.hosts - LOCAL_NAMES):
            return
    raise Refused("The server accepts changes from its own page only; open that page.", "wrong_origin")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
