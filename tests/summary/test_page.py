"""The scripts of the page about tf.summary run as they stand, and log what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope import summary

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tf-summary.md").read_text()
PLAIN, COMPILED = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_plain_script_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exec(PLAIN, {})
    found = read(tmp_path / "logs" / "train")
    assert found["loss"].steps == list(range(300))
    assert found["weights"].steps == [0, 100, 200]
    assert found.keys() == {"loss", "weights", "noise", "configuration", "validation/loss", "validation/accuracy", "activations"}


@pytest.mark.peers
def test_the_compiled_script_runs(tmp_path: Path, run_in_peers: Callable[..., Any], read: Any) -> None:
    (tmp_path / "script.py").write_text(f"import os\nos.chdir({str(tmp_path)!r})\n{COMPILED}")
    run_in_peers(tmp_path / "script.py")
    found = read(tmp_path / "logs" / "jax")
    assert found["loss"].steps == found["norm"].steps == list(range(30))
    assert found["weights"].steps == [0, 10, 20]


def test_the_page_names_everything() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert set(summary.__all__) - named == {"SummaryWriter"} - named
