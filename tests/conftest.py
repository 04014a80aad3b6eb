"""What all tests start from, and fixtures that several stages share: a runner for `stepscope`, and the Python of the real peers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from child_environment import with_sources

pytest_plugins = ["only_due", "processor_time", "skipped_tests"]

IN_CI = os.environ.get("CI") == "true"
OF_THE_TESTS = {
    "STEPSCOPE_PEERS_PYTHON",
    "STEPSCOPE_PLUGINS_PYTHON",
    "STEPSCOPE_AGENTS_PYTHON",
    "STEPSCOPE_EXPECT_TABLE_CRC",
    "STEPSCOPE_SAMPLES",
}
"""Variables that say how the tests are run; all others of Stepscope's are the user's own settings."""

# A busy machine is no failure: no example has a deadline, and drawing one may take its time.
BUSY = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=25, **BUSY)
settings.register_profile("usual", max_examples=150, **BUSY)
settings.load_profile("usual")  # unless --hypothesis-profile names another


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks by folder, so that nobody can forget it; whoever waits for peers may wait long on a busy machine."""
    for item in items:
        if item.nodeid.startswith("tests/interop/"):
            item.add_marker(pytest.mark.peers)
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)
        if item.get_closest_marker("peers") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))
        if item.get_closest_marker("peers") and not item.get_closest_marker("xdist_group"):
            # What the real packages make for the tests of a file, they make once.
            item.add_marker(pytest.mark.xdist_group(f"peers {item.path.stem}"))


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home without settings, notes and caches, for the tests and every process they start."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("XDG_", "STEPSCOPE_")) and name not in OF_THE_TESTS]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        yield


def missing(what: str) -> None:
    """Skips on a user's machine; in CI nothing may be missing."""
    if IN_CI:
        pytest.fail(f"{what} is missing, and with CI=true that is a failure.")
    pytest.skip(f"needs {what}: `make test` sets it up")


@pytest.fixture(scope="session")
def stepscope() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `stepscope …` as a process of its own and returns what it did."""

    def run(*arguments: str | Path, check: bool = True, timeout: float = 100) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "stepscope", *map(str, arguments)]
        return subprocess.run(command, env=with_sources(), capture_output=True, text=True, check=check, timeout=timeout)

    return run


@pytest.fixture
def verbs(capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `stepscope …` in this process, which spares starting one, and returns what it did."""

    def run(*arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        from stepscope.cli.verbs import run_verbs

        capsys.readouterr()
        code = run_verbs([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert code == 0 or not check, printed.err
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def peers_python() -> str:
    """The Python of the environment with the real TensorFlow, Keras, torch, tensorboardX and tensorboard."""
    python = os.environ.get("STEPSCOPE_PEERS_PYTHON")
    if not python or not Path(python).exists():
        missing("the peers environment")
    return str(python)


WITHOUT_TENSORFLOW = """
import os, runpy, sys, types
sys.modules["tensorboard.compat.notf"] = types.ModuleType("notf")
del sys.argv[0]
sys.path[0] = os.path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a script with TensorBoard told to leave TensorFlow alone, which takes seconds to load."""


@pytest.fixture(scope="session")
def plugins_python() -> str:
    """The Python of the environment with TensorBoard's plugins, and with what Stepscope needs to run them."""
    python = os.environ.get("STEPSCOPE_PLUGINS_PYTHON")
    if not python or not Path(python).exists():
        missing("the environment of plugins")
    return str(python)


@pytest.fixture(scope="session")
def agents_python() -> str:
    """The Python of the environment with a client of the Model Context Protocol."""
    python = os.environ.get("STEPSCOPE_AGENTS_PYTHON")
    if not python or not Path(python).exists():
        missing("the environment of agents")
    return str(python)


def _printed(command: list[str], variables: Mapping[str, str], timeout: float) -> Any:
    """Runs a script; what it prints last, on one line, is JSON and is returned."""
    environment = {**with_sources(), **variables, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "upb"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=timeout)
    assert result.returncode == 0, result.stderr[-4000:]
    lines = result.stdout.strip().splitlines()
    return json.loads(lines[-1]) if lines else None


@pytest.fixture(scope="session")
def run_in_peers(peers_python: str) -> Callable[..., Any]:
    """Runs a script with the peers' Python; what it prints last, on one line, is JSON and is returned."""

    def run(script: Path, *arguments: str | Path, timeout: float = 550, tensorflow: bool = True) -> Any:
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": "-1"}
        without = [] if tensorflow else ["-c", WITHOUT_TENSORFLOW]
        return _printed([peers_python, *without, str(script), *map(str, arguments)], quiet, timeout)

    return run


@pytest.fixture(scope="session")
def run_in_plugins(plugins_python: str) -> Callable[..., Any]:
    """The same with the Python of the plugins."""

    def run(script: Path, *arguments: str | Path, timeout: float = 550) -> Any:
        return _printed([plugins_python, str(script), *map(str, arguments)], {}, timeout)

    return run
