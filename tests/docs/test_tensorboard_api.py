"""docs/tensorboard-api.md has a table of exactly the routes that are registered."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.compat.all_routes import all_routes

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tensorboard-api.md").read_text()


def test_the_table_has_every_route_and_no_other() -> None:
    described = re.findall(r"^\| `(/data/[^`]+)` \|", PAGE, re.MULTILINE)
    assert described == list(all_routes())
