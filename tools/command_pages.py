"""Writes each verb's help into its page, docs/commands/VERB.md, between the fences that begin with ```text."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "commands"
BLOCK = re.compile(r"```text\n.*?```\n", re.DOTALL)


def verbs() -> list[str]:
    """Every verb, in the help's order; those of `stepscope profile` follow it, as `profile-report` and so on."""
    from stepscope.cli.all_commands import ALL_COMMANDS
    from stepscope.cli.profile.all_profile_commands import ALL_PROFILE_COMMANDS

    below = {"profile": [f"profile-{verb}" for verb in ALL_PROFILE_COMMANDS]}
    return [name for verb in ALL_COMMANDS for name in (verb, *below.get(verb, []))]


def help_of(verb: str) -> str:
    """What `stepscope VERB --help` prints on a terminal of 80 columns; a dash in the page's name stands between two words."""
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": os.environ.get("PYTHONPATH") or str(ROOT / "src"), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "stepscope", *verb.split("-"), "--help"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def with_help(page: str, verb: str) -> str:
    """The page with the verb's help of today in its first block."""
    return BLOCK.sub(lambda _: f"```text\n{help_of(verb)}\n```\n", page, count=1)


def main() -> None:
    """Brings every page up to date; a verb without a page gets a bare one."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for verb in verbs():
        page = PAGES / f"{verb}.md"
        before = page.read_text() if page.exists() else f"# stepscope {verb.replace('-', ' ')}\n\n```text\n```\n"
        page.write_text(with_help(before, verb))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
