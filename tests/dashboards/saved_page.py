"""The overview as one HTML file: saving it and listing its elements."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from dashboards.profile_server import ProfileServer

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e\x1b[2J"


class Elements(HTMLParser):
    """Every element with its attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def saved(profiles: ProfileServer, **query: Any) -> tuple[str, dict[str, str]]:
    (session,) = profiles.sessions()
    answer = profiles.client.get("/api/v1/profile/report", params={"session": session["id"], **query})
    assert answer.status_code == 200, answer.text
    return answer.text, dict(answer.headers)
