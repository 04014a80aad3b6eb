"""`--limit` shows that many rows of the verbs that list counters, collectives, points and the critical path, in text, JSON and CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from sample_files import SAMPLES, needs_samples


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@needs_samples
@pytest.mark.parametrize(
    ("verb", "sample", "rows"),
    [
        ("path", "kineto/torch213_ddp_gloo", "operations"),
        ("communication", "kineto/torch213_ddp_gloo", "collectives"),
        ("roofline", "xplane/jax_cpu", "points"),
    ],
)
def test_rows_are_limited(terminal: Terminal, verb: str, sample: str, rows: str) -> None:
    profile: Path = SAMPLES / sample
    everything = terminal.json(verb, profile)
    assert len(everything[rows]) == everything["total"] > 1
    limited = terminal.json(verb, profile, "--limit", "1")
    assert (limited[rows], limited["total"]) == (everything[rows][:1], everything["total"])
    assert len(terminal.run(verb, profile, "--limit", "1", "--csv")[1].splitlines()) == 2
    long, short = (terminal.run(verb, profile, "--limit", limit)[1].splitlines() for limit in ("0", "1"))
    assert len(short) < len(long)
