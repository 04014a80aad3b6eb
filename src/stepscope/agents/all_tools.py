"""The list of tools, in the order in which agents see them."""

from __future__ import annotations

from stepscope.agents.profile_tools import COMPARE_PROFILES, PROFILE_OPS, PROFILE_REPORT, PROFILES, WHAT_IF
from stepscope.agents.run_tools import HPARAMS, QUERY, RUNS, SERIES, TAGS
from stepscope.agents.tool import Tool

ALL_TOOLS: tuple[Tool, ...] = (RUNS, TAGS, SERIES, HPARAMS, PROFILES, PROFILE_REPORT, PROFILE_OPS, WHAT_IF, COMPARE_PROFILES, QUERY)
