"""What is on disk is in the list, and every rule has its page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.rule import Rule

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "src" / "stepscope" / "rules"
PAGES = ROOT / "docs" / "rules"
HEADINGS = ["What it finds", "Evidence", "Threshold", "Recommended change", "Does not apply", "Proven on"]


def defines_a_rule(path: Path) -> bool:
    body = ast.parse(path.read_text()).body
    return any(isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "RULE" for node in body)


def test_rules_on_disk_are_listed() -> None:
    assert {path.stem for path in RULES.glob("*.py") if defines_a_rule(path)} == {rule.id for rule in ALL_RULES}
    assert len({rule.id for rule in ALL_RULES}) == len(ALL_RULES)


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.id)
def test_every_rule_has_a_page_with_the_same_headings(rule: Rule) -> None:
    page = (PAGES / f"{rule.id}.md").read_text()
    assert re.findall(r"^# (.+)$", re.sub(r"```.*?```", "", page, flags=re.DOTALL), re.MULTILINE) == [rule.title]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.id)
def test_the_page_shows_the_change_and_when_it_does_not_apply(rule: Rule) -> None:
    page = (PAGES / f"{rule.id}.md").read_text()
    for code in (rule.code.tensorflow, rule.code.pytorch, rule.code.jax):
        assert f"```python\n{code}\n```" in page
    assert " ".join(rule.wrong_when.split()) in " ".join(page.split("## Does not apply")[1].split())


def test_every_page_is_of_a_rule_and_in_the_contents() -> None:
    ids = {rule.id for rule in ALL_RULES}
    assert {path.stem for path in PAGES.glob("*.md")} - {"index"} == ids
    contents, index = (ROOT / "mkdocs.yml").read_text(), (PAGES / "index.md").read_text()
    assert all(f"rules/{name}.md" in contents and f"({name}.md)" in index for name in ids)


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.id)
def test_the_change_is_python_and_fits_a_terminal(rule: Rule) -> None:
    for code in (rule.code.tensorflow, rule.code.pytorch, rule.code.jax):
        ast.parse(code)
        assert max(map(len, code.splitlines())) <= 72
