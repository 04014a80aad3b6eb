"""torch modules under watch: hooks that find the first bad number and leave no trace, and norms of weights and gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from figures import figures

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).parent / "watched_torch.py"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What the watch says."""
    return run_in_peers(SCRIPT, tmp_path_factory.mktemp("torch"))


def test_the_first_bad_number_is_found(found: Any) -> None:
    assert found["watched"]["first"] == ["head", "activations", "Inf", 3]
    assert ["head", "gradients"] in [finding[:2] for finding in found["watched"]["all"]]
    assert {finding[3] for finding in found["watched"]["all"]} == {3}
    assert ["layers.0", "activations"] not in [finding[:2] for finding in found["watched"]["all"]]


def test_all_hooks_are_taken_out_again(found: Any) -> None:
    assert found["watched"]["during"] > 10
    assert found["watched"]["after"] == 0


def test_where_all_is_well_nothing_is_found(found: Any) -> None:
    assert found["fine"] == {"first": None, "all": []}


def test_bad_inputs_are_told_from_bad_layers(found: Any) -> None:
    assert found["inputs"]["first"] == ["(inputs)", "activations", "Inf", 0]


def test_what_goes_wrong_only_on_the_way_back(found: Any) -> None:
    assert found["backward"]["first"][1:] == ["gradients", "Inf", 7] or found["backward"]["first"][1:] == ["gradients", "NaN", 7]
    assert {finding[1] for finding in found["backward"]["all"]} == {"gradients"}
    assert found["backward"]["first"][0] == "1"


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "complex64", "float8_e5m2"])
def test_numbers_of_every_kind(found: Any, kind: str) -> None:
    fine, first = found["kinds"][kind]
    assert fine
    assert first[2] == "NaN"


def test_compiled_models_are_refused_with_a_reason(found: Any) -> None:
    assert "torch.compile" in found["refused"]


def test_of_compiled_code_the_gradients_are_seen(found: Any) -> None:
    assert found["compiled"]["first"] == ["2", "gradients", "NaN", 1]
    assert {finding[1] for finding in found["compiled"]["all"]} == {"gradients"}


def test_training_is_the_same_to_the_last_bit(found: Any) -> None:
    assert found["same"] is True


def test_tensorboard_reads_the_findings(found: Any) -> None:
    values = found["logged"]["values"]
    assert [count for _, count in values["numerics/layers_with_bad_activations"]][:4] == [0, 0, 0, 1]
    ((step, (text,)),) = values["numerics/first/text_summary"]
    assert (step, figures(text), "Inf" in text, "head" in text) == (3, [3], True, True)


def test_norms_of_gradients(found: Any) -> None:
    values, histograms = found["norms"]["tags"]["values"], found["norms"]["tags"]["histograms"]
    expected = found["norms"]["expected"]
    assert set(expected) == {"layers.0.weight", "layers.0.bias", "lookup.weight", "head.weight", "head.bias"}
    for name, norm in expected.items():
        assert values[f"gradient_norm/{name}"][0] == [2, pytest.approx(norm)]
        assert f"gradients/{name}" in histograms
    assert values["gradient_norm"][0] == [2, pytest.approx(sum(norm**2 for norm in expected.values()) ** 0.5)]


def test_pillow_draws_letters_that_the_typeface_of_dots_has_not(found: Any) -> None:
    assert found["letters"] == [28, True, False]


def test_a_condition_is_kept_to(found: Any) -> None:
    assert [step for step, _ in found["norms"]["tags"]["values"]["gradient_norm"]] == [2, 10]


def test_norms_of_odd_weights(found: Any) -> None:
    values, histograms = found["norms"]["tags"]["values"], found["norms"]["tags"]["histograms"]
    assert values["weight_norm/wave"] == [[2, 5.0]]
    assert histograms["weights/wave"] == 2
    assert values["weight_norm/nothing"] == [[2, 0.0]]
    assert "weights/nothing" not in histograms
    assert "weight_norm/lazy" not in values
    assert values["weight_norm/tree/leaf"] == [[2, 2.0]]
