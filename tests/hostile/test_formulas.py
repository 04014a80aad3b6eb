"""Absurd formulas over tags, groups and windows of curves are refused with one sentence; formulas that are read mean arithmetic."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from log_folder import LogFolder, decay
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.model.errors import BadInput
from stepscope.queries.formula import MAX_FORMULA, read_formula
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

PIECES = (
    "a", "b/c", "1", ".5", "1e9", "exp", "min(", "log(", "(", ")", ",", "+", "-", "*", "**", "^", "/", " ", '"', '"x y"', "é", "\0",
    "²", "__import__", ".__class__", "[0]", "lambda", ";", "\n", "١", "1e999", "0x1",
)  # fmt: skip
TAGS = {"a": np.array([2.0, -3.0, 0.0]), "b/c": np.array([0.5, 4.0, 1.0])}
FUNCTIONS = {"exp": np.exp, "abs": np.abs, "sqrt": np.sqrt, "min": np.minimum, "max": np.maximum}
SIGNS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power}

Written = tuple[str, Any]
"""A formula with every parenthesis, and its value."""

_leaves = st.sampled_from([*TAGS, "3", "0.25", "1e3"]).map(
    lambda text: (text, TAGS.get(text, np.float64(text if text not in TAGS else 0)))
)


def _combined(inner: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    signs = st.tuples(inner, st.sampled_from([*SIGNS]), inner)
    pairs = st.tuples(st.sampled_from(["min", "max"]), inner, inner)
    singles = st.tuples(st.sampled_from(["exp", "abs", "sqrt"]), inner)
    return st.one_of(
        signs.map(lambda made: (f"({made[0][0]} {made[1]} {made[2][0]})", SIGNS[made[1]](made[0][1], made[2][1]))),
        pairs.map(lambda made: (f"{made[0]}({made[1][0]}, {made[2][0]})", FUNCTIONS[made[0]](made[1][1], made[2][1]))),
        singles.map(lambda made: (f"{made[0]}({made[1][0]})", FUNCTIONS[made[0]](made[1][1]))),
        inner.map(lambda made: (f"(-{made[0]})", -made[1])),
    )


@given(st.recursive(_leaves, _combined, max_leaves=12))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_formula_with_every_parenthesis_means_the_arithmetic(written: Written) -> None:
    text, expected = f"a + {written[0]}", TAGS["a"] + written[1]
    assume(len(text) <= MAX_FORMULA)
    formula = read_formula(text)
    assert set(formula.tags) <= set(TAGS)
    np.testing.assert_array_equal(np.broadcast_to(formula.of(TAGS), 3), np.broadcast_to(expected, 3))


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=MAX_FORMULA + 5))
@example("(" * (MAX_FORMULA - 1) + "a")
@example("-" * (MAX_FORMULA - 1) + "a")
@example("a" + "^a" * (MAX_FORMULA // 2 - 1))
@example("exp(" * 120 + "a" + ")" * 20)
def test_what_is_no_formula_is_refused_and_anything_else_has_one_value(text: str) -> None:
    formula = refused = None
    try:
        formula = read_formula(text)
    except BadInput as problem:
        refused = problem
    if formula is None:
        assert refused is not None
        assert (refused.code, refused.message[-1]) == ("bad_formula", ".")
        return
    assert all(tag in text for tag in formula.tags)
    values = {tag: np.array([1.0, -2.0, math.nan]) for tag in formula.tags}
    assert formula.of(values).shape == (3,)


NUMBERS: tuple[Any, ...] = (math.nan, math.inf, -1, 0, 1e300, -1e300, 10**30, 2**63, "1", None, [], {}, True, 0.5)
CURVES: dict[str, Any] = {"series": [], "x": "step", "range": [0, 5], "width": 100, "segments": "latest"}
GROUPS: dict[str, Any] = {"groups": [], "tag": "loss", "range": [0, 5], "width": 100, "band": "quantile", "quantiles": [0.1, 0.9]}
ABSURD: dict[str, tuple[Any, ...]] = {
    "width": NUMBERS,
    "range": (*NUMBERS, *([low, high] for low in NUMBERS for high in NUMBERS)),
    "quantiles": (*NUMBERS, [], [0.9, 0.1], [-1, 2], *([low, 0.5] for low in NUMBERS)),
    "tag": (*NUMBERS, "", "x" * 100_000, "\0", "\ud800"),
    "band": (*NUMBERS, "", "none"),
    "x": (*NUMBERS, "", "tag", "wall", "relative"),
    "segments": (*NUMBERS, "all", "split"),
    "smoothing": (*NUMBERS, *({"method": method, "amount": amount} for method in ("ema", "mean", "median", "x") for amount in NUMBERS)),
    "log_x": NUMBERS,
    "formulas": (*NUMBERS, True),
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[TestClient, list[str]]:
    path = tmp_path_factory.mktemp("hostile")
    folder = LogFolder(path / "logs")
    for run in ("a", "b"):
        folder.write(run, {"loss": decay(20), "bad": [math.nan, math.inf, 1e308, -1e308]})
    folder.load()
    project = Project(Reads(folder.library), folder.loader, UserState(path / "data"), (Root("", str(folder.path)),))
    client = TestClient(Application(project).asgi, base_url="http://localhost", raise_server_exceptions=False)
    return client, [run["id"] for run in client.get("/api/v1/runs").json()["runs"]]


def ask(client: TestClient, route: str, body: dict[str, Any]) -> int:
    """The status of an answer, which is a frame or one sentence."""
    text = json.dumps(body)
    got = client.post(f"/api/v1/scalars/{route}", content=text, headers={"content-type": "application/json"})
    assert got.status_code in (200, 400, 404, 413, 422), (route, text[:300], got.text[:300])
    if got.status_code != 200:
        message = got.json()["error"]["message"]
        assert message.endswith("."), (route, text[:300], message)
        assert "\n" not in message, (route, text[:300], message)
    return got.status_code


@pytest.mark.slow
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_absurd_questions_about_curves_and_groups_are_answered_or_refused(asked: tuple[TestClient, list[str]]) -> None:
    client, runs = asked
    curves = {**CURVES, "series": [{"run": run, "tag": tag} for run in runs for tag in ("loss", "bad")]}
    groups = {**GROUPS, "groups": [{"name": "g", "runs": runs}]}
    assert (ask(client, "series", curves), ask(client, "groups", groups)) == (200, 200)
    refused = answered = 0
    for field, values in ABSURD.items():
        for value in values:
            for route, good in (("series", curves), ("groups", groups)):
                status = ask(client, route, {**good, field: value})
                refused, answered = refused + (status != 200), answered + (status == 200)
    assert refused > 300
    assert answered > 30


@pytest.mark.parametrize("text", ["loss +", "nothing * 2", "loss" * 200, "(" * 300, "exp(loss", "\0", "\ud800", '"', "loss ; loss"])
def test_absurd_formulas_in_questions_are_refused(asked: tuple[TestClient, list[str]], text: str) -> None:
    client, runs = asked
    assert ask(client, "series", {**CURVES, "formulas": True, "series": [{"run": runs[0], "tag": text}]}) in (400, 404, 422)


def test_formulas_of_values_that_are_not_finite_are_answered(asked: tuple[TestClient, list[str]]) -> None:
    client, runs = asked
    for text in ("bad / bad", "exp(bad)", "bad ^ bad ^ bad", "log(bad - bad)", "loss / 0 + bad", "1e308 * bad * 1e308"):
        assert ask(client, "series", {**CURVES, "formulas": True, "series": [{"run": runs[0], "tag": text}]}) == 200
