"""Lists for each rule the real trainings on which it came first and was right; writes the package's table and the rules' pages."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from stepscope.rules.all_rules import ALL_RULES
from truth.noise import too_noisy

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ROOT / "benchmarks" / "results.json"
HELD_OUT = ROOT / "benchmarks" / "truth" / "held_out" / "results.json"
TABLE = ROOT / "src" / "stepscope" / "rules" / "proven_on.py"
PAGES = ROOT / "docs" / "rules"
TITLE = "How often each rule came first and was right on real trainings with a known cause; benchmarks/truth/proof.py writes it."
HEADING = "## Proven on"
NAMES = {"torch": "PyTorch", "gloo": "PyTorch", "tensorflow": "TensorFlow", "keras": "Keras", "jax": "JAX"}
Rows = list[dict[str, Any]]


def pairs_of(rows: Rows) -> dict[str, Counter[str]]:
    """For each rule the development pairs on which it came first and was right, by framework."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        if row.get("named_first") and not too_noisy(row):
            found.setdefault(row["first"], Counter())[NAMES[row["framework"]]] += 1
    return found


def held_out_of(rows: Rows) -> dict[str, Counter[str]]:
    """The same of the held-out trainings, with the framework's default options."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        said = row.get("judged", {}).get("default", {})
        if not row["not_counted"] and said.get("outcome") == "first":
            found.setdefault(said["first"], Counter())[NAMES[row["framework"]]] += 1
    return found


def stored() -> tuple[dict[str, Counter[str]], dict[str, Counter[str]] | None]:
    """Both, of the results in the repository; None when the held-out set was not measured yet."""
    pairs = pairs_of(json.loads(PAIRS.read_text())["truth"]["pairs"])
    return pairs, held_out_of(json.loads(HELD_OUT.read_text())["cases"]) if HELD_OUT.exists() else None


def module(pairs: dict[str, Counter[str]], held_out: dict[str, Counter[str]] | None) -> str:
    """The package's table, as Python."""
    later = held_out or {}
    rules = sorted(pairs.keys() | later.keys())
    lines = [f'    "{rule}": ({pairs.get(rule, Counter()).total()}, {later.get(rule, Counter()).total()}),' for rule in rules]
    return "\n".join(
        [
            f'"""{TITLE}"""',
            "",
            "from __future__ import annotations",
            "",
            "REAL = {",
            *lines,
            "}",
            '"""Development pairs, and held-out trainings. Every other rule was tried on drawn traces alone (tests/rules)."""',
            "",
            "",
            "def trainings(rule: str) -> int:",
            '    """Real trainings of both kinds; 0 for a rule that was tried on drawn traces alone."""',
            "    return sum(REAL.get(rule, (0, 0)))",
            "",
        ]
    )


def text(rule: str, pairs: dict[str, Counter[str]], held_out: dict[str, Counter[str]] | None) -> str:
    """The section of a rule's page."""
    kinds = (("development pair", pairs.get(rule)), ("held-out training", (held_out or {}).get(rule)))
    parts = [_counted(title, mine) for title, mine in kinds if mine]
    waiting = "" if held_out is not None else " The held-out trainings are not measured yet."
    if not parts:
        return f"Drawn traces only: this rule was never first on a real training with a known cause.{waiting}"
    where = "Real trainings with a known cause, where this rule was first and right"
    return f"{where}: {' and '.join(parts)}.{waiting} [All](../profiles/truth.md)."


def _counted(title: str, mine: Counter[str]) -> str:
    """`4 development pairs (PyTorch 2, TensorFlow 2)`."""
    frameworks = ", ".join(f"{name} {count}" for name, count in sorted(mine.items()))
    return f"{mine.total()} {title}{'' if mine.total() == 1 else 's'} ({frameworks})"


def with_section(page: str, said: str) -> str:
    """A page whose last section is this."""
    kept = re.split(rf"\n*{HEADING}\n", page)[0].rstrip("\n")
    return f"{kept}\n\n{HEADING}\n\n{said}\n"


def write() -> None:
    """Writes the table and all pages anew."""
    pairs, held_out = stored()
    TABLE.write_text(module(pairs, held_out))
    for rule in ALL_RULES:
        page = PAGES / f"{rule.id}.md"
        page.write_text(with_section(page.read_text(), text(rule.id, pairs, held_out)))


if __name__ == "__main__":
    write()
