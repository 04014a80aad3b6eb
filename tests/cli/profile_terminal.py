"""Runs `stepscope profile …` in this process and hands back what it printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepscope.cli.verbs import run_verbs


class Terminal:
    """Runs verbs in this process and hands back what they printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        code = run_verbs(["profile", *map(str, arguments)])
        printed = self.capsys.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str | Path) -> dict[str, Any]:
        code, out, _ = self.run(*arguments, "--json")
        assert code == 0
        return json.loads(out)
