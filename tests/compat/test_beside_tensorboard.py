"""The real TensorBoard and this server are asked the same about the same folders, and whole bodies of all routes are compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat.same_answers import ask, difference
from log_folder import LogFolder
from stepscope.compat.all_routes import all_routes

HERE = Path(__file__).parent
FOLDERS = ("all", "torch_hparams", "tf_hparams", "plain_hparams")

pytestmark = [pytest.mark.peers, pytest.mark.slow, pytest.mark.timeout(600)]

Asked = list[dict[str, Any]]


@pytest.fixture(scope="module")
def theirs(logs: Path, run_in_peers: Callable[..., Any]) -> dict[str, Asked]:
    """Every question and TensorBoard's answer to it, by folder."""
    found = run_in_peers(HERE / "tensorboard_answers.py", *(logs / name for name in FOLDERS), tensorflow=False)
    return {name: found[str(logs / name)] for name in FOLDERS}


@pytest.mark.parametrize("name", FOLDERS)
def test_every_answer_is_that_of_tensorboard(name: str, logs: Path, theirs: dict[str, Asked], serve: Callable[..., Any]) -> None:
    client = serve(LogFolder(logs / name))
    found = {asked["path"]: said for asked in theirs[name] if (said := difference(asked, ask(client, asked)))}
    assert found == {}


def test_every_route_was_asked(theirs: dict[str, Asked]) -> None:
    answered = {asked["path"].partition("?")[0] for folder in theirs.values() for asked in folder if asked["status"] == 200}
    assert set(all_routes()) - answered == set()


def test_the_logs_have_something_for_every_route(theirs: dict[str, Asked]) -> None:
    """Otherwise two empty answers would be compared."""
    full = {asked["path"].partition("?")[0] for folder in theirs.values() for asked in folder if len(asked["data"]) > 8}
    assert set(all_routes()) - full == {"/data/experiments", "/data/experiment_runs"}
