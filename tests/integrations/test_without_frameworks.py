"""Without its framework an integration loads nothing, and says in one sentence what to install."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stepscope.integrations import ranks
from stepscope.integrations.framework import load
from stepscope.integrations.keras_profiling import batch_profile, checked_batches

FOLDER = Path(ranks.__file__).parent
NAMES = {
    "keras": ("StepscopeCallback", "keras"),
    "lightning": ("StepscopeLogger", "lightning"),
    "huggingface": ("StepscopeCallback", "transformers"),
    "accelerate": ("StepscopeTracker", "accelerate"),
}


@pytest.mark.parametrize(("module", "name", "package"), [(module, *rest) for module, rest in NAMES.items()])
def test_the_sentence(module: str, name: str, package: str) -> None:
    integration = importlib.import_module(f"stepscope.integrations.{module}")
    with pytest.raises(ModuleNotFoundError, match=f"^Install {package} .*: pip install {package}$"):
        getattr(integration, name)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = integration.Nothing


def test_a_module_that_is_missing_inside_a_framework_keeps_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_framework.py").write_text("import something_else_entirely")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="something_else_entirely"):
        load("broken_framework", "broken")


def test_importing_loads_no_framework() -> None:
    modules = [path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__"]
    assert set(NAMES) <= set(modules)
    code = "; ".join(f"import stepscope.integrations.{module}" for module in modules)
    code += "; import sys; print(sorted(set(sys.modules) & {'numpy', 'torch', 'keras', 'jax', 'flax', 'psutil', 'transformers'}))"
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parents[1])}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [({}, 0), ({"RANK": "3"}, 3), ({"SLURM_PROCID": "2"}, 2), ({"RANK": "1", "SLURM_PROCID": "2"}, 1), ({"RANK": "nonsense"}, 0)],
)
def test_the_rank_is_the_launchers(variables: dict[str, str], expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ranks.rank() == expected
    assert ranks.is_first() == (expected == 0)


@pytest.mark.parametrize("batches", [-1, (3, 2), (1, 2, 3), "a", "1,2,3", None, (1, "b")])
def test_senseless_batches_are_refused(batches: object) -> None:
    with pytest.raises(ValueError, match="profile_batch"):
        checked_batches(batches)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("batches", "expected"), [(0, (0, 0)), (2, (2, 2)), ((2, 5), (2, 5)), ([2, 5], (2, 5)), ("2", (2, 2)), ("10,20", (10, 20))]
)
def test_batches_as_keras_takes_them(batches: object, expected: tuple[int, int]) -> None:
    assert checked_batches(batches) == expected  # pyright: ignore[reportArgumentType]


def test_a_profiler_that_fails_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    profile = batch_profile(str(tmp_path), (2, 2), "torch")  # There is no torch here.
    assert profile is not None
    for number in range(1, 5):
        profile.begin(number)
        profile.end()
    profile.close()
    assert ["ModuleNotFoundError" in record.getMessage() for record in caplog.records] == [True]
    assert list(tmp_path.rglob("*.json*")) == []
