"""Tables of SQL and tools of agents are listed in the guide as they are declared."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.agents.all_tools import ALL_TOOLS
from stepscope.sql.all_tables import ALL_TABLES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def listed(page: str) -> list[tuple[str, str]]:
    return re.findall(r"^\| `(\w+)` \| (.+) \|$", (DOCS / page).read_text(), re.MULTILINE)


def test_the_tables_of_sql() -> None:
    assert listed("dashboards/query.md") == [(table.name, table.meaning) for table in ALL_TABLES]


def test_the_tools_of_agents() -> None:
    assert [name for name, _ in listed("commands/mcp.md")] == [tool.name for tool in ALL_TOOLS]
