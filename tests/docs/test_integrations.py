"""The scripts of the page about integrations run as they stand, with the real frameworks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
FOLDER = PAGE.parents[1] / "src" / "stepscope" / "integrations"


@pytest.mark.peers
def test_the_scripts_run(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    written = run_in_peers(Path(__file__).parent / "integration_snippets.py", tmp_path)
    assert written == {
        "Keras": ["batch_loss", "epoch_seconds", "loss"],
        "PyTorch Lightning": ["train/loss", "loss"],
        "Hugging Face Trainer": ["train/loss", "loss"],
        "Accelerate": ["loss"],
        "JAX and Flax": ["loss", "params/w"],
        "torch": [],
    }


def test_every_integration_is_on_the_page() -> None:
    shown = set(re.findall(r"^from stepscope\.integrations\.(\w+) import", PAGE.read_text(), re.MULTILINE))
    parts_of_others = {
        "__init__",
        "framework",
        "hyperparameters",
        "keras_batches",
        "keras_profiling",
        "keras_weights",
        "optimizer_steps",
    }
    assert {path.stem for path in FOLDER.glob("*.py")} - parts_of_others == shown


def test_the_scripts_are_python() -> None:
    scripts = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(scripts) == 6
    for script in scripts:
        compile(script, str(PAGE), "exec")
